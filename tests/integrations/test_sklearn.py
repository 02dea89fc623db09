"""The estimator: scikit-learn's own checks, and those that need sentences instead of numbers."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

pytest.importorskip("sklearn", reason="needs the extra sklearn")
pytest.importorskip("torch", reason="training needs torch")
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from helpers.small_training import SMALL
from helpers.toy_corpus import toy_sentences
from innermost.errors import UsageError
from innermost.integrations.sklearn import NestedNER

SENTENCES = toy_sentences()
X = [sentence.tokens for sentence in SENTENCES]
Y = [[tuple(span) for span in sentence.entities] for sentence in SENTENCES]

_NUMBERS = "fits a matrix of numbers, which is refused: a sentence is a list of tokens"
EXPECTED = dict.fromkeys(
    (
        "check_fit_score_takes_y",
        "check_estimators_overwrite_params",
        "check_dont_overwrite_parameters",
        "check_estimators_fit_returns_self",
        "check_readonly_memmap_input",
        "check_n_features_in_after_fitting",
        "check_positive_only_tag_during_fit",
        "check_estimators_dtypes",
        "check_complex_data",
        "check_dtype_object",
        "check_pipeline_consistency",
        "check_estimators_pickle",
        "check_f_contiguous_array_estimator",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
        "check_fit2d_1sample",
        "check_fit2d_1feature",
        "check_dict_unchanged",
        "check_fit_idempotent",
        "check_fit_check_is_fitted",
        "check_n_features_in",
        "check_fit1d",
        "check_fit2d_predict1d",
        "check_requires_y_none",
    ),
    _NUMBERS,
) | {
    "check_estimators_empty_data_messages": "expects scikit-learn's message about an empty matrix",
    "check_estimators_nan_inf": "expects a message about NaN in a matrix",
    "check_estimator_sparse_tag": "fits sparse matrices, and sentences are none",
    "check_estimator_sparse_array": "expects a message about sparse matrices",
    "check_estimator_sparse_matrix": "expects a message about sparse matrices",
}
"""What they are about is tested below with sentences."""


class OfNumbers(NestedNER):
    """Says that it reads matrices: otherwise scikit-learn makes hardly any checks."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags


@parametrize_with_checks(
    [NestedNER(), OfNumbers()], expected_failed_checks=lambda estimator: EXPECTED
)
def test_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


def _estimator(**settings: Any) -> NestedNER:
    tables: dict[str, dict[str, Any]] = {}
    for key, value in (SMALL | {"training.epochs": 16} | settings).items():
        section, name = key.split(".")
        tables.setdefault(section, {})[name] = value
    return NestedNER(preset="paper", dev=0.2, settings=tables)


@pytest.fixture(scope="module")
def fitted() -> NestedNER:
    estimator = _estimator()
    parameters = copy.deepcopy(estimator.get_params())
    assert estimator.fit(X, Y) is estimator
    assert estimator.get_params() == parameters
    return estimator


def test_it_learns_nested_entities(fitted: NestedNER) -> None:
    assert fitted.score(X, Y) > 0.5
    assert any(len(entities) > 1 for entities in fitted.predict(X))
    predicted = fitted.predict(X)
    gold = {(n, e) for n, entities in enumerate(Y) for e in entities}
    found = {(n, e) for n, entities in enumerate(predicted) for e in entities}
    f1 = 2 * len(gold & found) / (len(gold) + len(found))
    assert fitted.score(X, Y) == pytest.approx(f1)


def test_predictions_depend_neither_on_order_nor_on_company(fitted: NestedNER) -> None:
    before = {**fitted.__dict__}
    predicted = fitted.predict(X)
    assert fitted.predict(X[::-1]) == predicted[::-1]
    assert [fitted.predict([tokens])[0] for tokens in X[:5]] == predicted[:5]
    assert fitted.__dict__ == before


def test_a_pickle_contains_the_model(fitted: NestedNER) -> None:
    data = pickle.dumps(fitted)
    folder = fitted.model_.folder
    restored = pickle.loads(data)
    assert restored.model_.folder != folder
    assert restored.predict(X) == fitted.predict(X)
    assert restored.get_params() == fitted.get_params()
    assert pickle.loads(pickle.dumps(restored)).predict(X[:3]) == fitted.predict(X[:3])
    assert copy.deepcopy(restored).predict(X[:3]) == fitted.predict(X[:3])


def test_a_clone_is_not_fitted(fitted: NestedNER) -> None:
    fresh = clone(fitted)
    with pytest.raises(NotFittedError):
        fresh.predict(X)
    assert pickle.loads(pickle.dumps(fresh)).get_params() == fitted.get_params()


def test_cross_validation_by_document() -> None:
    groups = [number // 8 for number in range(len(X))]
    scores = cross_val_score(
        _estimator(), X, Y, groups=groups, cv=GroupKFold(2), error_score="raise"
    )
    assert len(scores) == 2
    assert min(scores) > 0.2


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ("a text", [[]], "X is str"),
        (["a text"], [[]], r"X\[0\] is not a sentence"),
        ([["a", ""]], [[]], r"X\[0\] is not a sentence"),
        ([["a"]], None, "y is NoneType"),
        ([["a"]], [[], []], "X has 1 sentences, y has entities of 2"),
        ([["a"]], [["PER"]], r"y\[0\] is not a list of entities"),
        ([["a"]], [[(0, 2, "PER")]], "outside of 1 tokens"),
        ([["a"]], [[(1, 1, "PER")]], "outside of 1 tokens"),
    ],
)
def test_what_is_no_sentence_is_an_error(x: Any, y: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        NestedNER().fit(x, y)
