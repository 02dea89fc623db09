"""The training data of the model ``multilingual``: text and annotated sentences of many languages.

    python tools/multilingual_data.py CLONES GUM OUT [--no-text]

CLONES holds a clone of each repository named in ``multilingual_sources.py``, as OWNER+NAME; GUM is
its training data with names alone, as JSON lines. Writes OUT/sparse.jsonl, sentences with persons,
organizations and places; OUT/full.jsonl, with times and other names too; a few sentences of each
corpus in OUT/dev-sparse.jsonl and OUT/dev-full.jsonl; and OUT/text.txt.gz, tokenized sentences in
random order, for ``fasttext_vectors.py``.
"""

from __future__ import annotations

import argparse
import gzip
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.etree import ElementTree

from innermost import text
from innermost.corpus import Sentence, read, write
from innermost.nest import Span
from multilingual_sources import ANNOTATED, FICTION, FULL, OTHER, SPARSE, TYPE_OF, Annotated
from published_corpora import local
from repository_text import blobs, contents

TEXT_TOKENS = 2_500_000
"""Of each language, at most."""
DEV_SHARE, DEV_MOST = 0.03, 120
LONGEST, SHORTEST = 100, 3


def annotated(clones: Path, corpus: Annotated) -> Iterator[Sentence]:
    left = corpus.most
    for data in files(clones, corpus.repo, corpus.files):
        for sentence in corpus.sentences(data):
            if not SHORTEST <= len(sentence.tokens) <= LONGEST:
                continue
            left -= len(sentence.tokens)
            if left < 0:
                return
            yield Sentence(sentence.tokens, list(known(sentence.entities)))


def known(spans: Iterable[Span]) -> Iterator[Span]:
    """With our names of types; parts of compounds are entities, derived words are not."""
    seen = set()
    for span in spans:
        label = TYPE_OF.get(span.label.removesuffix("part"))
        if label and (named := Span(span.start, span.end, label)) not in seen:
            seen.add(named)
            yield named


def english(path: Path) -> list[Sentence]:
    other = dict.fromkeys(("event", "object", "abstract", "animal", "plant"), OTHER)
    return [
        Sentence(s.tokens, [Span(e.start, e.end, other.get(e.label, e.label)) for e in s.entities])
        for s in read(path)
    ]


def fiction(clones: Path, repo: str, pattern: str) -> Iterator[str]:
    """Tokenized sentences of novels and plays in TEI."""
    tokenizer = text.tokenizer("ud")
    left = TEXT_TOKENS
    for data in files(clones, repo, pattern):
        try:
            root = ElementTree.fromstring(data)
        except ElementTree.ParseError:
            continue
        for body in (e for e in root.iter() if local(e) == "body"):
            for paragraph in (e for e in body.iter() if local(e) in ("p", "l", "head")):
                line = " ".join("".join(paragraph.itertext()).split())
                for offsets in tokenizer.split(line):
                    yield " ".join(line[start:end] for start, end in offsets)
                    left -= len(offsets)
        if left < 0:
            return


def files(clones: Path, repo: str, pattern: str) -> Iterator[bytes]:
    """The files of a repository whose path matches, in a random order that is always the same."""
    folder = next(
        place
        for place in (clones / repo / "repo" / ".git", clones / repo / "repo", clones / repo)
        if place.exists()
    )
    # Paths are separated by NUL where they are searched, which a dot must not match.
    path = pattern.replace(".*", "[^\\0]*")
    objects = [name for name, *_ in blobs(str(folder), f"({path})")]
    random.Random(1).shuffle(objects)
    for _, data in contents(str(folder), objects):
        yield data


def split(sentences: Iterable[Sentence]) -> tuple[list[Sentence], list[Sentence]]:
    """For training and development."""
    shuffled = list(sentences)
    random.Random(1).shuffle(shuffled)
    held_out = min(int(DEV_SHARE * len(shuffled)), DEV_MOST)
    return shuffled[held_out:], shuffled[:held_out]


def write_annotated(options: argparse.Namespace) -> list[str]:
    """Write the four files; returns the sentences for training."""
    data: dict[str, list[Sentence]] = {"sparse": [], "full": [], "dev-sparse": [], "dev-full": []}
    own: Iterable[Sentence]
    for corpus in (*ANNOTATED, None):
        own = english(options.english) if corpus is None else annotated(options.clones, corpus)
        name = "GUM" if corpus is None else f"{corpus.repo} {corpus.files}"
        kind = "full" if corpus is not None and corpus.full else "sparse"
        train, dev = split(own)
        data[kind] += train
        data[f"dev-{kind}"] += dev
        tokens, entities = (
            sum(len(getattr(s, what)) for s in (*train, *dev)) for what in ("tokens", "entities")
        )
        print(f"{name}: {len(train) + len(dev):,} sentences, {tokens:,} tokens, {entities:,} names")
    for name, sentences in data.items():
        random.Random(1).shuffle(sentences)
        types = FULL if name.endswith("full") else SPARSE
        kept = (Sentence(s.tokens, [e for e in s.entities if e.label in types]) for s in sentences)
        write(kept, options.out / f"{name}.jsonl")
    return [" ".join(s.tokens) for s in (*data["sparse"], *data["full"])]


def main() -> None:
    shape = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=shape)
    parser.add_argument("clones", type=Path, metavar="CLONES")
    parser.add_argument("english", type=Path, metavar="GUM")
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("--no-text", action="store_true", help="only the annotated sentences")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    lines = write_annotated(options)
    if options.no_text:
        return
    for repo, pattern in FICTION.items():
        own = list(fiction(options.clones, repo, pattern))
        print(f"{repo}: {len(own):,} sentences, {sum(map(len, own)):,} characters")
        lines += own
    random.Random(1).shuffle(lines)
    with gzip.open(
        *(options.out / "text.txt.gz", "wt"), compresslevel=1, encoding="utf-8", newline="\n"
    ) as file:
        file.writelines(line + "\n" for line in lines)


if __name__ == "__main__":
    main()
