"""The report as Markdown."""

from __future__ import annotations

from innermost.evaluation.analysis.error_analysis import KINDS
from innermost.evaluation.report.tables import Section, Table, sections
from innermost.evaluation.results import Results
from innermost.plurals import count


def document(results: Results) -> str:
    parts = [
        f"# Evaluation on {_escape(results.data)}",
        f"{count(results.sentences, 'sentence')}, fingerprint `{results.fingerprint}`.",
    ]
    parts += [_section(section) for section in sections(results)]
    parts.append("## Examples\n\nGold in [brackets], the prediction in {braces}.")
    for assessment, details in zip(results.assessments, results.details, strict=False):
        parts.append(f"### {_escape(assessment.name)}")
        for kind in KINDS:
            if examples := details.errors.examples[kind]:
                lines = [f"- {_escape(str(example))}" for example in examples]
                parts.append("\n".join([f"**{kind}**", "", *lines]))
    return "\n\n".join(parts) + "\n"


def _section(section: Section) -> str:
    parts = [f"## {section.title}", section.text, *map(table_markdown, section.tables)]
    return "\n\n".join(part for part in parts if part)


def table_markdown(table: Table) -> str:
    rows = [table.columns, ["---"] + ["---:"] * (len(table.columns) - 1)]
    rows += [[_escape(cell) for cell in row] for row in table.rows]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([f"**{_escape(table.caption)}**", "", *lines])


def _escape(text: str) -> str:
    for character in "\\`*_<>|":
        text = text.replace(character, "\\" + character)
    return text
