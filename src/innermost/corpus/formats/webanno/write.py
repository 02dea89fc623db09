"""Write sentences as WebAnno TSV: one file per document."""

from __future__ import annotations

from innermost.corpus.formats.webanno.cells import NOTHING, escaped, escaped_text
from innermost.corpus.formats.webanno.layer import NAMED_ENTITY
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.utf16 import units_of

HEADER = f"#FORMAT=WebAnno TSV 3.3\n#T_SP={NAMED_ENTITY}|value\n\n"


class Writer:
    """Counts the sentences, the characters and the annotations of one document."""

    def __init__(self) -> None:
        self._sentences = 0
        self._position = 0
        self._annotations = 0

    def block(self, sentence: Sentence) -> str:
        self._sentences += 1
        labels: list[list[str]] = [[] for _ in sentence.tokens]
        for start, end, label in sorted(sentence.entities, key=lambda s: (s.start, -s.end)):
            self._annotations += 1
            for cell in labels[start:end]:
                cell.append(f"{escaped(label)}[{self._annotations}]")
        text = sentence.text if sentence.gaps is not None else sentence.text.removesuffix("\n")
        lines = [] if sentence.id is None else [f"#Sentence.id={escaped_text(sentence.id)}"]
        lines.append(f"#Text={escaped_text(text)}")
        position = self._position
        gaps = sentence.filled_gaps()
        for index, token in enumerate(sentence.tokens):
            start = position + units_of(gaps[index])
            position = start + units_of(token)
            lines.append(
                f"{self._sentences}-{index + 1}\t{start}-{position}\t{escaped_text(token)}\t"
                f"{'|'.join(labels[index]) or NOTHING}\t"
            )
        self._position += units_of(text) + (sentence.gaps is None)
        return "".join(f"{line}\n" for line in [*lines, ""])
