"""What all readers share: options, places in messages, lists of problems, the registry."""

from dataclasses import replace

import pytest

from innermost.corpus import Context, Format, Options, Report, Sentence, Source, read, registry
from innermost.corpus.context import Problems, complete
from innermost.corpus.format import HOLDABLE
from innermost.corpus.reading import ReadingOptions, read_corpus
from innermost.corpus.report import Event
from innermost.errors import BadRecordsError, DataError, UsageError
from innermost.nest import Span


def context(skip_bad=False, line=None, record=None):
    return Context(Options(skip_bad=skip_bad), Report(), "folder/x.jsonl", line, record)


def test_a_place_is_named_by_record_or_line():
    place = context()
    assert place.name == "x.jsonl"
    assert place.at(0).name == "x.jsonl:0"
    assert place.at(4, record=2).name == "x.jsonl#2"
    other = place.at(7, path="y.txt")
    assert (other.path, other.line, other.record) == ("y.txt", 7, None)
    assert (other.report, other.problems, other.options) == (
        place.report,
        place.problems,
        place.options,
    )
    assert place.at(3).path == place.path


def test_events_have_the_line_of_the_context_or_their_own():
    place = context(line=4)
    place.lost("a", "b")
    place.changed("a", "b", line=9)
    place.odd("a", "b")
    assert [(e.kind, e.path, e.line) for e in place.report.examples] == [
        ("lost", "folder/x.jsonl", 4),
        ("changed", "folder/x.jsonl", 9),
        ("odd", "folder/x.jsonl", 4),
    ]
    error = place.wrong("no", hint="yes")
    assert (error.message, error.hint, error.line) == ("no", "yes", 4)
    assert place.wrong("no", line=5).line == 5


def test_reports_count_all_and_keep_a_few():
    report = Report(keep=2)
    for number in range(4):
        report.lost("a", str(number), path="p", line=number)
    report.odd("a", "x")
    assert report.counts == {("lost", "a"): 4, ("odd", "a"): 1}
    assert [e.detail for e in report.examples] == ["0", "1", "x"]
    assert (report.total("lost"), report.total("odd"), report.total("changed")) == (4, 1, 0)
    only = report.only("odd")
    assert (only.counts, [str(e) for e in only.examples], only.keep) == (
        {("odd", "a"): 1},
        ["odd: a: x"],
        2,
    )
    assert str(report.examples[0]) == "p:0: lost: a: 0"
    assert str(Event("lost", "a", "b", "p")) == "p: lost: a: b"


def test_problems_are_counted_beyond_those_that_are_kept():
    problems = Problems(keep=2)
    problems.add(DataError("one", path="p", line=1))
    assert problems.error().message == "one"
    problems.add(BadRecordsError([DataError("two"), DataError("three")], 5))
    error = problems.error()
    assert isinstance(error, BadRecordsError)
    assert (error.count, [e.message for e in error.problems]) == (6, ["one", "two"])


def reading(place, *records):
    """Numbers are sentences, negative ones are bad records."""

    def read(number):
        yield Sentence([str(number)])
        if number < 0:
            raise DataError(f"bad {number}", line=-number)

    return complete(place.each(records, read), place)


def test_bad_records_are_listed_at_the_end():
    with pytest.raises(BadRecordsError) as error:
        list(reading(context(), 1, -2, 3, -4))
    assert error.value.count == 2
    assert [e.line for e in error.value.problems] == [2, 4]
    sentences = reading(context(), 1, -2, 3)
    assert [next(sentences).tokens, next(sentences).tokens] == [["1"], ["3"]]
    with pytest.raises(DataError, match="bad -2"):
        next(sentences)


def test_bad_records_are_skipped_unless_there_is_nothing_else():
    place = context(skip_bad=True)
    assert [s.tokens for s in reading(place, 1, -2, 3)] == [["1"], ["3"]]
    assert [(e.kind, e.what, e.detail, e.path, e.line) for e in place.report.examples] == [
        ("skipped", "bad record", "bad -2", "folder/x.jsonl", 2)
    ]
    with pytest.raises(DataError, match="bad -2"):
        list(reading(context(skip_bad=True), -2))
    assert list(reading(context())) == []
    assert [s.tokens for s in reading(context(), 1)] == [["1"]]


def test_an_error_that_ends_reading_is_listed_with_the_others_unless_those_are_skipped():
    def broken(place):
        yield from place.each([1], lambda n: [Sentence([str(n)])])
        place.bad(DataError("first"))
        raise DataError("second")

    place = context()
    with pytest.raises(BadRecordsError) as error:
        list(complete(broken(place), place))
    assert [e.message for e in error.value.problems] == ["first", "second"]
    place = context(skip_bad=True)
    with pytest.raises(DataError) as ending:
        list(complete(broken(place), place))
    assert str(ending.value) == "second"
    assert place.report.counts["skipped", "bad record"] == 1


