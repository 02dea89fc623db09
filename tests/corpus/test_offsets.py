"""Character offsets that do not fit the words."""

import json

import pytest

from innermost.corpus.quality.checks import check


def written(path, shift):
    """Ten texts, each with an entity whose end is moved."""
    texts = [f"Nobody knows that Bob{number} left." for number in range(10)]
    entities = [{"start": 18, "end": 22 + shift, "label": "PER"}]
    records = [json.dumps({"text": text, "entities": entities}) for text in texts]
    path.write_text("\n".join(records) + "\n")
    return path


@pytest.mark.parametrize("shift", [-1, -2, 1])
def test_ends_inside_words_are_doubtful(tmp_path, shift):
    report = check([written(tmp_path / "x.jsonl", shift)])
    details = [event.detail for event in report.examples if event.what == "doubtful offsets"]
    if shift > 0:
        assert not details
    else:
        assert [detail.split(":")[0] for detail in details] == [
            "10 of 10 entities begin or end inside a token"
        ]
