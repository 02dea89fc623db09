"""Whatever is sent, the response is a success or a client error, and the service survives."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.running_server import RunningServer, exchange

JSON = {"Content-Type": "application/json"}
ROUTES = ("/v1/extract", "/v1/extract/stream", "/predict", "/setup", "/webhook")

CONFIG = "<View><Labels toName='t'/><Text name='t'/></View>"

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=8,
)
keys = st.sampled_from(
    ["text", "texts", "tokens", "model", "types", "min_score", "max_depth", "offsets", "id",
     "tasks", "label_config", "schema", "data"]
)  # fmt: skip
types = st.sampled_from(["DNA", "protein", "PER"])
likely = st.fixed_dictionaries(
    {},
    optional={
        "text": st.text(max_size=200),
        "texts": st.lists(st.text(max_size=50), max_size=5),
        "tokens": st.lists(st.lists(st.text(max_size=9), max_size=9), max_size=3),
        "model": st.sampled_from(["genia", "litbank", "none"]),
        "types": st.lists(types, max_size=3),
        "min_score": st.floats(0, 1) | st.dictionaries(types, st.floats(0, 1)),
        "max_depth": st.integers(0, 100),
        "offsets": st.sampled_from(["codepoint", "utf16", "byte", "utf32"]),
        "id": st.integers() | st.text(max_size=9),
        "label_config": st.text(max_size=50) | st.just(CONFIG),
    },
)  # fmt: skip
objects = likely | st.dictionaries(keys | st.text(max_size=9), values, max_size=5)
bodies = st.binary(max_size=300) | objects.map(json.dumps).map(
    lambda text: text.encode("utf-8", errors="surrogatepass")
)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    body = bytearray(draw(bodies))
    for _ in range(draw(st.integers(0, 3))):
        if body:
            body[draw(st.integers(0, len(body) - 1))] = draw(st.integers(0, 255))
    return bytes(body[: draw(st.integers(0, len(body)))]) if draw(st.booleans()) else bytes(body)


def check(route: str, status: int, body: bytes) -> None:
    assert status == 200 or 400 <= status < 500, (status, body)
    if status != 200:
        assert set(json.loads(body)) == {"error", "error_type", "detail"}
    elif route == "/v1/extract/stream":
        for line in body.splitlines():
            assert json.loads(line).get("error_type") != "internal"


@pytest.mark.parametrize("route", ROUTES)
def test_bodies(server: RunningServer, route: str) -> None:
    connection = server.connect()

    @settings(max_examples=150, suppress_health_check=list(HealthCheck))
    @given(bodies | damaged())
    def run(body: bytes) -> None:
        reply = exchange(connection, "POST", route, body, JSON)
        check(route, reply.status, reply.body)

    run()
    assert not [line for line in server.events() if line["event"] == "worker lost"]
    assert server.extract(text="IL-2 gene")["documents"][0]["entities"]


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(
    st.text(
        alphabet=st.characters(exclude_categories=["Cs"])
        | st.sampled_from(" \n\t.,()[]'\"-\u200d"),
        max_size=400,
    ),
    st.sampled_from(["codepoint", "utf16", "byte"]),
)
def test_any_text_comes_back_with_offsets_that_fit(
    server: RunningServer, text: str, unit: str
) -> None:
    (document,) = server.extract(text=text, offsets=unit)["documents"]
    assert document["characters"] == len(text)
    encoding, width = {
        "codepoint": ("utf-32-le", 4),
        "utf16": ("utf-16-le", 2),
        "byte": ("utf-8", 1),
    }[unit]
    encoded = text.encode(encoding)
    for index, entity in enumerate(document["entities"]):
        cut = encoded[width * entity["start"] : width * entity["end"]]
        assert cut.decode(encoding) == entity["text"]
        if entity["parent"] is not None:
            parent = document["entities"][entity["parent"]]
            assert entity["parent"] != index
            assert parent["start"] <= entity["start"] < entity["end"] <= parent["end"]
