from __future__ import annotations

import json
from collections import Counter

import pytest

from innermost.corpus.quality.checks import check
from innermost.errors import UsageError

GOOD = {"tokens": ["Bob", "left", "."], "entities": [[0, 1, "PER"]], "doc": "g"}


def findings(tmp_path, *splits):
    paths = []
    for number, lines in enumerate(splits):
        path = tmp_path / f"{number}.jsonl"
        path.write_text("".join((x if isinstance(x, str) else json.dumps(x)) + "\n" for x in lines))
        paths.append(path)
    return check(paths)


def cases(report, severity="warning"):
    return {what: count for (kind, what), count in report.counts.items() if kind == severity}


def many(count=20):
    return [{"tokens": ["Bob", "left", str(n)], "entities": [[0, 1, "PER"]]} for n in range(count)]


def test_a_clean_corpus_has_no_findings(tmp_path):
    assert not findings(tmp_path, many()).counts


def test_predictions_that_nobody_corrected_are_a_warning(tmp_path):
    corrected, *predicted = many()
    for record in predicted:
        record["entities"] = [[0, 1, "PER", 0.9]]
    assert not findings(tmp_path, [corrected, *predicted]).counts
    assert cases(findings(tmp_path, predicted)) == {"uncorrected predictions": 1, "rare type": 1}


def test_every_bad_line_is_named(tmp_path):
    bad = ["{", '{"tokens": []}', {"tokens": ["a"], "entities": [[0, 2, "X"]]}]
    report = findings(tmp_path, [GOOD, *bad, *many()])
    assert cases(report, "error") == {"bad data": 3}
    assert [e.line for e in report.examples if e.kind == "error"] == [2, 3, 4]


def test_every_finding_can_be_listed(tmp_path):
    path = tmp_path / "a.jsonl"
    slips = [{"tokens": ["so", "Bob", "left"], "entities": []}] * 30
    rows = [*many(600), *slips, {"tokens": ["a", "a"], "entities": [[0, 3, "X"]]}]
    bad = ["{"] * 1500
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + "\n".join(bad))
    few, every = check([path]), check([path], all=True)
    assert few.counts == every.counts
    assert len(few.examples) < 50
    listed = Counter((event.kind, event.what) for event in every.examples)
    assert listed == every.counts
    assert listed["error", "bad data"] == 1501
    assert listed["warning", "likely annotation error"] == 30


def test_an_empty_or_missing_file_is_an_error(tmp_path):
    report = findings(tmp_path, [])
    assert "no sentences" in cases(report, "error")
    report = check([tmp_path / "none.jsonl"])
    assert cases(report, "error") == {"bad data": 1, "no sentences": 1}


def test_oddities_within_a_sentence(tmp_path):
    odd = [
        {"tokens": ["a"] * 201, "entities": [[0, 26, "PER"]]},
        {"tokens": ["b", " "], "entities": [[0, 1, "PER"], [0, 1, "PER"]]},
        {"tokens": list("cde"), "entities": [[0, 2, "PER"], [1, 3, "PER"]]},
    ]
    report = findings(tmp_path, [*odd, *many()])
    long = next(event for event in report.examples if event.what == "long sentence")
    assert long.detail.endswith("if it is several sentences, divide it")
    assert cases(report) == {
        "long sentence": 1,
        "long entity": 1,
        "blank or control characters in a token": 1,
        "duplicate entity": 1,
        "crossing entities of one type": 1,
    }


def test_crossings_of_two_types_are_fine(tmp_path):
    fine = {"tokens": list("cde"), "entities": [[0, 2, "PER"], [1, 3, "LOC"]]}
    assert "crossing entities of one type" not in cases(findings(tmp_path, [fine]))


def test_what_splits_share(tmp_path):
    other = {**GOOD, "entities": []}
    report = findings(tmp_path, [GOOD, *many()], [other, *many()[:1]])
    found = cases(report)
    assert found["sentence in two files"] == 2
    assert found["document in two files"] == 1
    assert found["same sentence, different entities"] == 1
    event = next(e for e in report.examples if e.what == "same sentence, different entities")
    assert event.path.endswith("1.jsonl")
    assert event.line == 1
    assert "0.jsonl:1" in event.detail


def test_where_an_entity_of_the_same_sentence_is_missing(tmp_path):
    without = {**GOOD, "entities": []}
    report = findings(tmp_path, [GOOD], [without], many())
    (detail,) = [e.detail for e in report.examples if "same sentence" in e.what]
    assert detail == f"PER 'Bob' is in {tmp_path / '0.jsonl'}:1, but not here"


