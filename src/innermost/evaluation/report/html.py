"""The report as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

from innermost.evaluation.alignment import SpanScores
from innermost.evaluation.analysis.error_analysis import KINDS
from innermost.evaluation.report import plots
from innermost.evaluation.report.tables import Section, Table, sections
from innermost.evaluation.results import Results, Shown
from innermost.nest import Span
from innermost.plurals import count
from innermost.rendering.boxes import Box, boxes, legend, style

_MOST_BYTES = 4_500_000
"""The most bytes of drawn sentences, so that a phone can open the page."""


def page(results: Results) -> str:
    parts = sections(results)
    links = [(part.id, part.title) for part in parts] + [("sentences", "Sentences")]
    here = files("innermost.evaluation.report")
    title = f"Evaluation on {results.data}"
    content = "".join(_section(part, results) for part in parts)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<style>{(here / "page.css").read_text(encoding="utf-8")}{style(_labels(results))}</style>
</head>
<body>
<a class="skip" href="#overall">Skip to the results</a>
<header>
<h1>{escape(title)}</h1>
<p>{count(results.sentences, "sentence")}, fingerprint <code>{results.fingerprint}</code>.
{escape(_system_names(results))}</p>
<nav aria-label="Sections"><ul>{"".join(f'<li><a href="#{i}">{t}</a></li>' for i, t in links)}</ul>
</nav>
</header>
<main>
{content}
{_sentences(results)}
</main>
<script>{(here / "page.js").read_text(encoding="utf-8")}</script>
</body>
</html>
"""


def _system_names(results: Results) -> str:
    names = [assessment.name for assessment in results.assessments]
    return f"{'System' if len(names) == 1 else 'Systems'}: {', '.join(names)}."


def _section(section: Section, results: Results) -> str:
    text = f"<p>{escape(section.text)}</p>" if section.text else ""
    return (
        f'<section id="{section.id}" aria-labelledby="{section.id}-title">'
        f'<h2 id="{section.id}-title">{escape(section.title)}</h2>{text}'
        f'{_plots(section.id, results)}<div class="tables">'
        f"{''.join(map(_table, section.tables))}</div></section>\n"
    )


def _plots(section: str, results: Results) -> str:
    if section == "levels":
        drawn = plots.levels(results, gold=True) + plots.levels(results, gold=False)
    elif section == "calibration":
        drawn = plots.reliability(results) + plots.precision_recall(results)
    else:
        return ""
    return f'{plots.legend(results)}<div class="plots">{drawn}</div>'


def _table(table: Table) -> str:
    caption = escape(table.caption)
    of_words = {i for row in table.rows for i, cell in enumerate(row) if i and _is_words(cell)}
    head = "".join(_cell(c, i in of_words, "th", "col") for i, c in enumerate(table.columns))
    rows = "".join(_row(row, of_words) for row in table.rows)
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{caption}"><table>'
        f"<caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody>"
        "</table></div>"
    )


def _row(row: Sequence[str], of_words: set[int]) -> str:
    first, *rest = row
    cells = "".join(_cell(cell, i in of_words) for i, cell in enumerate(rest, start=1))
    return f"<tr>{_cell(first, False, 'th', 'row')}{cells}</tr>"


def _cell(text: str, of_words: bool, tag: str = "td", scope: str = "") -> str:
    attributes = f' scope="{scope}"' if scope else ""
    attributes += ' class="words"' if of_words else ""
    return f"<{tag}{attributes}>{escape(text)}</{tag}>"


def _is_words(cell: str) -> bool:
    return len(cell.split()) > 2 and not cell[0].isdigit()


