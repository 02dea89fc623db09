"""Label Studio's ML backend protocol, and configurations that do not fit."""

from __future__ import annotations

from typing import Any

import pytest

import innermost
from helpers.running_server import RunningServer
from innermost.service.label_studio.config import (
    Label,
    LabelingConfigError,
    label_names,
    read_control,
)

TEXT = "😀 The human IL-2 receptor alpha chain gene promoter is bound by NF-kappa B. NF-kappa B!"


def config(*labels: str, labels_options: str = "", text_options: str = "") -> str:
    inside = "".join(f'<Label value="{label}"/>' for label in labels)
    return (
        f'<View><Labels name="ner" toName="doc" {labels_options}>{inside}</Labels>'
        f'<Text name="doc" value="$body" {text_options}/></View>'
    )


GENIA = config("DNA", "RNA", "cell_line", "cell_type", "protein")


def predict(server: RunningServer, label_config: str, *data: dict[str, Any]) -> list[Any]:
    """A request like Label Studio's."""
    request = {
        "tasks": [{"id": n, "data": item, "project": 1} for n, item in enumerate(data)],
        "project": "1.1700000000",
        "label_config": label_config,
        "params": {"login": None, "password": None, "context": None},
    }
    reply = server.post("/predict", request)
    assert reply.status == 200, reply.body
    results: list[Any] = reply.json["results"]
    assert len(results) == len(data)
    return results


def set_up(server: RunningServer, label_config: str) -> Any:
    request = {
        "project": "1.1700000000",
        "schema": label_config,
        "hostname": "http://localhost:8080",
        "access_token": "token",
        "extra_params": None,
    }
    return server.post("/setup", request)


def test_health_and_versions(server: RunningServer) -> None:
    assert server.request("GET", "/health").json["status"] == "UP"
    (version,) = server.request("GET", "/versions").json["versions"]
    assert version.startswith("genia@")
    assert set_up(server, GENIA).json == {"model_version": version, "notes": []}
    assert server.post("/webhook", {"action": "ANNOTATION_CREATED"}).status == 200


def test_predictions_are_the_models(server: RunningServer) -> None:
    first, second = predict(server, GENIA, {"body": TEXT}, {"body": "IL-2 gene"})
    expected = innermost.load("genia")(TEXT).entities
    assert len(expected) > 3
    values = [region["value"] for region in first["result"]]
    assert [(v["start"], v["end"], v["labels"]) for v in values] == [
        (e.start, e.end, [e.label]) for e in expected
    ]
    assert all(TEXT[v["start"] : v["end"]] == v["text"] for v in values)
    region = first["result"][0]
    assert (region["from_name"], region["to_name"], region["type"]) == ("ner", "doc", "labels")
    assert len({region["id"] for region in first["result"]}) == len(expected)
    scores = [entity.score for entity in expected]
    assert first["score"] == pytest.approx(sum(scores) / len(scores), abs=1e-3)
    assert second["result"]


def test_labels_under_other_names(server: RunningServer) -> None:
    tags = (
        '<Label value="Protein"/><Label value="Gene" predicted_values="DNA, RNA"/>'
        '<Label value="Cell" alias="cell_type"/>'
    )
    label_config = config().replace("</Labels>", f"{tags}</Labels>")
    (prediction,) = predict(server, label_config, {"body": f"{TEXT} T cells."})
    labels = {label for region in prediction["result"] for label in region["value"]["labels"]}
    assert labels == {"Protein", "Gene", "cell_type"}
    assert prediction["model_version"].endswith("(no label for cell_line)")


def test_types_without_a_label_are_named(server: RunningServer) -> None:
    reply = set_up(server, config("protein", "Disease"))
    missing, unused = reply.json["notes"]
    assert missing == ("no label for DNA, RNA, cell_line, cell_type (labels: protein, Disease)")
    assert unused == "the model genia never predicts Disease"
    assert reply.json["model_version"].endswith("(no label for DNA, RNA, cell_line, cell_type)")
    assert missing in server.log_text()


def test_labels_from_the_task(server: RunningServer) -> None:
    label_config = config(labels_options='value="$kinds"')
    assert set_up(server, label_config).status == 200
    data = {"body": TEXT, "kinds": [{"value": "protein"}, "DNA"]}
    with_labels, without = predict(server, label_config, data, {"body": TEXT})
    assert {region["value"]["labels"][0] for region in with_labels["result"]} == {"protein", "DNA"}
    assert without["result"] == []
    assert "no label for DNA" in without["model_version"]


def test_a_limit_on_uses_keeps_the_most_probable(server: RunningServer) -> None:
    label_config = config("protein", labels_options='maxUsages="1"')
    assert 'maxUsages="1"' in set_up(server, label_config).json["notes"][0]
    (prediction,) = predict(server, label_config, {"body": TEXT})
    proteins = [e for e in innermost.load("genia")(TEXT).entities if e.label == "protein"]
    (region,) = prediction["result"]
    assert len(proteins) > 1
    assert region["value"]["start"] == max(proteins, key=lambda e: round(e.score, 4)).start


def test_nesting_that_people_could_not_draw(server: RunningServer) -> None:
    label_config = config("protein", text_options='granularity="sentence"')
    assert "people cannot draw" in set_up(server, label_config).json["notes"][0]


@pytest.mark.parametrize(
    ("label_config", "message"),
    [
        (config("Disease"), "nothing could be shown: no label for DNA"),
        ("<View><Text name='t' value='$t'/></View>", "no <Labels> for a <Text>"),
        (
            "<View><Choices name='c' toName='t'/><Text name='t' value='$t'/></View>",
            "only Choices for t",
        ),
        (config("DNA", text_options='valueType="url"'), 'valueType="url"'),
        (config("DNA", text_options='encoding="base64"'), 'encoding="base64"'),
        ("<View>", "not well-formed XML"),
        ('<!DOCTYPE v [<!ENTITY a "b">]><v>&a;</v>', "is not allowed"),
    ],
)
def test_what_can_show_nothing_is_an_error(
    server: RunningServer, label_config: str, message: str
) -> None:
    reply = set_up(server, label_config)
    assert (reply.status, reply.json["error_type"]) == (422, "labeling_config")
    assert message in reply.json["error"]
    assert reply.json["detail"] == {"at": "$.label_config"}
    notes = [e["note"] for e in server.events() if e["event"] == "labeling configuration"]
    assert reply.json["error"] in notes


def test_a_task_without_the_text(server: RunningServer) -> None:
    good, bad = predict(server, GENIA, {"body": TEXT}, {"other": TEXT})
    assert good["result"]
    assert bad["result"] == []
    assert "no text under 'body'" in bad["model_version"]


def test_matching_prefers_the_exact_name() -> None:
    labels = [Label("dna"), Label("DNA"), Label("Cell", ("T cell",))]
    names, missing, unused = label_names(labels, ["DNA", "cell", "RNA"])
    assert names == {"DNA": "DNA", "cell": "Cell"}
    assert (missing, unused) == (["RNA"], ["dna"])


def test_the_first_fitting_control_is_taken() -> None:
    two = (
        "<View><HyperText name='h' value='$h'/><Labels name='a' toName='h'/>"
        "<Labels name='b' toName='t'><Label value='x'/></Labels><Text name='t' value='$t'/></View>"
    )
    control = read_control(two)
    assert (control.name, control.text_name, control.text_key) == ("b", "t", "t")
    with pytest.raises(LabelingConfigError, match="Labels for h"):
        read_control(two.replace("toName='t'", "toName='h'"))
