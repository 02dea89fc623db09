"""Pointing at entities, navigating, filtering, and screen readers."""

from __future__ import annotations

import pytest

from helpers.page import TEXT, Page


def classes(page: Page, name: str) -> list[str]:
    found: list[str] = page.tab.run(
        f"[...document.querySelectorAll('mark.{name}')].map((m) => m.textContent)"
    )
    return found


@pytest.fixture(autouse=True)
def typed(page: Page) -> None:
    page.tab.resize(1200, 900)
    page.type(TEXT)


def test_pointing_lights_up_an_entity_with_all_around_and_inside_it(page: Page) -> None:
    page.tab.mouse(*page.middle("IL-2 gene"))
    page.tab.until("document.querySelector('mark.on')")
    assert classes(page, "on") == ["IL-2 gene"]
    assert classes(page, "around") == ["IL-2 gene promoter"]
    assert classes(page, "inside") == ["IL-2"]
    details = page.text("#details")
    assert all(part in details for part in ("IL-2 gene", "DNA›DNA", "score 0.8", "depth 2"))
    page.tab.mouse(5, 5)
    page.tab.until("!document.querySelector('mark.on')")
    assert "Point at an entity" in page.text("#details")


def test_a_click_picks_the_smallest(page: Page) -> None:
    page.tab.mouse(*page.middle("IL-2"), click=True)
    page.tab.mouse(5, 5)
    assert classes(page, "on") == ["IL-2"]
    assert classes(page, "around") == ["IL-2 gene promoter", "IL-2 gene"]
    assert page.text("#details nav") == "DNA›DNA›protein"
    page.click("#details nav button")
    assert classes(page, "on") == ["IL-2 gene promoter"]


def test_both_parts_of_a_cut_entity_light_up(page: Page) -> None:
    page.tab.mouse(*page.middle("kappa B"))
    page.tab.until("document.querySelector('mark.on')")
    assert classes(page, "on") == ["kappa B", " in activated"]


def test_a_tap(page: Page) -> None:
    page.tab.send("Emulation.setTouchEmulationEnabled", enabled=True)
    page.tab.tap(*page.middle("IL-2 gene"))
    page.tab.until("document.querySelector('mark.on')")
    assert classes(page, "on") == ["IL-2 gene"]


def test_selecting_text_selects_no_entity(page: Page) -> None:
    page.tab.run("getSelection().selectAllChildren(document.querySelector('#drawn'))")
    page.tab.run("document.querySelector('mark').click()")
    assert classes(page, "on") == []


def test_arrow_keys_walk_the_nest(page: Page) -> None:
    page.tab.run("document.querySelector('#drawn mark').focus()")
    path = [page.focused()]
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight"):
        page.tab.key(key)
        path.append(page.focused())
    assert path == [
        "IL-2 gene promoter: DNA, depth 1",
        "IL-2 gene: DNA, inside DNA, depth 2",
        "IL-2: protein, inside DNA, depth 3",
        "IL-2: protein, inside DNA, depth 3",
        "NF-kappa B: protein, depth 1",
        "kappa B in activated: RNA, depth 1",
        "activated T cells: cell_type, depth 1",
    ]
    for key, name in [
        ("ArrowDown", "T cells: cell_type, inside cell_type, depth 2"),
        ("ArrowUp", "activated T cells: cell_type, depth 1"),
        ("ArrowLeft", "kappa B in activated: RNA, depth 1"),
        ("Home", "IL-2 gene promoter: DNA, depth 1"),
        ("End", "T cells: cell_type, inside cell_type, depth 2"),
        ("ArrowLeft", "kappa B in activated: RNA, depth 1"),
    ]:
        page.tab.key(key)
        assert page.focused() == name
    assert classes(page, "on") == ["kappa B", " in activated"]
    page.tab.key("Escape")
    assert classes(page, "on") == []


def test_arrow_keys_follow_the_direction_of_the_text(page: Page) -> None:
    page.type("القدس ثم مدينة القدس")
    page.tab.run("document.querySelector('#drawn mark').focus()")
    page.tab.key("ArrowLeft")
    assert page.focused() == "مدينة القدس: RNA, depth 1"
    page.tab.key("ArrowRight")
    assert page.focused() == "القدس: DNA, depth 1"


def test_one_stop_for_the_tab_key(page: Page) -> None:
    page.tab.run("document.querySelector('#depth').focus()")
    page.tab.key("Tab")
    assert page.focused() == "IL-2 gene promoter: DNA, depth 1"
    page.tab.key("ArrowDown")
    page.tab.key("Tab")
    # Out of the text, to the path of the entity.
    assert page.tab.run("document.activeElement.textContent") == "DNA"
    page.tab.key("Tab", modifiers=8)
    assert page.focused() == "IL-2 gene: DNA, inside DNA, depth 2"


def test_filters(page: Page) -> None:
    page.click("input[value=protein]")
    assert page.text("#count") == "5 of 7 entities"
    assert not any(label == "protein" for label, _ in page.marks())
    page.set("#score", 50)
    assert page.text("output[for=score]") == "0.50"
    assert page.marks() == [
        ["DNA", "IL-2 gene promoter"],
        ["DNA", "IL-2 gene"],
        ["cell_type", "activated T cells"],
    ]
    page.set("#depth", 1)
    assert page.marks() == [["DNA", "IL-2 gene promoter"], ["cell_type", "activated T cells"]]
    page.click("input[value=protein]")
    page.set("#score", 0)
    page.set("#depth", 3)
    assert page.text("#count") == "7 entities"


