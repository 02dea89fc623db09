"""Mutation testing: change the code in small ways, and see whether its tests notice.

    python tools/mutants.py [--sample 25] [--seed 1] [--report mutants.json] [--only PART] [AREA...]

A mutant has one change: another comparison, operator or number, a negated condition, `return
None`, or a statement less. Strings, annotations, imports and definitions stay as they are. Each
mutant runs the tests of its area in a forked process, up to the first failure; one that takes too
long counts as killed. `--sample` draws that many mutants of each file (0: all). Known survivors,
with the reasons why no test can or should kill them, are in `surviving_mutants.md`.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import resource
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "innermost"
PATIENCE = 2.5
"""A mutant may take so many times the processor time of the tests without any change."""
LIMIT_BYTES = 8 << 30


class Area(NamedTuple):
    files: tuple[str, ...]
    tests: tuple[str, ...]


AREAS = {
    "nest": Area(("nest/*.py",), ("tests/nest",)),
    "decoding": Area(
        (
            "crf/__init__.py",
            "crf/decoding.py",
            "crf/entities.py",
            "crf/lattice.py",
            "crf/scoring.py",
            "crf/uncertainty.py",
        ),
        (
            "tests/crf/test_entities.py",
            "tests/crf/test_decoding.py",
            "tests/crf/test_uncertainty.py",
        ),
    ),
    "loss": Area(
        ("crf/automaton.py", "crf/loss.py", "crf/semiring.py", "crf/targets.py"),
        ("tests/crf/test_partition.py", "tests/crf/test_loss.py"),
    ),
    "corpus": Area(
        (
            "corpus/shared/*.py",
            "corpus/context.py",
            "corpus/format.py",
            "corpus/options.py",
            "corpus/reading.py",
            "corpus/registry.py",
            "corpus/report.py",
            "corpus/sentence.py",
        ),
        (
            "tests/corpus/shared",
            "tests/corpus/test_xml_events.py",
        ),
    ),
}

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
}
_DELETABLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Raise, ast.Break, ast.Continue)


class Mutant(NamedTuple):
    file: Path
    line: int
    change: str
    code: CodeType

    @property
    def module(self) -> str:
        parts = self.file.relative_to(PACKAGE.parent).with_suffix("").parts
        return ".".join(parts).removesuffix(".__init__")


def mutants(file: Path) -> Iterator[Mutant]:
    """All mutants of a file."""
    text = file.read_text(encoding="utf-8")
    number = 0
    while True:
        tree = ast.parse(text)
        changes = list(_changes(tree))
        if number == len(changes):
            return
        line, change, make = changes[number]
        before = ast.unparse(tree)
        make()
        if ast.unparse(ast.fix_missing_locations(tree)) != before:
            yield Mutant(file, line, change, compile(tree, str(file), "exec"))
        number += 1


Change = tuple[int, str, Callable[[], None]]


def _changes(tree: ast.AST) -> Iterator[Change]:
    for node in _code(tree):
        yield from _changes_of(node)


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that are executed and not about types."""
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return
    yield node
    skipped = {"annotation", "returns", "decorator_list", "bases", "format_spec"}
    for name, value in ast.iter_fields(node):
        if name in skipped:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _code(child)


def _changes_of(node: Any) -> Iterator[Change]:
    if isinstance(node, ast.Compare):
        for place, operator in enumerate(node.ops):
            for other in _COMPARISONS[type(operator)]:
                yield _set(node, f"{_name(operator)} -> {other.__name__}", node.ops, place, other())
    elif isinstance(node, (ast.BinOp, ast.AugAssign)) and type(node.op) in _OPERATORS:
        other = _OPERATORS[type(node.op)]
        yield _set(node, f"{_name(node.op)} -> {other.__name__}", vars(node), "op", other())
    elif isinstance(node, ast.BoolOp):
        other = ast.And if isinstance(node.op, ast.Or) else ast.Or
        yield _set(node, f"{_name(node.op)} -> {other.__name__}", vars(node), "op", other())
    elif isinstance(node, ast.Constant):
        value = node.value
        if isinstance(value, bool):
            yield _set(node, f"{value} -> {not value}", vars(node), "value", not value)
        elif isinstance(value, (int, float)):
            yield _set(node, f"{value} -> {value + 1}", vars(node), "value", value + 1)
    elif isinstance(node, (ast.If, ast.While, ast.IfExp)):
        negated = ast.UnaryOp(ast.Not(), node.test)
        yield _set(node, f"not {_short(node.test)}", vars(node), "test", negated)
    elif isinstance(node, ast.Return) and node.value is not None:
        yield _set(node, "return None", vars(node), "value", ast.Constant(None))
    for body in (getattr(node, name, None) for name in ("body", "orelse", "finalbody")):
        for place, statement in enumerate(body if isinstance(body, list) else ()):
            if isinstance(statement, _DELETABLE) and not _has_no_effect(statement):
                yield _set(statement, f"without {_short(statement)}", body, place, ast.Pass())


def _set(node: Any, change: str, holder: Any, key: Any, value: Any) -> Change:
    return node.lineno, change, lambda: holder.__setitem__(key, value)


