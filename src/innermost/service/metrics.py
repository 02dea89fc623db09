"""Counters and histograms in Prometheus' text format."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
SENTENCES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 16384)
TOKENS = (16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 32768, 131072, 524288)

Labels = tuple[tuple[str, str], ...]


class Counter:
    kind = "counter"

    def __init__(self, name: str, help: str, *, labeled: bool = False) -> None:
        """Without labels it is there from the start, so that its first increase is seen."""
        self.name, self.help = name, help
        self._values: dict[Labels, float] = {} if labeled else {(): 0}

    def add(self, amount: float = 1, **labels: str) -> None:
        key = tuple(labels.items())
        self._values[key] = self._values.get(key, 0) + amount

    def value(self, **labels: str) -> float:
        return self._values.get(tuple(labels.items()), 0)

    def lines(self) -> Iterator[str]:
        for labels, value in self._values.items():
            yield f"{self.name}{_labels(labels)} {_number(value)}"


class Gauge:
    """A value that is read on demand."""

    kind = "gauge"

    def __init__(self, name: str, help: str, value: Callable[[], float]) -> None:
        self.name, self.help = name, help
        self._value = value

    def lines(self) -> Iterator[str]:
        yield f"{self.name} {_number(self._value())}"


class Histogram:
    kind = "histogram"

    def __init__(self, name: str, help: str, bounds: Iterable[float]) -> None:
        self.name, self.help = name, help
        self._bounds = tuple(bounds)
        self._counts: dict[Labels, list[int]] = {}
        self._sums: dict[Labels, float] = {}

    def observe(self, value: float, **labels: str) -> None:
        key = tuple(labels.items())
        counts = self._counts.get(key)
        if counts is None:
            counts = self._counts[key] = [0] * (len(self._bounds) + 1)
            self._sums[key] = 0.0
        counts[bisect_left(self._bounds, value)] += 1
        self._sums[key] += value

    def lines(self) -> Iterator[str]:
        for labels, counts in self._counts.items():
            total = 0
            for bound, count in zip((*self._bounds, None), counts, strict=True):
                total += count
                le = "+Inf" if bound is None else _number(bound)
                yield f"{self.name}_bucket{_labels((*labels, ('le', le)))} {total}"
            yield f"{self.name}_sum{_labels(labels)} {_number(self._sums[labels])}"
            yield f"{self.name}_count{_labels(labels)} {total}"


class Metrics:
    """Everything that the service counts."""

    def __init__(self) -> None:
        self.requests = Counter(
            "innermost_requests_total", "Requests by route and outcome ('ok' or the error type).",
            labeled=True,
        )  # fmt: skip
        self.request_seconds = Histogram(
            "innermost_request_seconds", "From the head of a request to the end of its response.",
            SECONDS,
        )  # fmt: skip
        self.queue_seconds = Histogram(
            "innermost_queue_seconds", "From the queue to the worker, by request.", SECONDS
        )
        self.stage_seconds = Histogram(
            "innermost_stage_seconds", "Time of a batch in each stage of the model.", SECONDS
        )
        self.batch_sentences = Histogram(
            "innermost_batch_sentences", "Sentences in a batch.", SENTENCES
        )
        self.batch_tokens = Histogram("innermost_batch_tokens", "Tokens in a batch.", TOKENS)
        self.characters = Counter("innermost_characters_total", "Characters read.")
        self.tokens = Counter("innermost_tokens_total", "Tokens read.")
        self.abandoned = Counter(
            "innermost_abandoned_total", "Requests dropped because their client left."
        )
        self.worker_restarts = Counter(
            "innermost_worker_restarts_total", "Workers that were replaced."
        )
        self._gauges: list[Gauge] = []

    def gauge(self, name: str, help: str, value: Callable[[], float]) -> None:
        self._gauges.append(Gauge(name, help, value))

    def text(self) -> str:
        own = (value for value in vars(self).values() if isinstance(value, Counter | Histogram))
        lines: list[str] = []
        for metric in (*own, *self._gauges):
            lines += (f"# HELP {metric.name} {metric.help}", f"# TYPE {metric.name} {metric.kind}")
            lines += metric.lines()
        return "\n".join(lines) + "\n"


def _labels(labels: Labels) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escape(value)}"' for name, value in labels) + "}"


def _escape(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else repr(float(value))
