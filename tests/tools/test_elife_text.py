"""Articles of eLife become plain text, by a script run on a repository created here."""

import subprocess
import sys
from pathlib import Path

import pytest

import elife_text

TOOLS = Path(__file__).resolve().parents[2] / "tools"


def article(subject, title, body, kind="research-article"):
    return (
        f'<article article-type="{kind}"><front><article-meta><article-categories>'
        f'<subj-group subj-group-type="heading"><subject>{subject}</subject></subj-group>'
        f"</article-categories><title-group><article-title>{title}</article-title></title-group>"
        "<aff><institution>Institute of Somewhere or Other</institution></aff>"
        "<abstract><p>The abstract of an article on cells.</p></abstract></article-meta></front>"
        f"<body>{body}</body><back><p>Thanks to all who helped with this.</p></back></article>"
    )


@pytest.fixture
def repository(tmp_path):
    def make(**articles):
        folder = tmp_path / "repository"
        (folder / "articles").mkdir(parents=True)
        for name, text in articles.items():
            path = folder / "articles" / f"elife-{name[1:].replace('_', '-')}.xml"
            path.write_text(text, encoding="utf-8")
        git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b"]
        for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "Articles"]):
            subprocess.run([*git, *arguments], check=True)
        return folder

    return make


def run(repository, out, *options):
    script = [sys.executable, str(TOOLS / "elife_text.py")]
    return subprocess.run(
        [*script, str(repository), str(out), *options], capture_output=True, text=True
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("NF-κB", "NF-kappa B"),
        ("TNF-α", "TNF-alpha"),
        ("IκBα", "I kappa B alpha"),
        ("TGFβ1", "TGF beta 1"),
        ("αβ T cells, γ-rays", "alpha beta T cells, gamma-rays"),
        ("ΔNp63", "Delta Np63"),
        ("5 µM at 37°C", "5 microM at 37 degrees C"),
        ("“wild–type”\u00a0mice’s", '"wild-type" mice\'s'),
        ("the cell—or not—divides", "the cell -- or not -- divides"),
        ("seen (\1Smith et al., 2010\2; \1Lee, 2011\2).", "seen."),
        ("seen (reviewed in \1Smith et al., 2010\2) here", "seen here"),
        ("shown (p<0.05; \1Figure 1A\2) here", "shown (p<0.05) here"),
        ("shown (gating as in \1Figure 1A\2; n = 3)", "shown (n = 3)"),
        ("as \1Smith et al. 2010\2 found", "as Smith et al. 2010 found"),
        ("a rate (\3) of decay", "a rate of decay"),
    ],
)
def test_characters_and_references(text, expected):
    assert elife_text.plain(text) == expected


def test_only_prose_of_the_body_is_kept():
    body = (
        "<sec><title>Results</title><p>Cells of <italic>Mus</italic> took up Ca<sup>2+</sup> "
        '(<xref ref-type="bibr" rid="b1">Lee, 2011</xref>).</p>'
        "<fig><caption><p>A caption that should not be here.</p></caption></fig>"
        "<table-wrap><p>A table that should not be here.</p></table-wrap>"
        "<p>Where <inline-formula>a</inline-formula>, <inline-formula>b</inline-formula> and "
        "<inline-formula>c</inline-formula> stand for rates.</p></sec>"
    )
    text = article("Cell Biology", "How <italic>IκB</italic> comes and goes", body).encode()
    assert elife_text.article_text(("a", text)) == [
        "How I kappa B comes and goes",
        "The abstract of an article on cells.",
        "Cells of Mus took up Ca2+.",
    ]


def test_corrections_are_left_out():
    text = article("Cell Biology", "Correction of an article", "", "correction")
    assert elife_text.article_text(("a", text.encode())) == []


def test_damaged_xml_is_named():
    with pytest.raises(ValueError, match="git cat-file -p abc"):
        elife_text.article_text(("abc", b"<article>"))


def test_last_versions_nearest_subjects_first(repository, tmp_path):
    folder = repository(
        a00001_v1=article("Neuroscience", "On the nerves of a fly's wing", ""),
        a00002_v9=article("Cancer Biology", "On tumours, as first thought", ""),
        a00002_v10=article("Cancer Biology", "On tumours, thought over again", ""),
        a00003_v1=article("Immunology and Inflammation", "On the T cells of a mouse", ""),
    )
    out = tmp_path / "out.txt"
    assert run(folder, out).returncode == 0
    assert [line for line in out.read_text().splitlines() if line.startswith("On")] == [
        "On the T cells of a mouse",
        "On tumours, thought over again",
        "On the nerves of a fly's wing",
    ]
    assert run(folder, out, "--subjects", "Neuroscience").returncode == 0
    assert out.read_text().startswith("On the nerves")
    assert out.read_text().count("On ") == 1
    assert run(folder, out, "--limit-mb", "0.00001").returncode == 0
    assert out.read_text().count("On ") == 1


def test_unknown_subjects_and_other_folders_are_errors(repository, tmp_path):
    folder = repository(a00001_v1=article("Neuroscience", "On the nerves of a fly's wing", ""))
    wrong = run(folder, tmp_path / "out.txt", "--subjects", "Cooking")
    assert wrong.returncode != 0
    assert "Cooking" in wrong.stderr
    assert "Cell Biology" in wrong.stderr
    wrong = run(tmp_path, tmp_path / "out.txt")
    assert wrong.returncode != 0
    assert "pass a clone" in wrong.stderr
