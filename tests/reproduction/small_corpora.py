"""Small corpora in the formats of the licensed ones, from sentences written for the tests."""

from __future__ import annotations

from pathlib import Path

from helpers.toy_corpus import bracketed, toy_sentences
from innermost import corpus
from innermost.corpus import Sentence

ACE = [
    "[PER the mayor of [GPE Lyon ] ] drove [VEH the red bus of [ORG the town council ] ] .",
    "[PER her sister ] crossed [FAC the bridge over [LOC the cold river ] ] .",
    "[PER the guard of [FAC the tower ] ] lost [WEA an old rifle ] .",
    "[ORG the council of [GPE the city of [GPE Ghent ] ] ] met on Monday .",
]
CONLL = [
    "[PER Maria ] left [LOC Oslo ] on Monday .",
    "[ORG Northern Rail ] hired [PER Jon Berg ] .",
    "the [MISC Nordic Cup ] begins in [LOC Turin ] .",
    "nobody in the village heard of it .",
]
TINY = [
    "--set=encoder.hidden=16",
    "--set=encoder.word_dimension=8",
    "--set=encoder.character_dimension=4",
    "--set=encoder.character_filters=8",
    "--set=encoder.dropout=0",
    "--set=training.optimizer=adamw",
    "--set=training.learning_rate=0.02",
    "--set=training.epochs=3",
    "--set=training.batch_tokens=200",
    "--set=training.threads=1",
    "--set=training.device=cpu",
]


def native_folder(folder: Path) -> Path:
    folder.mkdir()
    sentences = toy_sentences()
    for split, part in (("train", sentences), ("dev", sentences[:12]), ("test", sentences[12:24])):
        corpus.write(part, folder / f"{split}.jsonl")
    return folder


def conll_folder(folder: Path) -> Path:
    """With CoNLL-2003's file names."""
    folder.mkdir()
    sentences = [bracketed(text) for text in CONLL]
    for name, times in (("eng.train", 6), ("eng.testa", 1), ("eng.testb", 2)):
        corpus.write(sentences * times, folder / name, format="columns")
    return folder


def ace_folder(folder: Path) -> Path:
    """Pairs of files as in the LDC's release, and lists of the documents of each split."""
    sentences: list[Sentence] = []
    for number in range(6):
        for text in ACE:
            sentence = bracketed(text)
            sentence.doc = f"NW_{number}"
            sentences.append(sentence)
    corpus.write(sentences, folder / "ldc" / "English" / "nw", format="ace")
    splits = {"train": range(4), "dev": range(4, 5), "test": range(5, 6)}
    for split, numbers in splits.items():
        (folder / f"{split}.txt").write_text("".join(f"nw/NW_{n}\n" for n in numbers))
    return folder
