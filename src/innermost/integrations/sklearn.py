"""Training and prediction as a scikit-learn estimator. Needs the extras ``sklearn`` and ``train``.

from innermost.integrations.sklearn import NestedNER

X = [["the", "mayor", "of", "Ghent"], ...]
y = [[(0, 4, "PERSON"), (3, 4, "PLACE")], ...]
NestedNER().fit(X, y).predict(X)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from innermost.corpus import Sentence
from innermost.errors import UsageError
from innermost.evaluation.counts import Counts
from innermost.nest import Span
from innermost.runtime import load
from innermost.training.api import train

Entities = Sequence[tuple[int, int, str]]
"""Of one sentence: first token, the token after the last, label."""
_MODEL = "model"


class NestedNER(BaseEstimator):  # type: ignore[misc]  # optional: its classes are not known
    """Sentences as lists of tokens in, lists of ``(start, end, label)`` out.

    The parameters are those of :func:`innermost.train`; ``dev`` is the share of the training data
    on which the best epoch is chosen. After ``fit``, ``model_`` is an :class:`innermost.Model`. A
    pickle contains the files of the model, as bytes.
    """

    def __init__(
        self,
        *,
        preset: str = "auto",
        dev: float = 0.1,
        start_from: str | None = None,
        settings: Mapping[str, Mapping[str, Any]] | None = None,
        seed: int = 1,
    ) -> None:
        self.preset = preset
        self.dev = dev
        self.start_from = start_from
        self.settings = settings
        self.seed = seed

    def fit(self, X: Sequence[Sequence[str]], y: Sequence[Entities]) -> NestedNER:  # noqa: N803
        """Train on tokenized sentences and their entities."""
        home = TemporaryDirectory(prefix="innermost-")
        result = train(
            _sentences(X, _listed(y, "y")),
            self.dev,
            out=home.name,
            preset=cast(Any, self.preset),
            start_from=self.start_from,
            settings=self.settings,
            seed=self.seed,
        )
        self._home, self.model_ = home, result.model
        return self

    def predict(self, X: Sequence[Sequence[str]]) -> list[list[tuple[int, int, str]]]:  # noqa: N803
        """All entities of each sentence, nested ones too, by start and then the longest first."""
        check_is_fitted(self, "model_")
        sentences = self.model_.predict_sentences(_sentences(X))
        return [
            sorted(((s.start, s.end, s.label) for s in spans), key=lambda s: (s[0], -s[1], s[2]))
            for spans in sentences
        ]

    def score(self, X: Sequence[Sequence[str]], y: Sequence[Entities]) -> float:  # noqa: N803
        """Micro-averaged F1: start, end and label must be right."""
        total = Counts()
        gold_sentences = _sentences(X, y)
        for gold, predicted in zip(gold_sentences, self.predict(X), strict=True):
            right = {tuple(span) for span in gold.entities}
            total += Counts(len(right), len(predicted), len(right & set(predicted)))
        return total.f1

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = {**super().__getstate__()}
        state.pop("_home", None)
        if (model := state.pop("model_", None)) is not None:
            files = (path for path in model.folder.rglob("*") if path.is_file())
            state[_MODEL] = {p.relative_to(model.folder).as_posix(): p.read_bytes() for p in files}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        files = state.pop(_MODEL, None)
        super().__setstate__(state)
        if files is not None:
            home = TemporaryDirectory(prefix="innermost-")
            for name, data in files.items():
                path = Path(home.name, _MODEL, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            self._home, self.model_ = home, load(home.name)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.one_d_labels = False
        tags.input_tags.two_d_array = False  # sentences, which are no numbers
        tags.input_tags.string = True
        return tags


def _sentences(X: Any, y: Any = None) -> list[Sentence]:  # noqa: N803
    """Checked, with an error that names the sentence."""
    texts = _listed(X, "X")
    targets = [()] * len(texts) if y is None else _listed(y, "y")
    if len(texts) != len(targets):
        raise UsageError(f"X has {len(texts)} sentences, y has entities of {len(targets)}")
    sentences = []
    for number, (tokens, entities) in enumerate(zip(texts, targets, strict=True)):
        is_list = isinstance(tokens, Sequence) and not isinstance(tokens, str)
        if not is_list or not all(isinstance(token, str) and token for token in tokens):
            raise UsageError(
                f"X[{number}] is not a sentence", hint="give each as a list of tokens (str)"
            )
        try:
            spans = [Span(int(start), int(end), str(label)) for start, end, label in entities]
        except (TypeError, ValueError):
            raise UsageError(
                f"y[{number}] is not a list of entities", hint="give (start, end, label) for each"
            ) from None
        for span in spans:
            if not 0 <= span.start < span.end <= len(tokens):
                raise UsageError(
                    f"y[{number}]: {tuple(span)} is outside of {len(tokens)} tokens",
                    hint="start is the first token, end the one after the last",
                )
        sentences.append(Sentence(list(tokens), spans))
    return sentences


def _listed(values: Any, name: str) -> list[Any]:
    if values is None or isinstance(values, str) or not hasattr(values, "__len__"):
        raise UsageError(
            f"{name} is {type(values).__name__}", hint="give a list with one item per sentence"
        )
    return list(values)
