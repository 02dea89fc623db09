"""Systems to evaluate: models, or predictions in any corpus format."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import tee
from pathlib import Path

from innermost.corpus import Report, Sentence, Source, registry
from innermost.corpus.reading import ReadingOptions, read_corpus
from innermost.corpus.similarity import similar
from innermost.errors import DataError, UsageError
from innermost.evaluation.alignment import PredictedSentences, Predictions, SpanScores, align
from innermost.evaluation.counts import Evaluation
from innermost.evaluation.document_order import in_gold_order
from innermost.evaluation.raw_text import RawText
from innermost.files.compression import SUFFIXES
from innermost.model_folder.info import FILE as MODEL
from innermost.model_folder.info import SEPARATOR, read_info
from innermost.model_folder.installed import installed, locate
from innermost.model_folder.layers import layer_of, select_types
from innermost.nest import Span
from innermost.plurals import count


def is_prediction_file(system: str | Path) -> bool:
    """Whether it contains predictions: a file, the name of one, or a corpus folder.

    A folder contains predictions if it is not a model and looks like a corpus, as brat folders do.
    """
    path = Path(system)
    if not path.is_dir():
        is_named = path.suffix in SUFFIXES or registry.for_name(path.name) is not None
        return path.is_file() or is_named
    if any((folder / MODEL).exists() for folder in (path, path / "model")):
        return False
    try:
        return bool(registry.guess(Source(path)))
    except DataError:
        return False


def tokenizers(systems: Iterable[str | Path]) -> dict[str, str]:
    """The names of the tokenizers of the systems that are models."""
    models = (system for system in systems if not is_prediction_file(system))
    return {str(model): read_info(locate(model)).tokenizer for model in models}


def read_gold(
    data: str | Path,
    systems: Iterable[str | Path],
    reading: ReadingOptions,
    report: Report,
    *,
    layer: str | None = None,
    types: Collection[str] | None = None,
) -> Iterator[Sentence]:
    """The gold data for one layer of annotation of the models among ``systems``.

    Data whose labels have the prefixes of the models' layers is reduced to the labels of that
    layer, without the prefix. Other data is assumed to annotate just this layer. With
    ``types``, it is reduced to these. Data without sentences is an error, and so are ``types`` of
    which neither the data nor a system has any.
    """
    if not Path(data).exists() and str(data) in installed():
        raise UsageError(
            f"{data} is a model, not data",
            hint="the data comes last: innermost evaluate MODEL DATA",
        )
    systems = list(systems)
    models = [system for system in systems if not is_prediction_file(system)]
    known = {name for model in models for name in read_info(locate(model)).layers}
    sentences = some_sentences(data, reading, report)
    if known:
        again: Iterable[Sentence]
        if str(data) == "-":  # it can be read only once
            sentences = iter(again := list(sentences))
        else:
            again = read_corpus(data, reading)
        if _has_layers(again, known):
            sentences = _of_layer(sentences, layer, known)
    if types is None:
        return sentences
    return _checked(sentences, types, lambda: _labels(systems, layer))


def _checked(
    sentences: Iterable[Sentence], types: Collection[str], predicted: Callable[[], set[str]]
) -> Iterator[Sentence]:
    """The sentences with only the entities of ``types``, of which they or the systems need one."""
    labels: set[str] = set()

    def noted() -> Iterator[Sentence]:
        for sentence in sentences:
            labels.update(entity.label for entity in sentence.entities)
            yield sentence

    yield from of_types(noted(), types)
    if labels.isdisjoint(types) and (known := labels | predicted()).isdisjoint(types):
        close = [name for label in types if (name := similar(label, sorted(known)))]
        raise UsageError(
            f"no entities of --types {','.join(types)}, in the data or in the predictions",
            hint=f"did you mean {','.join(close)}?"
            if close
            else f"the types are: {', '.join(sorted(known)) or 'none'}",
        )


def _labels(systems: Iterable[str | Path], layer: str | None) -> set[str]:
    """The types that models can predict and prediction files have."""
    labels: set[str] = set()
    for system in systems:
        if is_prediction_file(system):
            labels.update(entity.label for s in read_corpus(system) for entity in s.entities)
        else:
            labels |= _known(system, layer)
    return labels


def _known(model: str | Path, layer: str | None) -> set[str]:
    """The types of one layer of a model."""
    return set(select_types(read_info(locate(model)), layer=layer).values())


def of_types(sentences: Iterable[Sentence], types: Collection[str] | None) -> Iterator[Sentence]:
    """The sentences with only the entities of these types; None: all."""
    for sentence in sentences:
        if types is not None:
            kept = [entity for entity in sentence.entities if entity.label in types]
            sentence = replace(sentence, entities=kept)
        yield sentence


def _of_layer(
    sentences: Iterable[Sentence], layer: str | None, known: Collection[str]
) -> Iterator[Sentence]:
    """With the entities of one of the ``known`` layers, without its prefix."""
    prefix = "" if layer is None else f"{layer}{SEPARATOR}"
    for sentence in sentences:
        entities = [
            entity._replace(label=entity.label.removeprefix(prefix))
            for entity in sentence.entities
            if layer_of(entity.label, known) == layer
        ]
        yield replace(sentence, entities=entities)


def some_sentences(
    data: str | Path, reading: ReadingOptions | None = None, report: Report | None = None
) -> Iterator[Sentence]:
    """The sentences of a corpus; an error if it has none, because no score can be computed."""
    sentences = read_corpus(data, reading, report)
    first = next(sentences, None)
    if first is None:
        raise DataError("the data has no sentences", path=data)
    yield first
    yield from sentences


def _has_layers(sentences: Iterable[Sentence], known: Collection[str]) -> bool:
    return any(layer_of(entity.label, known) for s in sentences for entity in s.entities)


def may_be_seeds(systems: Iterable[str | Path]) -> bool:
    """Whether they can be runs of one kind: models trained alike, or nothing but files."""
    listed = list(systems)
    models = [system for system in listed if not is_prediction_file(system)]
    infos = [read_info(locate(model)) for model in models]
    kinds = [(info.types, info.encoder, info.training.get("fingerprints")) for info in infos]
    return not models or (len(models) == len(listed) and all(kind == kinds[0] for kind in kinds))


def warn_of_unknown_types(
    systems: Iterable[str | Path],
    labels: Iterable[str],
    report: Report,
    *,
    layer: str | None = None,
) -> None:
    """Report the gold ``labels`` that models cannot predict: their recall is 0."""
    listed = sorted(set(labels))
    for model in (system for system in systems if not is_prediction_file(system)):
        known = _known(model, layer)
        unknown = [label for label in listed if label not in known]
        if unknown:
            all_ = len(unknown) == len(listed)
            lacks = "knows none of the types" if all_ else "does not know all types"
            detail = f"unknown: {', '.join(unknown)}; known: {', '.join(sorted(known))}"
            report.add("warning", f"the model {model} {lacks} of the data", detail)


def warn_of_unannotated_types(
    systems: Iterable[str | Path],
    evaluations: Iterable[Evaluation],
    report: Report,
    *,
    layer: str | None = None,
) -> None:
    """Report data without most types of a model: all its predictions of these count as errors."""
    for model, evaluation in zip(systems, evaluations, strict=True):
        if is_prediction_file(model):
            continue
        known, counts = _known(model, layer), evaluation.types
        annotated = sorted(known & set(evaluation.gold_labels))
        errors = sum(counts[label].predicted for label in counts.keys() & known - {*annotated})
        if errors and annotated and len(annotated) < len(known) / 2:
            report.add(
                "warning",
                f"the data annotates only {len(annotated)} of the {len(known)} types of {model}",
                f"counted as errors: {count(errors, 'prediction')} of the others; --types "
                f"{','.join(annotated)} leaves them out",
            )


def warn_of_absent_types(
    types: Collection[str] | None, labels: Iterable[str], report: Report
) -> None:
    """Report those of the counted ``types`` that are not among the gold ``labels``.

    Without ``types``, report that there are no labels at all.
    """
    known = sorted(set(labels))
    if types is None and not known:
        detail = "all scores are 0, and every predicted entity counts as an error"
        report.add("warning", "the data has no entities", detail)
        return
    absent = [label for label in types or () if label not in known]
    if absent:
        detail = f"{', '.join(absent)}; it has {', '.join(known) or 'none'}"
        report.add("warning", "the data has no entities of some of --types", detail)


def side_by_side(
    systems: Sequence[str | Path],
    sentences: Iterable[Sentence],
    *,
    layer: str | None = None,
    types: Collection[str] | None = None,
    report: Report | None = None,
    raw_texts: Mapping[str, RawText] | None = None,
) -> Iterator[tuple[Sentence, list[SpanScores]]]:
    """Each gold sentence with the predictions of each of ``systems``, as a stream.

    A file or folder of predictions is read like any corpus, and what reading changed is counted in
    ``report``; its documents may be in another order if they are named. Anything else is the folder
    or name of a model, of which ``layer`` is used. Those among ``raw_texts`` find
    sentences and tokens themselves. With ``types``, other predictions are left out.
    """
    raw = raw_texts or {}
    gold, *copies = tee(sentences, len(systems) + 1)
    remaining = iter(copies)
    sources: list[Predictions] = [
        PredictedSentences(
            system, in_gold_order(next(remaining), read_corpus(system, report=report))
        )
        if is_prediction_file(system)
        else PredictedSentences(system, raw[str(system)].predict(next(remaining)))
        if str(system) in raw
        else _predict(system, next(remaining), layer)
        for system in systems
    ]
    rows = align(gold, sources)
    if types is None:
        return rows
    return ((sentence, [_of_types(spans, types) for spans in found]) for sentence, found in rows)


def _of_types(spans: SpanScores, types: Collection[str]) -> SpanScores:
    return {span: score for span, score in spans.items() if span.label in types}


def _predict(
    system: str | Path, sentences: Iterable[Sentence], layer: str | None
) -> Iterator[SpanScores]:
    # Prediction files need no runtime, and loading it takes time.
    from innermost.runtime import load

    for entities in load(system, layer=layer).predict_sentences(sentences):
        yield {Span(start, end, label): score for start, end, label, _, score in entities}
