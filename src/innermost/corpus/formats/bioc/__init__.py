"""BioC, as XML and as JSON: documents of passages with annotations, by character offset::

    <collection><document><id>26094</id><passage><offset>0</offset>
      <text>IL-2 gene</text>
      <annotation id="1"><infon key="type">DNA</infon>
        <location offset="0" length="9"/><text>IL-2 gene</text></annotation>
    </passage></document></collection>

``structure`` is what both have in common, ``meaning`` turns it into sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from innermost.corpus.context import Context
from innermost.corpus.format import Format
from innermost.corpus.formats.bioc.json import are_bioc, json_sentences, write_json
from innermost.corpus.formats.bioc.xml import is_bioc, write_xml, xml_sentences
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.discontinuous import SETTING, check_choice
from innermost.files.source import Source, plain_name


class _BioC(Format):
    name = "bioc"
    description = "BioC XML and JSON, as from PubTator 3 and in BC5CDR and NLM-Chem"
    suffixes = (".bioc.xml", ".bioc.json")
    holds = frozenset({"crossings", "duplicates", "gaps", "doc"})
    reading_settings = ("sentences", SETTING)
    writing_settings = ("sentences",)

    def sniff(self, source: Source) -> bool:
        return is_bioc(source) or are_bioc(source)

    def sentences(self, source: Source, context: Context) -> Iterator[Sentence]:
        check_choice(context)
        read = xml_sentences if is_bioc(source) else json_sentences
        return read(source, context)

    def save(self, sentences: Iterable[Sentence], path: Path | str, context: Context) -> None:
        is_json = plain_name(str(path)).endswith((".json", ".jsonl"))
        write = write_json if is_json else write_xml
        write(sentences, path, context)


FORMAT = _BioC()
