"""Input and output: files, links, exports, errors, and no code injection."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from helpers.browser import faults, selected_text
from helpers.page import TEXT, Page
from innermost.corpus import Report, read

SMILE = f"👩‍🔬 {TEXT}\nIL-2 gene"


def downloaded(page: Page, folder: Path, format: str) -> Path:
    page.tab.browser.send(
        "Browser.setDownloadBehavior",
        behavior="allow",
        downloadPath=str(folder),
        browserContextId=page.tab.context,
        eventsEnabled=False,
    )
    page.set("#format", format)
    page.click("#download")

    def complete() -> Path | None:
        files = [f for f in folder.iterdir() if f.suffix not in (".crdownload", ".tmp")]
        return files[0] if files and files[0].stat().st_size else None

    file: Path = page.tab.wait(complete, f"a {format} file is downloaded")
    return file


def spans(sentences: list[Any]) -> set[tuple[str, str]]:
    found = set()
    for sentence in sentences:
        offsets = sentence.token_offsets()
        for start, end, label in sentence.entities:
            found.add((sentence.text[offsets[start][0] : offsets[end - 1][1]], label))
    return found


EXPECTED = {
    ("IL-2 gene promoter", "DNA"),
    ("IL-2 gene", "DNA"),
    ("IL-2", "protein"),
    ("NF-kappa B", "protein"),
    ("kappa B in activated", "RNA"),
    ("activated T cells", "cell_type"),
    ("T cells", "cell_type"),
}


def test_json(page: Page, tmp_path: Path) -> None:
    page.type(SMILE)
    page.click("input[value=RNA]")
    file = downloaded(page, tmp_path, "json")
    assert file.name == "text.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    assert (content["model"], content["text"]) == ("genes", SMILE)
    assert len(content["entities"]) == 8
    for entity in content["entities"]:
        # Offsets count code points, as everywhere in the package.
        assert SMILE[entity["start"] : entity["end"]] == entity["text"]
        if entity["parent"] is not None:
            outer = content["entities"][entity["parent"]]
            assert outer["start"] <= entity["start"] < entity["end"] <= outer["end"]
    page.click("[data-view=json]")
    assert (
        page.tab.run("document.querySelector('#panel').textContent").strip()
        == file.read_text(encoding="utf-8").strip()
    )


@pytest.mark.parametrize("format", ["jsonl", "brat"])
def test_files_of_the_package(page: Page, tmp_path: Path, format: str) -> None:
    page.type(SMILE)
    report = Report()
    sentences = list(read(downloaded(page, tmp_path, format), report=report))
    assert "".join(s.text for s in sentences).strip() == SMILE
    assert spans(sentences) == EXPECTED
    # Levels, parents and scores are not annotation.
    assert {what for kind, what in report.counts if kind == "lost"} <= {"keys of an entity"}


def test_html(page: Page, tmp_path: Path) -> None:
    page.type(TEXT)
    file = downloaded(page, tmp_path, "html")
    page.tab.open(file.as_uri())
    assert selected_text(page.tab, ".innermost-text") == TEXT
    assert faults(page.tab) == []
    assert page.tab.run("document.querySelectorAll('mark').length") == 9
    assert page.tab.run("document.querySelector('mark').title") == "DNA 0.90, level 1"
    label = "getComputedStyle(document.querySelector('mark')).backgroundImage"
    assert "data:image/svg+xml" in page.tab.run(label)
    assert page.tab.run("document.querySelectorAll('[tabindex], [data-index]').length") == 0
    assert page.tab.complaints() == []


@pytest.mark.parametrize("drawing", ["boxes", "lines"])
@pytest.mark.parametrize("view", ["text", "json"])
def test_svg(page: Page, tmp_path: Path, drawing: str, view: str) -> None:
    page.type(f"{TEXT} " * 4)
    page.click(f"[value={drawing}]")
    page.click(f"[data-view={view}]")
    file = downloaded(page, tmp_path, "svg")
    picture = ElementTree.parse(file).getroot()
    texts = ["".join(t.itertext()) for t in picture.iter("{http://www.w3.org/2000/svg}text")]
    words = "".join(t for t in texts if t not in ("DNA", "RNA", "protein", "cell_type"))
    assert "".join(words.split()) == "".join((TEXT * 4).split())
    assert texts.count("DNA") >= 8
    page.tab.open(file.as_uri())
    inside = page.tab.run(
        "(([root, ...shapes]) => shapes.every((s) => { const box = s.getBoundingClientRect();"
        " return box.left >= 0 && box.right <= root.width.baseVal.value"
        " && box.bottom <= root.height.baseVal.value }))"
        "([document.documentElement, ...document.querySelectorAll('svg > path, svg > text')])"
    )
    assert inside


def test_png(page: Page, tmp_path: Path) -> None:
    page.type(TEXT)
    content = downloaded(page, tmp_path, "png").read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", content[16:24])
    assert width == 2 * (720 + 24)
    assert height > 100
    assert page.tab.complaints() == []


def test_labels_with_spaces_are_reported_in_brat(page: Page) -> None:
    entity = {"start": 0, "end": 4, "label": "a b", "text": "IL-2", "level": 1, "score": 1.0}
    document = {
        "entities": [{**entity, "parent": None}],
        "characters": 4,
        "truncated": False,
        "dropped": [],
    }
    page.service.extract = lambda _: (
        200,
        {"model": "genes", "version": "1", "documents": [document]},
    )
    page.type("IL-2")
    allow_clipboard(page)
    page.set("#format", "brat")
    page.click("#copy")
    page.tab.until("document.querySelector('#status').textContent === 'brat copied'")
    assert page.tab.run("navigator.clipboard.readText()") == "T1\ta_b 0 4\tIL-2\n"
    assert "written with _" in page.text("#error")


def allow_clipboard(page: Page) -> None:
    page.tab.browser.send(
        "Browser.grantPermissions",
        permissions=["clipboardReadWrite", "clipboardSanitizedWrite"],
        browserContextId=page.tab.context,
    )
    page.tab.send("Page.bringToFront")


def test_a_link_brings_back_text_and_settings(page: Page) -> None:
    allow_clipboard(page)
    page.type(SMILE)
    page.click("input[value=RNA]")
    page.set("#score", 50)
    page.set("#depth", 2)
    page.click("[value=lines]")
    page.click("#link")
    page.tab.until("document.querySelector('#status').textContent === 'Link copied'")
    address = page.tab.run("navigator.clipboard.readText()")
    marks = page.marks()
    page.open(address.removeprefix(page.service.address))
    page.tab.until("document.querySelector('mark')")
    assert page.marks() == marks
    assert page.tab.run("document.querySelector('#text').value") == SMILE
    assert page.tab.run("document.querySelector('#panel').className") == "innermost-lines"
    assert page.tab.run("[...document.querySelectorAll('#score, #depth')].map((e) => e.value)") == [
        "50",
        "2",
    ]
    # The text is in the fragment, which browsers do not send.
    assert not any("#" in url.removeprefix(page.service.address) for url in page.tab.requests()[1:])


def test_a_text_that_is_too_long_for_a_link(page: Page) -> None:
    page.type("".join(chr(0x4E00 + (i * 7919) % 20000) for i in range(20_000)))
    page.click("#link")
    page.tab.until("document.querySelector('#error').textContent.includes('too long for a link')")


@pytest.mark.parametrize(
    ("fragment", "message"),
    [
        ("#text=@@@", "The link is damaged"),
        ("#text=S8tVBgA&model=missing", "needs the model missing"),
    ],
)
def test_bad_links(page: Page, fragment: str, message: str) -> None:
    page.open(fragment)
    page.tab.until("document.querySelector('#error').textContent")
    assert message in page.text("#error")


def test_a_link_to_an_unknown_view(page: Page) -> None:
    # Every object in JavaScript inherits the second name.
    for view in ("graph", "toString"):
        page.open(f"#text=S8tVBgA&view={view}")
        page.tab.until("document.querySelector('#drawn')")
        assert page.tab.run("document.querySelector('[aria-selected=true]').dataset.view") == "text"
        assert page.tab.complaints() == []


def drop(page: Page, name: str, content: bytes, count: int = 1) -> None:
    script = """((name, bytes, count) => {
      const data = new DataTransfer();
      for (let i = 0; i < count; i++) data.items.add(new File([new Uint8Array(bytes)], name));
      document.body.dispatchEvent(
        new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    })"""
    page.tab.run(f"{script}({name!r}, {list(content)}, {count})")


def test_a_dropped_file(page: Page, tmp_path: Path) -> None:
    drop(page, "notes.v2.txt", TEXT.encode())
    page.tab.until("document.querySelector('mark')")
    assert page.text("#drawn") == TEXT
    assert downloaded(page, tmp_path, "jsonl").name == "notes.v2.jsonl"


def test_an_error_leaves_no_result_of_another_text(page: Page) -> None:
    drop(page, "small.txt", TEXT.encode())
    page.tab.until("document.querySelector('mark')")
    page.service.extract = lambda _: (413, {"error": "too large", "error_type": "too_large"})
    drop(page, "big.txt", TEXT.encode() * 2)
    page.tab.until("document.querySelector('#error').textContent === 'too large'")
    assert page.tab.run("document.querySelector('#result').hidden")


def test_a_text_has_the_name_of_its_file_until_it_is_changed(page: Page, tmp_path: Path) -> None:
    drop(page, "small.txt", TEXT.encode())
    page.tab.until("document.querySelector('mark')")
    page.type("The IL-2 gene.")
    assert downloaded(page, tmp_path, "json").name == "text.json"


def test_offsets_count_the_line_ends_of_a_file(page: Page, tmp_path: Path) -> None:
    text = "The IL-2 gene.\r\nThe IL-2 gene.\r\n"
    drop(page, "dos.txt", text.encode())
    page.tab.until("document.querySelector('mark')")
    content = json.loads(downloaded(page, tmp_path, "json").read_bytes())
    assert content["text"] == text
    assert all(text[e["start"] : e["end"]] == e["text"] for e in content["entities"])
    assert [e["start"] for e in content["entities"]] == [4, 4, 20, 20]
    page.type("a\nIL-2")  # the text of a textarea has no carriage returns
    assert page.text("#drawn") == "a\nIL-2"


def test_files_that_are_no_text(page: Page) -> None:
    drop(page, "photo.jpg", b"\xff\xd8\xff\xe0")
    page.tab.until("document.querySelector('#error').textContent")
    assert page.text("#error") == "photo.jpg is not UTF-8 text."
    drop(page, "a.txt", b"a", count=2)
    page.tab.until("document.querySelector('#error').textContent.includes('one file at a time')")


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (422, {"error": "min_score must be at most 1", "error_type": "x"}, "min_score must be"),
        (413, {"error": "the body is larger than 10 MB", "error_type": "x"}, "larger than 10 MB"),
        (500, "no object", "The service responded with status 500 and no message."),
    ],
)
def test_errors_are_shown(page: Page, status: int, body: Any, message: str) -> None:
    page.service.extract = lambda _: (status, body)
    page.type(TEXT)
    assert message in page.text("#error")
    assert ("alert", None) in [(n["role"], None) for n in page.tab.accessible()]


def test_a_service_that_is_gone(page: Page) -> None:
    page.service.close()
    page.type(TEXT)
    assert page.text("#error") == "The service is not responding. Is it still running?"


def test_a_service_that_is_still_starting(page: Page) -> None:
    page.service.starting = True
    page.tab.open("about:blank")
    page.tab.open(page.service.address)
    page.tab.until("document.querySelector('#error').textContent.includes('being loaded')")
    page.service.starting = False
    page.tab.until("document.querySelector('#model').options.length > 0")
    page.type("The IL-2 gene.")
    assert page.text("#error") == ""


def test_an_error_goes_away_when_it_works_again(page: Page) -> None:
    works = page.service.extract
    page.service.extract = lambda _: (503, {"error": "draining", "error_type": "draining"})
    page.type(TEXT)
    assert page.text("#error") == "draining"
    page.service.extract = works
    page.type(TEXT)
    assert page.text("#error") == ""
    assert len(page.marks()) == 9


def test_a_service_with_a_key(page: Page) -> None:
    page.service.key = "secret"
    page.tab.open("about:blank")
    page.tab.open(page.service.address)
    page.tab.until("!document.querySelector('#key').hidden")
    assert "API key" in page.text("#error")
    page.tab.run("document.querySelector('#key input').value = 'wrong'")
    page.click("#key button")
    page.tab.until("document.querySelector('#error').textContent === 'the key is not valid'")
    assert page.tab.run("document.querySelector('#key input').value") == ""
    page.tab.run("document.querySelector('#key input').value = 'secret'")
    page.click("#key button")
    page.tab.until("document.querySelector('#model').options.length")
    assert page.tab.run("document.querySelector('#key').hidden")
    page.type(TEXT)
    assert len(page.marks()) == 9


def test_only_the_last_of_several_requests_counts(page: Page) -> None:
    page.tab.run("document.querySelector('#text').focus()")
    for text in ("IL-2", " gene", " promoter"):
        page.tab.insert(text)
        page.tab.run("document.querySelector('button.main').click()")
    page.tab.until("document.querySelectorAll('mark').length === 3")
    assert page.text("#drawn") == "IL-2 gene promoter"


def test_typing_is_enough(page: Page) -> None:
    page.tab.run("document.querySelector('#text').focus()")
    page.tab.insert(TEXT)
    page.tab.until("document.querySelectorAll('mark').length === 9")


def test_nothing_is_code_and_nothing_is_loaded_from_elsewhere(page: Page, tmp_path: Path) -> None:
    evil = "</style><img src=x onerror=window.broken=1><script>window.broken=1</script>\"'>"
    page.service.models[0]["name"] = evil
    page.service.models[0]["types"] = [evil]
    entity = {"start": 0, "end": len(evil), "label": evil, "text": evil, "level": 1, "score": 1.0}
    document = {
        "entities": [{**entity, "parent": None}],
        "characters": 9,
        "truncated": False,
        "dropped": [],
    }
    page.service.extract = lambda r: (
        200,
        {"model": r["model"], "version": evil, "documents": [document]},
    )
    page.open()
    page.type(evil)
    assert page.marks() == [[evil, evil]]
    for view in ("tree", "table", "json", "text"):
        page.click(f"[data-view={view}]")
    page.click("mark")
    page.set("#format", "svg")
    assert page.tab.run("[window.broken, document.images.length]") == [None, 0]
    assert page.tab.complaints() == []
    allowed = (page.service.address, "data:", "blob:", "about:")
    assert all(url.startswith(allowed) for url in page.tab.requests())
    page.tab.open(downloaded(page, tmp_path, "html").as_uri())
    assert page.tab.run("[window.broken, document.images.length]") == [None, 0]
    assert page.tab.run("document.querySelector('mark').dataset.type") == evil
