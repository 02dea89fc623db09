"""``python -m benchmarks.service``: the service under load, compared with the model in a process.

Both sides are measured in interleaved rounds within one run. The load generator shares the CPUs
with the service.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import statistics
import time
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from benchmarks.service.client import Exchange, arrive, prepared, saturate
from benchmarks.service.sentences import LENGTH, sentences
from benchmarks.service.server import Server, served
from benchmarks.service.soak import soak

import innermost

_KEYS = ("start", "end", "label", "text", "level", "score", "parent")


def main() -> None:
    options = _options()
    texts = sentences(options.sentences, options.data)
    nlp = innermost.load(options.model)
    list(nlp.pipe(texts))
    server_options = ["--model", options.model]
    for name in ("workers", "threads"):
        if getattr(options, name):
            server_options += [f"--{name}", str(getattr(options, name))]
    report: dict[str, Any] = {
        "date": date.today().isoformat(),
        "machine": f"{platform.machine()}, {len(os.sched_getaffinity(0))} CPUs",
        "load_before": os.getloadavg()[0],
        "model": options.model,
        "sentences": f"{len(texts)} of {LENGTH} tokens",
    }
    if options.soak:
        with served(*server_options) as server:
            report["soak"] = asyncio.run(soak(server, texts, options.soak, options.curve))
    else:
        expected = {n: nlp(text).to_dict()["entities"] for n, text in enumerate(texts)}
        with served(*server_options) as server:
            report |= asyncio.run(_throughput(server, nlp, texts, expected, options))
            report["overload"] = asyncio.run(_overload(server, texts, expected, options))
            report["memory_mb"] = round(server.memory() / 1e6)
    print(json.dumps(report, indent=2))


async def _throughput(
    server: Server,
    nlp: innermost.runtime.model.Model,
    texts: Sequence[str],
    expected: dict[int, Any],
    options: argparse.Namespace,
) -> dict[str, Any]:
    requests = prepared("/v1/extract", [{"text": text} for text in texts])
    load = {"clients": options.clients, "seconds": options.seconds}
    await saturate(server.port, requests, clients=options.clients, seconds=1.0)
    rounds: list[dict[str, float]] = []
    answers = 0
    for _ in range(options.rounds):
        direct = _in_process(nlp, texts, options.seconds / 2)
        exchanges, seconds = await saturate(server.port, requests, **load)
        again = _in_process(nlp, texts, options.seconds / 2)
        answers += _check(exchanges, expected)
        rate = len(exchanges) / seconds
        inside = (direct + again) / 2
        rounds.append(
            {
                "in_process_tokens_per_second": round(inside),
                "service_tokens_per_second": round(LENGTH * rate),
                "requests_per_second": round(rate, 1),
                "ratio": round(LENGTH * rate / inside, 3),
                **_quantiles(exchanges),
            }
        )
    saturated = statistics.median(r["requests_per_second"] for r in rounds)
    half = await arrive(server.port, requests, rate=saturated / 2, **load)
    answers += _check(half, expected)
    return {
        "rounds": rounds,
        "ratio": statistics.median(r["ratio"] for r in rounds),
        "half_load": {"requests_per_second": round(saturated / 2, 1), **_quantiles(half)},
        "answers_equal_to_direct_calls": answers,
    }


async def _overload(
    server: Server, texts: Sequence[str], expected: dict[int, Any], options: argparse.Namespace
) -> dict[str, Any]:
    """Twice as many clients as requests allowed in flight, without patience."""
    requests = prepared("/v1/extract", [{"text": text} for text in texts])
    clients = 512
    exchanges, seconds = await saturate(
        server.port,
        requests,
        clients=clients,
        seconds=options.seconds,
        pause_after_error=0.5,
        ramp=0.002,
    )
    refused = [e for e in exchanges if e.status == 429]
    accepted = [e for e in exchanges if e.status == 200]
    if other := {e.status for e in exchanges} - {200, 429}:
        raise SystemExit(f"overload was answered with {other}")
    _check(accepted, expected)
    began = time.perf_counter()
    recovered, _ = await saturate(server.port, requests, clients=1, seconds=0.0)
    if [e.status for e in recovered] != [200]:
        raise SystemExit("the service did not recover from overload")
    return {
        "clients": clients,
        "accepted_per_second": round(len(accepted) / seconds, 1),
        "refused_per_second": round(len(refused) / seconds, 1),
        "refused": _quantiles(refused),
        "first_answer_afterwards_ms": round(1000 * (time.perf_counter() - began), 1),
    }


def _in_process(nlp: Any, texts: Sequence[str], seconds: float) -> float:
    """Tokens per second from text to documents, in the model's default batches, on all CPUs."""
    began = time.perf_counter()
    tokens = 0
    while (took := time.perf_counter() - began) < seconds:
        tokens += LENGTH * len(list(nlp.pipe(texts)))
    return tokens / took


def _check(exchanges: Sequence[Exchange], expected: dict[int, Any]) -> int:
    for exchange in exchanges:
        if exchange.status != 200:
            raise SystemExit(f"{exchange.status}: {exchange.body!r}")
        (document,) = json.loads(exchange.body)["documents"]
        entities = [{key: entity[key] for key in _KEYS} for entity in document["entities"]]
        if entities != expected[exchange.request]:
            raise SystemExit(f"a wrong answer: {entities}, not {expected[exchange.request]}")
    return len(exchanges)


def _quantiles(exchanges: Sequence[Exchange]) -> dict[str, float]:
    times = sorted(1000 * exchange.seconds for exchange in exchanges) or [float("nan")]
    ranks = {"p50_ms": 0.5, "p99_ms": 0.99, "max_ms": 1.0}
    return {
        name: round(times[min(int(rank * len(times)), len(times) - 1)], 1)
        for name, rank in ranks.items()
    }


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.service", description=__doc__)
    parser.add_argument("--model", default="genia")
    parser.add_argument("--data", type=Path, help="a corpus; without one, sentences are made up")
    parser.add_argument("--sentences", type=int, default=600)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=10.0, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--threads", type=int)
    parser.add_argument(
        "--soak", type=float, metavar="MINUTES", help="mixed load; memory over time"
    )
    parser.add_argument("--curve", type=Path, help="with --soak: write the memory curve, an SVG")
    return parser.parse_args()


if __name__ == "__main__":
    main()
