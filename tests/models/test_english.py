"""The shipped model for general English on forty everyday sentences."""

from __future__ import annotations

import pytest

import innermost
from innermost.model_folder.installed import installed
from models.everyday_sentences import compare, read_sentences

TYPES = {
    "person", "organization", "place", "event", "time",
    "object", "abstract", "animal", "plant", "substance",
}  # fmt: skip


def test_the_sentences_are_what_they_should_be() -> None:
    sentences = read_sentences()
    assert len(sentences) == 40
    assert {s["domain"] for s in sentences} >= {
        "news", "business", "sport", "law", "medicine", "science", "travel", "chat",
    }  # fmt: skip
    for sentence in sentences:
        for entity in sentence["expected"]:
            assert set(entity["types"]) <= TYPES
            assert all(text in sentence["text"] for text in entity["text"])
        for entity in sentence["never"]:
            assert entity["type"] in TYPES
            assert entity["text"] in sentence["text"]


def test_comparing_counts_what_is_missing_and_what_is_absurd() -> None:
    sentence = {
        "text": "The Bank of England called Google's lawyers.",
        "expected": [
            {"text": ["Bank of England"], "types": ["organization"]},
            {"text": ["England"], "types": ["place"]},
            {"text": ["Google"], "types": ["organization"]},
        ],
        "never": [{"text": "Google", "type": "person"}],
    }
    right = [("The Bank of England", "organization"), ("England", "place")]
    outcome = compare([sentence], [[*right, ("Google's", "organization")]])
    assert (outcome.recall, outcome.missing, outcome.absurd) == (1.0, [], [])
    outcome = compare([sentence], [[*right, ("Google's", "person")]])
    assert outcome.recall == pytest.approx(2 / 3)
    assert len(outcome.missing) == len(outcome.absurd) == 1
    assert outcome.missing[0].startswith("organization: Google |")


def test_nine_in_ten_are_found_and_nothing_absurd() -> None:
    """The card lists the failures."""
    model = innermost.load("english")
    sentences = read_sentences()
    documents = [model(sentence["text"]) for sentence in sentences]
    outcome = compare(sentences, [[(e.text, e.label) for e in d.entities] for d in documents])
    assert not outcome.absurd, "\n".join(outcome.absurd)
    assert outcome.recall >= 0.9, "\n".join(outcome.missing)


def test_it_is_the_default() -> None:
    assert innermost.load().folder == installed()["english"]


def test_mentions_are_a_layer_of_their_own() -> None:
    text = "The old mayor of Paris met her sister."
    names = innermost.load("english")(text)
    mentions = innermost.load("english", layer="mentions")(text)
    assert [(e.text, e.label) for e in names.entities] == [("Paris", "place")]
    assert [(e.text, e.label) for e in mentions.entities] == [
        ("The old mayor of Paris", "person"),
        ("Paris", "place"),
        ("her sister", "person"),
        ("her", "person"),
    ]


def test_people_are_found_after_a_role() -> None:
    """As news introduces them; GUM, which the model was trained on, has no names for them."""
    organizations = ["Intel", "Princeton", "Bloomberg", "Portugal", "Pfizer"]
    roles = ["founder", "analyst", "reporter", "coach", "spokesman", "economist", "treasurer"]
    people = ["Bill Gates", "Claudia Goldin", "Jane Smith", "Luis Enrique", "Ayesha Khan"]
    cases = [
        (f"{organization} {role} {person} spoke on Monday.", person)
        for organization in organizations
        for role in roles
        for person in people
    ]
    documents = innermost.load("english").pipe([text for text, _ in cases])
    found = [
        (person, "person") in {(e.text, e.label) for e in document.entities}
        for (_, person), document in zip(cases, documents, strict=True)
    ]
    assert sum(found) >= 0.85 * len(cases)