def test_a_label_that_is_none_is_a_bad_record():
    place = context()
    sentences = [Sentence(["a"], [Span(0, 1, "X"), Span(0, 1, "X ")], line=8), Sentence(["b"])]
    with pytest.raises(DataError, match="'X '") as error:
        list(complete(sentences, place))
    assert error.value.line == 8


def test_options():
    assert (Options().tokenizer, Options().inside_token, Options().skip_bad) == (
        "unicode",
        "split",
        False,
    )
    options = Options(settings={"b": "2", "a": "1"})
    options.check_settings("x.f", "f", ["a", "b", "c"])
    with pytest.raises(
        UsageError, match=r"x\.f: the format f has no setting a, b for reading"
    ) as error:
        options.check_settings("x.f", "f", [])
    assert error.value.hint == "its settings for reading: none"
    with pytest.raises(UsageError) as error:
        options.check_settings("x.f", "f", ["z", "y"])
    replace(options, is_shared=True).check_settings("x.f", "f", ["z", "y"])
    assert error.value.hint == "its settings for reading: y, z"
    assert options.choice("a", ("0", "1")) == "1"
    assert options.choice("q", ("0", "1")) == "0"
    with pytest.raises(UsageError, match="the setting b is '2'"):
        options.choice("b", ("0", "1"))


def test_reading_options():
    reading = ReadingOptions(tokenizer="ptb", skip_bad=True, settings={"a": "b"})
    assert reading.options == Options("ptb", "split", {"a": "b"}, True)
    assert reading.with_tokenizer("genia") is reading
    assert ReadingOptions().with_tokenizer("genia").options.tokenizer == "genia"
    assert ReadingOptions().options == Options()
    assert ReadingOptions().as_settings() == {}
    assert reading.as_settings() == {"tokenizer": "ptb", "skip_bad": True, "settings": {"a": "b"}}
    assert ReadingOptions(inside_token="widen").options.inside_token == "widen"
    ReadingOptions().check()
    for wrong in (ReadingOptions(tokenizer="none"), ReadingOptions(inside_token="none")):
        with pytest.raises(UsageError):
            wrong.check()


def test_a_corpus_is_read_with_its_options(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "Ada-Lovelace", "entities": []}\n', encoding="utf-8")
    assert [s.tokens for s in read_corpus(path, ReadingOptions(tokenizer="whitespace"))] == [
        ["Ada-Lovelace"]
    ]
    assert len(next(iter(read_corpus(path))).tokens) == 3
    with pytest.raises(UsageError, match="no setting typo"):
        read(path, options=Options(settings={"typo": "x"}))


def test_formats_are_found_by_name_alias_or_suffix(tmp_path):
    assert registry.get("iob").name == "columns"
    assert set(registry.all_names()) == {*registry.names(), *registry.ALIASES}
    with pytest.raises(UsageError, match="unknown format 'what'"):
        registry.get("what")
    outputs = {"a.jsonl": "native", "a.conllu.gz": "conllu", "a/": "brat", "a.csv": "table"}
    outputs |= {"a.labelstudio.json": "labelstudio"}
    assert {path: registry.for_output(path).name for path in outputs} == outputs
    with pytest.raises(DataError, match="cannot be detected") as error:
        registry.for_output("a.what")
    assert "--to" in (error.value.hint or "")
    unknown = tmp_path / "a.what"
    unknown.write_text("?", encoding="utf-8")
    with pytest.raises(DataError) as error:
        registry.guess(Source(unknown))
    assert "--from" in (error.value.hint or "")
    empty = tmp_path / "a.conllu"
    empty.write_text("", encoding="utf-8")
    assert registry.guess(Source(empty)).name == "conllu"


class _Minimal(Format):
    name = "minimal"
    reading_settings = ("r",)
    writing_settings = ("w",)
    holds = frozenset({"id"})

    def sniff(self, source):
        return False

    def sentences(self, source, context):
        yield Sentence([source.name, context.path])

    def save(self, sentences, path, context):
        context.lost("held", " ".join(sorted(context.holds)))


def test_a_format_checks_its_settings_and_knows_its_file(tmp_path):
    path = tmp_path / "x.y"
    path.touch()
    format, report = _Minimal(), Report()
    found = list(format.read(Source(path), Options(settings={"r": "1"}), report))
    assert [s.tokens for s in found] == [["x.y", str(path)]]
    format.write([], path, Options(settings={"w": "1"}), report)
    assert str(report.examples[0]) == f"{path}: lost: held: id"
    for use, wrong in ((format.read, "w"), (lambda *a: format.write([], *a), "r")):
        source = Source(path) if use == format.read else path
        with pytest.raises(UsageError, match=f"no setting {wrong}"):
            use(source, Options(settings={wrong: "1"}), report)
    assert format.variant("other") is format
    assert format.holds <= set(HOLDABLE)
    assert (format.extra, format.is_folder) == (None, False)