def test_types(tmp_path):
    dev = {"tokens": ["in", "Oslo"], "entities": [[1, 2, "LOC"], [0, 1, "per"]]}
    report = findings(tmp_path, many(), [dev])
    assert cases(report) == {
        "rare type": 2,
        "type missing in a file": 3,
        "types with similar names": 1,
    }
    assert cases(findings(tmp_path, [{"tokens": ["a"], "entities": []}])) == {"no entities": 1}


def test_one_mention_is_not_several(tmp_path):
    report = findings(tmp_path, [GOOD])
    assert "PER: 1 mention in total" in [event.detail for event in report.examples]


def test_records_without_entities_are_warned_about_and_misspelled_ones_are_errors(tmp_path):
    records = [*many(), {"tokens": ["a"]}, {"tokens": ["Bob"], "entites": [[0, 1, "PER"]]}]
    report = findings(tmp_path, records)
    assert cases(report)["odd while reading: record without entities"] == 1
    (event,) = [e for e in report.examples if e.kind == "error"]
    assert event.line == len(records)
    assert 'did you mean "entities"?' in event.detail


def test_mixed_unicode_forms(tmp_path):
    composed = [{"tokens": ["café", str(n)], "entities": [[0, 1, "PER"]]} for n in range(20)]
    decomposed = [{"tokens": [f"cafe\u0301{n % 4}"], "entities": []} for n in range(9)]
    assert "mixed Unicode forms" not in cases(findings(tmp_path, composed))
    report = findings(tmp_path, [*composed, *decomposed], composed, decomposed[:1])
    assert cases(report)["mixed Unicode forms"] == 2
    first, other = [e for e in report.examples if e.what == "mixed Unicode forms"]
    assert first.path.endswith("0.jsonl")
    assert other.path.endswith("2.jsonl")
    assert first.detail.startswith("9 decomposed tokens, such as 'cafe\u03010', 'cafe\u03011', ")
    assert "and 40 composed ones in all: normalize" in first.detail
    assert other.detail.startswith("1 decomposed token, such as ")


def garbled(*tokens):
    return [token.encode().decode("latin-1") for token in tokens]


GARBLED = "UTF-8 that was read in another encoding"


def test_utf8_that_was_read_as_latin1(tmp_path):
    rows = [
        {"tokens": [*garbled("año", "Perú"), "in", str(n)], "entities": [[0, 1, "X"]]}
        for n in range(20)
    ]
    valid = {"tokens": ["café", "JOSÉ”", "Ð"], "entities": []}
    report = findings(tmp_path, [*rows, valid])
    assert cases(report)[GARBLED] == 1
    (event,) = [e for e in report.examples if e.what == GARBLED]
    assert event.detail == (
        "41 tokens, such as 'aÃ±o' for 'año': use the original text, or convert it back: "
        "iconv -f UTF-8 -t CP1252"
    )
    few = {"tokens": garbled("año", "año"), "entities": []}
    assert GARBLED not in cases(findings(tmp_path, [few, *many()]))
    enough = {"tokens": garbled("año"), "entities": []}
    assert cases(findings(tmp_path, [few, enough, *many()]))[GARBLED] == 1


def test_valid_text_is_not_garbled(tmp_path):
    texts = [
        "año más está",
        "Äpfel Öl Übung Straße",
        "Москва Київ",
        "東京 北京",
        "Ελλάδα",
        "“ ” – €",
    ]
    texts += ["Ã Â É Í", "JOSÉ” cafés años niños"]
    rows = [{"tokens": text.split(), "entities": []} for text in texts for _ in range(9)]
    assert GARBLED not in cases(findings(tmp_path, rows))


def test_likely_slips(tmp_path):
    slips = [
        {"tokens": ["so", "Bob", "left"], "entities": []},
        {"tokens": ["but", "Bob", "left"], "entities": [[1, 2, "LOC"]]},
        # Inside another entity it may be unlabeled.
        {"tokens": ["wife", "of", "Bob"], "entities": [[0, 3, "PER"]]},
    ]
    report = findings(tmp_path, [*many(30), *slips])
    found = [e for e in report.examples if e.what == "likely annotation error"]
    assert sorted(e.line for e in found) == [31, 32]
    assert cases(report)["likely annotation error"] == 2
    assert "'Bob' is PER in 30 of 32 places" in found[0].detail


def test_a_string_that_is_often_unlabelled_is_no_slip(tmp_path):
    without = [{"tokens": ["so", "Bob", str(n)], "entities": []} for n in range(10)]
    assert "likely annotation error" not in cases(findings(tmp_path, [*many(), *without]))


