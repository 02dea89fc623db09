"""Books of Project Gutenberg become plain text, by a script run on a repository created here."""

import lzma
import subprocess
import sys
from pathlib import Path

import pytest

import gutenberg_text

TOOLS = Path(__file__).resolve().parents[2] / "tools"
OPENING = (
    "The mill had stood beside the river since the days of the old king, and\n"
    "nobody in the village could say who had laid the first of its stones."
)
SPEECH = "“You never told me,” said the miller’s _second_ wife, and shut the door."
BESIDES = "The wind rose in the night and took the roof from the barn and the\nshed."


def book(*paragraphs, number=7, title="The Mill"):
    text = "\n\n".join(paragraphs)
    return (
        f"The Project Gutenberg EBook of {title}\n\nTitle: {title}\n\nRelease Date: 2001 "
        f"[EBook #{number}]\n\n*** START OF THIS PROJECT GUTENBERG EBOOK ***\n\n"
        f"Produced by A Volunteer\n\n{text}\n\nEnd of the Project Gutenberg EBook of {title}\n\n"
        "Updated editions will replace the previous one--the old editions\nwill be renamed.\n"
    ).replace("\n", "\r\n")


@pytest.fixture
def repository(tmp_path):
    def make(books):
        folder = tmp_path / "repository"
        for path, text in books.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8", newline="")
        git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b"]
        for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "Books"]):
            subprocess.run([*git, *arguments], check=True)
        return folder

    return make


def read_xz(path):
    return lzma.decompress(path.read_bytes()).decode()


def run(repository, out, *options):
    script = [sys.executable, str(TOOLS / "gutenberg_text.py")]
    return subprocess.run(
        [*script, str(repository), str(out), *options], capture_output=True, text=True
    )


def test_prose_is_kept_and_unwrapped():
    number, title, lines = gutenberg_text.book_text(
        ("a", book("THE MILL", "CHAPTER I. The River", OPENING, SPEECH, "“No!”").encode())
    )
    assert (number, title) == ("7", "themill")
    assert lines == [OPENING.replace("\n", " "), SPEECH.replace("_", ""), "“No!”"]


@pytest.mark.parametrize(
    "paragraph",
    [
        "CHAPTER THE FIRST",
        "Chapter XII. In which the Miller goes out",
        "[Illustration: The mill by night, and the\nmiller before it.]",
        "    The river runs, the river sings,\n    It knows of half a hundred things,\n    So.",
        "  The River          12\n  The Fair           31",
        "Contents",
        "IV.",
        "* The miller's own word.",
        "Transcriber's note: two words were mended on the first page of the book.",
        "Page 31: “mil” changed to “mill” where the miller comes home.",
    ],
)
def test_other_paragraphs_are_dropped(paragraph):
    lines = gutenberg_text.book_text(("a", book(OPENING, OPENING, SPEECH, paragraph).encode()))[2]
    assert len(lines) == 3


def test_words_that_look_like_notices_are_kept():
    line = "On the pretext of a walk he scanned the context of the letter."
    assert gutenberg_text.is_prose([line])


def test_verse_and_other_languages_give_no_text():
    verse = "The river runs,\nthe river sings,\nand the mill."
    french = "Le moulin se tenait au bord de la rivière depuis toujours, et personne\nn'en savait."
    for text in (book(*[verse] * 9, OPENING), book(*[french] * 9)):
        assert gutenberg_text.book_text(("a", text.encode()))[2] == []


def test_characters_are_those_of_litbank():
    line = "«Wait…» said the miller―the old one – and the river, the ‘Leda’ -- ran on."
    lines = gutenberg_text.book_text(("a", book(line, OPENING).encode()))[2]
    assert (
        lines[0] == '"Wait..." said the miller—the old one - and the river, the ‘Leda’ -- ran on.'
    )


def test_old_encodings_are_read():
    text = book(OPENING, "The miller drank the last of the café's coffee.")
    assert gutenberg_text.book_text(("a", text.encode("latin-1")))[2][1].endswith("café's coffee.")


def test_books_come_once_and_without_the_excluded(repository, tmp_path):
    folder = repository(
        {
            "Miller, Ann/The Mill.txt": book(OPENING, SPEECH),
            "Painter, Bob/The Mill.txt": book(OPENING, SPEECH, "“Other bytes.”"),
            "Miller, Ann/The Mill, Part 1.txt": book(OPENING, BESIDES, number=8, title="The Mills"),
            "Miller, Ann/The Fair.txt": book(BESIDES, number=9, title="The Fair, Part 1."),
            "Plato/Ion.txt": book(OPENING, SPEECH, SPEECH, number=10),
        }
    )
    out = tmp_path / "out.txt.xz"
    assert run(folder, out).returncode == 0
    text = read_xz(out)
    assert text.count("The mill had stood") == 1
    assert text.count("You never told me") == 1
    exclude = tmp_path / "exclude.txt"
    exclude.write_text("99_the_fair\n8\n")
    assert run(folder, out, "--exclude", str(exclude)).returncode == 0
    text = read_xz(out)
    assert "The wind rose" not in text
    assert "The mill had stood" in text


def test_a_folder_without_books_is_an_error(repository, tmp_path):
    wrong = run(repository({"README.md": "No books."}), tmp_path / "out.txt")
    assert wrong.returncode != 0
    assert "pass a clone" in wrong.stderr
