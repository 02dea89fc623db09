"""Metrics, read back by Prometheus' own parser."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from innermost.service.metrics import SECONDS, Histogram, Metrics


def samples(text: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_counters_and_gauges() -> None:
    metrics = Metrics()
    metrics.requests.add(route="/v1/extract", outcome="ok")
    metrics.requests.add(route="/v1/extract", outcome="ok")
    metrics.requests.add(route='a"b\\c\nd', outcome="ok")
    metrics.gauge("innermost_queue_length", "Texts that wait.", lambda: 7)
    read = samples(metrics.text())
    key = (("outcome", "ok"), ("route", "/v1/extract"))
    assert read["innermost_requests_total", key] == 2
    odd = (("outcome", "ok"), ("route", 'a"b\\c\nd'))
    assert read["innermost_requests_total", odd] == 1
    assert read["innermost_queue_length", ()] == 7
    # A counter that appears with its first increase has no increase to Prometheus.
    assert read["innermost_worker_restarts_total", ()] == 0


@given(st.lists(st.floats(0, 100) | st.sampled_from(SECONDS)))
def test_histogram_against_counting(values: list[float]) -> None:
    histogram = Histogram("h", "help", SECONDS)
    for value in values:
        histogram.observe(value, stage="encode")
    text = "# TYPE h histogram\n" + "".join(f"{line}\n" for line in histogram.lines())
    read = samples(text)
    for bound in SECONDS if values else ():
        le = str(int(bound)) if bound.is_integer() else str(bound)
        expected = sum(value <= bound for value in values)
        assert read["h_bucket", (("le", le), ("stage", "encode"))] == expected
    if values:
        assert read["h_count", (("stage", "encode"),)] == len(values)
        assert read["h_bucket", (("le", "+Inf"), ("stage", "encode"))] == len(values)
        assert abs(read["h_sum", (("stage", "encode"),)] - sum(values)) < 1e-6
    else:
        assert read == {}
