"""``innermost serve``: nested entities over HTTP."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from innermost.service.settings import ModelSource

MOST = 4
"""The most workers by default: each has its own copy of the models."""


def serve(
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            metavar="NAME|FOLDER[:LAYER]",
            help="An installed model's name, or a folder. Repeatable; the first is the default.",
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for all.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free port.")] = 8000,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help=f"Processes that run the models; default: CPUs, at most {MOST}."),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, help="CPU threads per worker; default: CPUs / workers.")
    ] = None,
    device: Annotated[
        str, typer.Option(help="cpu, or cuda for a GPU (needs the package onnxruntime-gpu).")
    ] = "cpu",
    batch_tokens: Annotated[
        int, typer.Option(min=1, help="Tokens per batch, over all clients.")
    ] = 2_048,
    max_body: Annotated[int, typer.Option(min=1, help="Bytes per request.")] = 2 << 20,
    max_texts: Annotated[int, typer.Option(min=1, help="Texts per request.")] = 1_000,
    max_requests: Annotated[
        int, typer.Option(min=1, help="Requests in flight; more get a 429.")
    ] = 256,
    max_queue_tokens: Annotated[
        int, typer.Option(min=1, help="Tokens waiting; with more, requests get a 429.")
    ] = 500_000,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds per request.")] = 30.0,
    drain: Annotated[
        float, typer.Option(min=0.0, help="Seconds from SIGTERM to closing the port.")
    ] = 3.0,
    cors_origin: Annotated[
        list[str] | None,
        typer.Option(metavar="ORIGIN", help="Allow web pages from this origin (CORS). Repeatable."),
    ] = None,
    label_studio: Annotated[
        bool, typer.Option("--label-studio", help="Serve as an ML backend for Label Studio.")
    ] = False,
    access_log: Annotated[bool, typer.Option(help="Log each request, without its text.")] = True,
) -> None:
    """Serve models over HTTP, with a page to try them at `/`.

    API keys, separated by commas, are read from the environment variable INNERMOST_API_KEYS.

    Example: `innermost serve --model genia --port 8000`
    """
    try:
        from innermost.service.server import serve as run
    except ModuleNotFoundError as error:
        from innermost.errors import MissingExtraError

        if (error.name or "").startswith("innermost"):
            raise
        raise MissingExtraError("`innermost serve`", "serve") from None
    from innermost.cli.shared.verbosity import is_quiet
    from innermost.cpus import available_cpus
    from innermost.runtime.devices import check_device
    from innermost.service import logs
    from innermost.service.permissions import KEYS, api_keys, origins
    from innermost.service.settings import Settings

    check_device(device)
    cpus = available_cpus()
    workers = workers or min(cpus, MOST)
    settings = Settings(
        models=tuple(_sources(model or [None])),
        host=host,
        port=port,
        workers=workers,
        threads=threads or max(cpus // workers, 1),
        device=device,
        batch_tokens=batch_tokens,
        max_body=max_body,
        max_texts=max_texts,
        max_requests=max_requests,
        max_queue_tokens=max_queue_tokens,
        timeout=timeout,
        drain=drain,
        api_keys=api_keys(os.environ.get(KEYS)),
        cors_origins=origins(cors_origin or ()),
        label_studio=label_studio,
        access_log=access_log,
    )
    logs.configure("warning" if is_quiet() else "info")
    run(settings)


def _sources(models: Sequence[str | None]) -> Iterator[ModelSource]:
    """Each model with a unique name: its own and the requested layer."""
    from innermost.errors import UsageError
    from innermost.model_folder.info import read_info
    from innermost.model_folder.installed import installed, locate, model_name
    from innermost.model_folder.layers import select_types
    from innermost.service.settings import ModelSource

    names: set[str] = set()
    for model in models:
        base, _, layer = (model or "").rpartition(":")
        has_layer = base in installed() or Path(base or "?").is_dir()
        folder = locate(base if has_layer else model).absolute()
        info = read_info(folder)
        select_types(info, layer=layer if has_layer else None)  # may raise
        name = model_name(folder, info) + (f":{layer}" if has_layer else "")
        if name in names:
            raise UsageError(
                f"two models are named {name!r}",
                hint="a model is named in its model.toml, or else after its folder: serve one of "
                "them on another --port, or rename it",
            )
        names.add(name)
        yield ModelSource(name, str(folder), layer if has_layer else None)
