"""The bodies of requests and responses. The OpenAPI file is generated from these classes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

Offsets = Literal["codepoint", "utf16", "byte"]
Score = Annotated[float, Meta(ge=0, le=1)]
DEEPEST = 1_000_000
Depth = Annotated[float, Meta(ge=1, le=DEEPEST, multiple_of=1)]
"""An integer; to JSON Schema, and to some clients, 2.0 is one too."""
Token = Annotated[str, Meta(min_length=1)]
Tokens = list[Token]
Version = Annotated[
    str,
    Meta(
        description="The first 12 digits of a SHA-256 of the files that affect predictions; the "
        "card of the model does not."
    ),
]
Id = Annotated[str, Meta(max_length=4096)] | int


class Options(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What to extract, and how to report it."""

    model: Annotated[
        str | None, Meta(description="A name from `/v1/models`; the first one there if absent.")
    ] = None
    types: Annotated[
        Annotated[list[str], Meta(min_length=1)] | None,
        Meta(description="Entity types to return; all types of the model if absent."),
    ] = None
    min_score: Annotated[
        Score | dict[str, Score],
        Meta(description="Drop entities with a lower score: one number, or one per type."),
    ] = 0.0
    max_depth: Annotated[
        Depth | None,
        Meta(description="Levels of each type to return; 1 returns the outermost only."),
    ] = None
    offsets: Annotated[
        Offsets,
        Meta(
            description="The unit of `start` and `end`: Unicode code points (Python), UTF-16 code "
            "units (JavaScript, Java, C#) or UTF-8 bytes (Go, Rust, C)."
        ),
    ] = "codepoint"


class ExtractRequest(Options, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Exactly one of `text`, `texts` and `tokens`, and options."""

    text: Annotated[str | None, Meta(description="One text.")] = None
    texts: Annotated[list[str] | None, Meta(description="Several texts, one document each.")] = None
    tokens: Annotated[
        list[Tokens] | None,
        Meta(
            description="Sentences as lists of tokens, one document each. Offsets refer to the "
            "tokens joined by single spaces."
        ),
    ] = None


class StreamRequest(Options, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A line of a stream: exactly one of `text` and `tokens`, options, and an `id` to echo."""

    id: Annotated[Id | None, Meta(description="Returned with the response.")] = None
    text: Annotated[str | None, Meta(description="One text.")] = None
    tokens: Annotated[Tokens | None, Meta(description="One sentence as a list of tokens.")] = None


class Entity(msgspec.Struct, kw_only=True):
    """A name in a text."""

    start: Annotated[int, Meta(description="Inclusive, in the unit of `offsets`.")]
    end: Annotated[int, Meta(description="Exclusive, in the unit of `offsets`.")]
    label: Annotated[str, Meta(description="The entity type.")]
    text: Annotated[str, Meta(description="The text between `start` and `end`.")]
    level: Annotated[int, Meta(description="1 for the outermost of its type.")]
    score: Annotated[float, Meta(description="Its probability under the model.")]
    parent: Annotated[
        int | None,
        Meta(description="Index in `entities` of the smallest entity that strictly contains it."),
    ]
    token_start: Annotated[int, Meta(description="Its first token in the document.")]
    token_end: Annotated[int, Meta(description="The token after its last one.")]


class Dropped(msgspec.Struct, kw_only=True):
    """Something that was dropped without being asked for."""

    what: str
    detail: str


class ExtractedDocument(msgspec.Struct, kw_only=True):
    """The entities of one text, and counts that show that the whole text was read."""

    entities: Annotated[
        list[Entity], Meta(description="Sorted by start, then longest first, then label.")
    ]
    characters: Annotated[int, Meta(description="Length of the text in Unicode code points.")]
    tokens: int
    sentences: int
    windows: Annotated[
        int, Meta(description="Pieces that the network read: sentences, or parts of very long ones")
    ]
    truncated: Annotated[bool, Meta(description="Always false: no text is cut off.")] = False
    dropped: list[Dropped] = []


class ExtractResponse(msgspec.Struct, kw_only=True):
    """One document per text, in the order of the request."""

    model: str
    version: Version
    documents: list[ExtractedDocument]


class StreamResponse(msgspec.Struct, kw_only=True):
    """The response to one line of a stream."""

    line: Annotated[int, Meta(description="Number of the request's line, from 1.")]
    id: Id | None = None
    model: str
    version: Version
    document: ExtractedDocument


class ErrorBody(msgspec.Struct, kw_only=True):
    """The body of every response that is not a success."""

    error: Annotated[str, Meta(description="What is wrong and what to do, for humans.")]
    error_type: Annotated[str, Meta(description="What is wrong, for programs.")]
    detail: Annotated[
        dict[str, Any] | None, Meta(description="Limits, names and positions, for programs.")
    ] = None


class StreamError(ErrorBody, kw_only=True):
    """The response to a bad line of a stream."""

    line: int
    id: Id | None = None


class ServedModel(msgspec.Struct, kw_only=True):
    """A model that this service runs."""

    name: str
    version: Version
    types: list[str]
    tokenizer: str
    default: bool
    scores: Annotated[
        dict[str, Any],
        Meta(
            description="Those that the model records, by split; with `types`, they cover only "
            "these types."
        ),
    ] = {}


class Limits(msgspec.Struct, kw_only=True):
    """Sizes above which requests are refused."""

    max_body: Annotated[int, Meta(description="Bytes in a body, or in a line of a stream.")]
    max_texts: Annotated[int, Meta(description="Texts in a request.")]


class ModelList(msgspec.Struct, kw_only=True):
    """The models of this service, the default first."""

    models: list[ServedModel]
    limits: Limits
    innermost: Annotated[str, Meta(description="Version of the software.")]


class Health(msgspec.Struct, kw_only=True):
    status: str