def test_what_reading_changed_is_a_warning(tmp_path):
    (tmp_path / "a.conll").write_text("Bob\tB-PER\nleft\tI-LOC\n")
    report = check([tmp_path / "a.conll"])
    assert "odd while reading: tag without a beginning" in cases(report)


def test_annotation_that_marks_no_entities_is_one_note_for_each_kind(tmp_path):
    (tmp_path / "a.txt").write_text("Ada met Bob .")
    lines = ["T1\tPER 0 3\tAda", "T2\tPER 8 11\tBob"]
    lines += [f"R{n}\tMET Arg1:T1 Arg2:T2" for n in range(30)]
    lines += ["#1\tAnnotatorNotes T1\tsure?"]
    (tmp_path / "a.ann").write_text("\n".join(lines))
    findings = check([tmp_path])
    notes = [str(event) for event in findings.examples if event.kind == "note"]
    said = "note: not read, because it marks no entities"
    assert notes == [
        f"{tmp_path / 'a.ann'}:3: {said}: relation (30, the first here)",
        f"{tmp_path / 'a.ann'}:33: {said}: note (1)",
    ]
    assert not any("relation" in what for kind, what in findings.counts if kind == "warning")


def test_standard_input_is_refused():
    with pytest.raises(UsageError, match="twice"):
        check(["-"])


def test_tokens_that_all_end_in_a_digit(tmp_path):
    marked = [{"tokens": [f"a{n % 3}", "她1", "0", "10"], "entities": []} for n in range(10)]
    assert "tokens end in digits" not in cases(findings(tmp_path, marked))
    marked = [{"tokens": [f"{c}{n % 3}" for c in "她住在巴黎"], "entities": []} for n in range(30)]
    report = findings(tmp_path, marked)
    assert cases(report)["tokens end in digits"] == 1
    (event,) = [e for e in report.examples if e.what == "tokens end in digits"]
    assert event.detail.startswith("150 of 150 tokens, such as 她0 住0 在0")
    numbers = [{"tokens": ["1984", "a", "b", "7"], "entities": []} for _ in range(100)]
    assert "tokens end in digits" not in cases(findings(tmp_path, numbers))


def test_words_that_are_joined_by_underscores(tmp_path):
    joined = [{"tokens": ["Bà", "sống", "ở", "thành_phố", "Huế"], "entities": []}] * 30
    report = findings(tmp_path, joined)
    assert cases(report)["underscores in tokens"] == 1
    (event,) = [e for e in report.examples if e.what == "underscores in tokens"]
    assert event.detail.startswith("30 of 150 tokens, such as thành_phố")
    names = [{"tokens": ["@jo_42", *"abcdefghijklmnopqrstuvwxyz"], "entities": []}] * 30
    assert "underscores in tokens" not in cases(findings(tmp_path, names))


def test_a_repeated_file_is_reported_and_checked_once(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in many()))
    report = check([path, f"{tmp_path}/../{tmp_path.name}/a.jsonl"])
    assert cases(report) == {"repeated file": 1}
    assert str(path) in report.examples[0].detail


def test_findings_name_the_document_of_a_folder(tmp_path):
    for name, text, label in (("a", "Bob left .", "PER"), ("b", "Bob left .", "LOC")):
        (tmp_path / f"{name}.txt").write_text(text)
        (tmp_path / f"{name}.ann").write_text(f"T1\t{label} 0 3\tBob\n" * 2)
    report = check([tmp_path])
    details = {event.what: event.detail for event in report.examples}
    assert details["duplicate entity"].startswith("document 'b': LOC 'Bob', 2 times")
    assert details["same sentence, different entities"] == (
        f"document 'b': LOC 'Bob' is here, but not in {tmp_path}, document 'a'"
    )


def test_findings_name_the_record_of_an_array(tmp_path):
    path = tmp_path / "a.json"
    rows = [*many(30), {"tokens": ["so", "Bob", "left"], "entities": []}, {**GOOD, "entities": []}]
    path.write_text(json.dumps([*rows, GOOD]))
    report = check([path])
    slips = [e.detail for e in report.examples if e.what == "likely annotation error"]
    assert [slip.split(":")[0] for slip in slips] == ["record 31", "record 32"]
    details = {event.what: event.detail for event in report.examples}
    assert details["same sentence, different entities"] == (
        f"record 33: PER 'Bob' is here, but not in {path}:1, record 32"
    )