def _has_no_effect(statement: ast.stmt) -> bool:
    """A docstring, the ellipsis of an abstract method, or the list of public names."""
    if isinstance(statement, ast.Assign):
        return ast.unparse(statement.targets[0]) == "__all__"
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _name(node: ast.AST) -> str:
    return type(node).__name__


def _short(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split())[:70]


class _Mutated(MetaPathFinder, Loader):
    """Imports a mutant in place of its module."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        if fullname != self._mutant.module:
            return None
        is_package = self._mutant.file.name == "__init__.py"
        spec = spec_from_loader(fullname, self, is_package=is_package)
        if spec is not None and is_package:
            spec.submodule_search_locations = [str(self._mutant.file.parent)]
        return spec

    def exec_module(self, module: ModuleType) -> None:
        module.__file__ = str(self._mutant.file)
        exec(self._mutant.code, module.__dict__)


class _FastHypothesis:
    """The same examples for every mutant, and no search for the smallest one."""

    def pytest_collection(self) -> None:
        from hypothesis import Phase, settings

        settings.register_profile(
            "mutants",
            settings.get_profile("innermost"),
            database=None,
            derandomize=True,
            phases=[Phase.explicit, Phase.generate],
        )
        settings.load_profile("mutants")


def outcome(mutant: Mutant | None, tests: tuple[str, ...], limit: int) -> tuple[str, float]:
    """``survived``, ``killed`` or ``timeout``, and the seconds of a process that runs the tests."""
    process = os.fork()
    if process == 0:
        code = 9
        try:
            code = _run(mutant, tests, limit)
        finally:
            os._exit(code)
    _, status, usage = os.wait4(process, 0)
    seconds = usage.ru_utime + usage.ru_stime
    if os.WIFSIGNALED(status):
        is_late = os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGALRM, signal.SIGKILL)
        return "timeout" if is_late else "killed", seconds
    return "survived" if os.WEXITSTATUS(status) == 0 else "killed", seconds


def _run(mutant: Mutant | None, tests: tuple[str, ...], limit: int) -> int:
    import pytest

    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))
    signal.alarm(40 * limit)
    with open(os.devnull, "wb") as nothing:  # noqa: PTH123
        if mutant is not None:
            os.dup2(nothing.fileno(), 1)
            os.dup2(nothing.fileno(), 2)
            sys.meta_path.insert(0, _Mutated(mutant))
        with tempfile.TemporaryDirectory() as folder:
            options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
            paths = [test for test in tests if (ROOT / test).exists()]
            return int(
                pytest.main(
                    [*options, "--basetemp", f"{folder}/t", *paths], plugins=[_FastHypothesis()]
                )
            )


def _preload() -> None:
    """Import what is slow to import, once for all mutants; nothing of innermost."""
    for name in ("hypothesis.extra.numpy", "msgspec", "numpy", "rich", "torch", "typer"):
        import_module(name)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("areas", nargs="*", choices=[*AREAS, []], metavar="AREA")
    parser.add_argument("--sample", type=int, default=25, help="mutants per file; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="only files whose path contains this")
    parser.add_argument("--report", type=Path, default=Path("mutants.json"))
    options = parser.parse_args()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT / "src"))
    _preload()
    rows: list[dict[str, Any]] = []
    for name in options.areas or AREAS:
        area = AREAS[name]
        plain, seconds = outcome(None, area.tests, 600)
        if plain != "survived":
            sys.exit(f"the tests of {name} fail without any change")
        limit = round(PATIENCE * seconds) + 2
        files = sorted({file for pattern in area.files for file in PACKAGE.glob(pattern)})
        for file in (file for file in files if options.only in str(file)):
            found = list(mutants(file))
            if options.sample and len(found) > options.sample:
                found = random.Random(options.seed).sample(found, options.sample)
            for mutant in sorted(found, key=lambda m: m.line):
                result, seconds = outcome(mutant, area.tests, limit)
                row = {
                    "file": str(file.relative_to(PACKAGE)),
                    "line": mutant.line,
                    "change": mutant.change,
                    "outcome": result,
                    "seconds": round(seconds, 1),
                }
                rows.append(row)
                if result == "survived":
                    print(f"{row['file']}:{row['line']}: {row['change']}", flush=True)
                options.report.write_text(
                    json.dumps(rows, indent=1), encoding="utf-8", newline="\n"
                )
    _print_table(rows)
    return 0


def _print_table(rows: list[dict[str, Any]]) -> None:
    print(f"\n{'file':40}{'mutants':>8}{'killed':>8}{'survived':>9}{'':>8}")
    by_file = Counter(row["file"] for row in rows)
    survived = Counter(row["file"] for row in rows if row["outcome"] == "survived")
    lines = [(file, count, survived[file]) for file, count in by_file.items()]
    for file, count, alive in [*lines, ("all", len(rows), survived.total())]:
        print(f"{file:40}{count:8}{count - alive:8}{alive:9}{(count - alive) / count:8.1%}")


if __name__ == "__main__":
    sys.exit(main())
