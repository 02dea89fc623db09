"""Models on the Hugging Face Hub, and entities in the shape of its pipelines.

Needs the extra ``hub``, and no torch.

from innermost.integrations.huggingface import from_hub, push_to_hub, token_classification

nlp = from_hub("org/name")
token_classification(nlp("The mayor of Ghent spoke."))
push_to_hub(nlp, "me/mine")
"""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from innermost.document import Document
from innermost.errors import InnermostWarning, MissingExtraError, ModelError
from innermost.model_folder.card import read_card
from innermost.model_folder.contents import CARD
from innermost.model_folder.info import BEFORE_EXPORT, ModelInfo, scope
from innermost.model_folder.installed import installed
from innermost.model_folder.manifest import verify, write_manifest
from innermost.model_folder.origins import other_license
from innermost.runtime import load
from innermost.runtime.model import Model

try:
    from huggingface_hub import HfApi, ModelCardData, snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError
    from huggingface_hub.utils import validate_repo_id
except ImportError:
    raise MissingExtraError("The Hugging Face Hub", "hub") from None

FILES = ["*.toml", "*.json", "*.npy", "*.onnx", "*.md", "*.svg", "*.txt", "SHA256SUMS"]
"""What a model for prediction consists of; weights for training are not among them."""
_HTTP_ERROR = HfHubHTTPError.__mro__[1]
"""Of requests, httpx or httpx2, depending on the version of huggingface_hub."""
_METRICS = ("f1", "precision", "recall")


def from_hub(
    repository: str,
    *,
    revision: str | None = None,
    token: str | None = None,
    endpoint: str | None = None,
    **options: Any,
) -> Model:
    """A model by the name of its repository, ``org/name``; the files are cached.

    ``revision`` is a branch, tag or commit. The other options are those of :func:`innermost.load`.
    """
    try:
        validate_repo_id(repository)
    except HFValidationError:
        raise ModelError(
            f"there is no folder {repository}, and it cannot be the name of a repository",
            hint="give a folder that exists, or a name of the Hub, such as org/name",
        ) from None
    if repository in installed():
        raise ModelError(
            f"{repository} is an installed model, and no repository of the Hub",
            hint=f"innermost.load({repository!r}) opens it",
        )
    with _errors_of_the_hub(f"{repository} cannot be downloaded"):
        folder = snapshot_download(
            repository, revision=revision, token=token, endpoint=endpoint, allow_patterns=FILES
        )
    return load(folder, **options)


def push_to_hub(
    model: Model,
    repository: str,
    *,
    private: bool | None = None,
    revision: str | None = None,
    message: str | None = None,
    token: str | None = None,
    endpoint: str | None = None,
) -> str:
    """Upload a model with its card; the address of the commit. The repository may be new.

    A warning says if a model that it comes from has another license.
    """
    verify(model.folder, ignore=[CARD])
    info = model.info
    if (difference := other_license(info, info.license, "model")) is not None:
        warnings.warn(difference, InnermostWarning, stacklevel=2)
    api = HfApi(endpoint=endpoint, token=token)
    with TemporaryDirectory(prefix="innermost-") as temporary:
        folder = Path(temporary, "model")
        shutil.copytree(model.folder, folder, ignore=shutil.ignore_patterns("*.safetensors", ".*"))
        (folder / CARD).write_text(hub_card(model), encoding="utf-8", newline="\n")
        write_manifest(folder)
        with _errors_of_the_hub(f"the model cannot be uploaded to {repository}"):
            api.create_repo(repository, private=private, exist_ok=True)
            commit = api.upload_folder(
                repo_id=repository,
                folder_path=folder,
                revision=revision,
                commit_message=message or f"{model.name} {info.version}".strip(),
            )
    return str(commit.commit_url)


def hub_card(model: Model) -> str:
    """The card with the metadata that the Hub shows and searches."""
    info = model.info
    metadata = ModelCardData(
        library_name="innermost",
        license=info.license.lower() or None,
        pipeline_tag="token-classification",
        tags=["innermost", "named-entity-recognition", "nested-ner"],
        metrics=list(_METRICS),
    ).to_dict()
    metadata["model-index"] = [{"name": model.name, "results": _results(info)}]
    card = (
        read_card(model.folder) or f"# {model.name}\n\nNested entities: {', '.join(info.types)}.\n"
    )
    if card.startswith("---\n"):
        card = card.split("---\n", 2)[-1].lstrip()
    return f"---\n{_yaml(metadata)}---\n\n{card}"


def token_classification(document: Document) -> list[dict[str, Any]]:
    """The entities as a token classification pipeline gives them, with their nesting."""
    return [
        {
            "entity_group": entity.label,
            "score": entity.score,
            "word": entity.text,
            "start": entity.start,
            "end": entity.end,
            "level": entity.level,
            "parent": entity.parent,
        }
        for entity in document.entities
    ]


@contextmanager
def _errors_of_the_hub(problem: str) -> Iterator[None]:
    try:
        yield
    except (_HTTP_ERROR, ValueError, OSError) as error:
        reason = str(error).strip() or type(error).__name__
        raise ModelError(
            f"{problem}: {reason.splitlines()[0]}",
            hint="check the name, your connection, and your token (`hf auth login`)",
        ) from error


def _results(info: ModelInfo) -> list[dict[str, Any]]:
    fingerprints = info.training.get("fingerprints", {})
    return [
        {
            "task": {"type": "token-classification", "name": "Nested named entity recognition"},
            "dataset": {"type": fingerprints.get(split, "unknown"), "name": split, "split": split},
            "metrics": [
                {
                    "type": metric,
                    "value": scores[metric],
                    "name": f"strict {metric} {scope(scores)}".rstrip(),
                }
                for metric in _METRICS
                if metric in scores
            ],
        }
        for split, scores in info.scores.items()
        if not scores.get(BEFORE_EXPORT)
    ]


def _yaml(metadata: dict[str, Any]) -> str:
    from huggingface_hub.utils import yaml_dump

    text: str = yaml_dump({key: value for key, value in metadata.items() if value is not None})
    return text
