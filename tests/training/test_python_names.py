"""What messages about training call an option of the command line, when training from Python."""

import ast
import re
from pathlib import Path

import pytest

import innermost
from innermost.errors import UsageError
from innermost.training.python_names import errors_in_python, in_python

ONLY_ON_THE_COMMAND_LINE = {"--nproc-per-node", "--seeds", "--show-config"}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("add --resume to continue it", "add resume=True to continue it"),
        ("drop --keep-types to train", "drop keep_types=True to train"),
        ("choose another --out", "choose another `out`"),
        ("--folds 5 for cross-validation", "folds=5 for cross-validation"),
        ("use --dev FILE, --dev 0.1 to hold out", "use dev=FILE, dev=0.1 to hold out"),
        ("use --folds 5.", "use folds=5."),
        ("--start-from english scores", 'start_from="english" scores'),
        ("with --start-from, only dropout", "with `start_from`, only dropout"),
        ("--set encoder.kind=wordchar trains", "settings={'encoder': {'kind': 'wordchar'}} trains"),
        ("(--set start.freeze=false)", "(settings={'start': {'freeze': False}})"),
        ("the same --config and --set", "the same `config` and `settings`"),
        ("--teacher genia does not know X", "`teachers` genia does not know X"),
        ("innermost train --show-config", "innermost train --show-config"),
    ],
)
def test_options_are_parameters(message, expected):
    assert in_python(message) == expected


def test_message_and_hint_of_an_error_are_changed():
    with pytest.raises(UsageError) as caught, errors_in_python():
        raise UsageError("--folds 3", hint="add --resume")
    assert str(caught.value) == "folds=3\n  add resume=True"
    assert caught.value.args == ("folds=3",)


def messages(path):
    """The strings of a module that are not documentation."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documentation = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in documentation:
            yield str(node.value)


def test_every_option_in_a_message_has_a_name_in_python():
    training = Path(innermost.__file__).parent / "training"
    found = 0
    for path in training.rglob("*.py"):
        if path.name == "python_names.py":
            continue
        for text in messages(path):
            found += "--" in text
            assert set(re.findall(r"--[a-z][a-z-]*", in_python(text))) <= ONLY_ON_THE_COMMAND_LINE
    assert found > 10