def _sentences(results: Results) -> str:
    articles = _articles(results)
    shown = len(articles)
    text = f"{results.with_errors:,} of {results.sentences:,} sentences have an error. "
    if shown < results.with_errors:
        text += f"The first {shown:,} of them are drawn here. "
    text += (
        "Correct boxes are gray. A dashed box is an entity that was not found, "
        "or a wrong prediction."
    )
    labels = _labels(results)
    return (
        '<section id="sentences" class="innermost" aria-labelledby="sentences-title">'
        f'<h2 id="sentences-title">Sentences with errors</h2><p>{text}</p>'
        f"{legend(labels, labels)}{_filters(results)}"
        f'<p id="count" aria-live="polite"></p>{"".join(articles)}</section>'
    )


def _articles(results: Results) -> list[str]:
    """The kept sentences, as far as the page's size allows."""
    articles: list[str] = []
    size = 0
    for item in results.shown:
        article = _article(item, results)
        size += len(article.encode())
        if size > _MOST_BYTES:
            break
        articles.append(article)
    return articles


def _filters(results: Results) -> str:
    kinds = [k for k in KINDS if any(d.errors.kinds[k] for d in results.details)]
    return (
        '<form id="filters" hidden role="search" aria-label="Filter the sentences">'
        f"<label>Error {_select('kind', kinds)}</label>"
        f"<label>Type {_select('type', _labels(results))}</label>"
        '<label>Text <input id="words" type="search" placeholder="words in the sentence"></label>'
        "</form>"
    )


def _labels(results: Results) -> list[str]:
    return sorted({label for a in results.assessments for label in a.evaluation.types})


def _select(name: str, values: Sequence[str]) -> str:
    options = "".join(f"<option>{escape(value)}</option>" for value in values)
    return f'<select id="{name}"><option value="">any</option>{options}</select>'


def _article(item: Shown, results: Results) -> str:
    errors = [error for of_system in item.errors for error in of_system]
    kinds = list(dict.fromkeys(error.kind for error in errors))
    labels = {span.label for error in errors for span in (error.gold, error.predicted) if span}
    doc = f", document {escape(item.sentence.doc)}" if item.sentence.doc else ""
    rows = [_gold_row(item, results)]
    for assessment, predicted in zip(results.assessments, item.predicted, strict=True):
        name = assessment.name if len(results.assessments) > 1 else "Predicted"
        rows.append(_predicted_row(item, name, predicted, results))
    return (
        f'<article data-kinds="{escape("|".join(kinds))}" '
        f'data-types="{escape("|".join(sorted(labels)))}">'
        f"<h3>Sentence {item.number:,}{doc} <small>{escape(', '.join(kinds))}</small></h3>"
        f"{''.join(rows)}</article>\n"
    )


def _gold_row(item: Shown, results: Results) -> str:
    systems = len(item.predicted)

    def box(span: Span) -> Box:
        finders = sum(span in predicted for predicted in item.predicted)
        if finders == systems:
            return Box(*span, kind="quiet")
        who = "not found" if systems == 1 else f"found by {finders} of {systems}"
        return Box(*span, kind="missed", note=who)

    return _line("Gold", item, map(box, dict.fromkeys(item.sentence.entities)), results)


def _predicted_row(item: Shown, name: str, predicted: SpanScores, results: Results) -> str:
    gold = set(item.sentence.entities)

    def box(span: Span) -> Box:
        score = predicted[span]
        shown = span.label if score is None else f"{span.label} {score:.2f}"
        if span in gold:
            return Box(*span, shown, kind="quiet")
        return Box(*span, shown, kind="wrong", note="wrong")

    return _line(name, item, map(box, predicted), results)


def _line(name: str, item: Shown, drawn: Iterable[Box], results: Results) -> str:
    """A row; the boxes have token offsets."""
    offsets = item.sentence.token_offsets()
    placed = [
        box._replace(start=offsets[box.start][0], end=offsets[box.end - 1][1]) for box in drawn
    ]
    text = boxes(item.sentence.text.rstrip("\n"), placed, _labels(results))
    return f'<div class="row"><h4>{escape(name)}</h4>{text}</div>'