def test_the_depth_of_the_last_of_very_many_entities(page: Page) -> None:
    page.click("input[value=protein]")
    flat = {"start": 0, "end": 4, "label": "protein", "level": 1, "score": 1.0, "parent": None}
    deep = {**flat, "label": "DNA", "parent": 0}
    document = {
        "entities": [*[flat] * 120_000, deep],
        "characters": 4,
        "truncated": False,
        "dropped": [],
    }
    page.service.extract = lambda _: (
        200,
        {"model": "genes", "version": "1", "documents": [document]},
    )
    page.type("IL-2")
    assert page.text("#count") == "1 of 120,001 entities"
    assert page.tab.run("document.querySelector('#depth').max") == "2"


def test_children_of_hidden_entities_move_up(page: Page) -> None:
    page.click("input[value=DNA]")
    page.tab.run("document.querySelector('#drawn mark').focus()")
    assert page.focused() == "IL-2: protein, depth 3"
    page.click("[data-view=tree]")
    assert page.tab.run("document.querySelectorAll('.tree > li').length") == 4


def test_tree(page: Page) -> None:
    page.click("[data-view=tree]")
    nested = page.tab.run(
        "((item) => [item.ariaLevel, item.querySelectorAll('li').length])"
        "(document.querySelector('.tree li'))"
    )
    assert nested == ["1", 2]
    page.tab.run("document.querySelector('.tree li').focus()")
    names = []
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight"):
        page.tab.key(key)
        names.append(page.focused())
    assert names == [
        "IL-2 gene: DNA, inside DNA, depth 2",
        "IL-2: protein, inside DNA, depth 3",
        "NF-kappa B: protein, depth 1",
        "IL-2: protein, inside DNA, depth 3",
        "IL-2 gene: DNA, inside DNA, depth 2",
        "IL-2: protein, inside DNA, depth 3",
    ]
    # What is selected stays selected in the text.
    page.click("[data-view=text]")
    assert classes(page, "on") == ["IL-2"]


def test_table(page: Page) -> None:
    page.click("[data-view=table]")
    cell = "[...document.querySelectorAll('tbody tr')].map((r) => r.cells[%d].textContent)"
    assert page.tab.run(cell % 0)[:3] == ["IL-2 gene promoter", "IL-2 gene", "IL-2"]
    page.click("th:nth-child(3) button")
    scores = page.tab.run(cell % 2)
    assert scores == sorted(scores)
    page.click("th:nth-child(3) button")
    assert page.tab.run(cell % 2) == sorted(scores, reverse=True)
    assert page.tab.run("document.querySelector('th[aria-sort]').ariaSort") == "descending"
    page.click("tbody tr:nth-child(2)")
    assert "IL-2 gene promoter" in page.text("#details")


def test_long_lists_grow_when_they_are_scrolled(page: Page) -> None:
    page.type(f"{TEXT}\n" * 100)
    page.click("[data-view=table]")
    assert page.tab.run("document.querySelectorAll('tbody tr[data-index]').length") == 200
    page.tab.run("scrollTo(0, document.documentElement.scrollHeight)")
    page.tab.until("document.querySelectorAll('tbody tr[data-index]').length > 200")
    page.click("[data-view=tree]")
    # An entity that is not drawn yet can be reached with the keys.
    page.tab.run("document.querySelector('.tree li').focus()")
    page.tab.key("End")
    assert page.focused() == "T cells: cell_type, inside cell_type, depth 2"


def test_what_a_screen_reader_hears(page: Page) -> None:
    nodes = page.tab.accessible()
    named = [(node["role"], node["name"]) for node in nodes]
    assert ("group", "IL-2: protein, inside DNA, depth 3") in named
    assert ("group", "IL-2 gene: DNA, inside DNA, depth 2") in named
    assert ("heading", "innermost") in named
    assert ("tab", "Text") in named
    assert ("slider", "Score at least 0.00") in named or ("slider", "Score at least") in named
    for role in ("button", "combobox", "textbox", "slider", "checkbox", "radio", "tab"):
        assert all(node["name"] for node in nodes if node["role"] == role), role
    # The text is complete and occurs once.
    texts = "".join(node["name"] or "" for node in nodes if node["role"] == "StaticText")
    assert texts.count("NF-") == 1 + texts.count("NF-kappa B in activated")
    (selected,) = [n for n in nodes if n["role"] == "tab" and n["properties"].get("selected")]
    assert selected["name"] == "Text"


def test_ids_are_unique_and_every_reference_has_its_target(page: Page) -> None:
    for view in ("text", "tree", "table", "json"):
        page.click(f"[data-view={view}]")
        wrong = page.tab.run(
            """(() => {
              const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
              const twice = ids.filter((id, i) => ids.indexOf(id) !== i);
              const names = ["for", "aria-controls", "aria-describedby", "aria-labelledby"];
              const dangling = names.flatMap((name) => [...document.querySelectorAll(`[${name}]`)]
                .map((e) => e.getAttribute(name)).filter((id) => !ids.includes(id)));
              return [...twice, ...dangling];
            })()"""
        )
        assert wrong == []
