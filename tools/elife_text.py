"""Make plain text for pretraining from the articles of eLife (CC BY), one paragraph per line.

git clone --bare https://github.com/elifesciences/elife-article-xml
python tools/elife_text.py elife-article-xml.git elife.txt.xz --limit-mb 600

Titles, abstracts and body paragraphs of the last version of every article, molecular biology of the
immune system first. Greek letters are spelled out as in GENIA: NF-kappa B, TNF-alpha, 5 microM.
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
import unicodedata
from collections.abc import Iterator
from xml.etree import ElementTree

from repository_text import blobs, contents, write_text

NEAREST_FIRST = [
    "Immunology and Inflammation",
    "Chromosomes and Gene Expression",
    "Cancer Biology",
    "Biochemistry and Chemical Biology",
    "Cell Biology",
    "Genetics and Genomics",
    "Microbiology and Infectious Disease",
    "Stem Cells and Regenerative Medicine",
    "Developmental Biology",
    "Medicine",
    "Structural Biology and Molecular Biophysics",
    "Epidemiology and Global Health",
    "Computational and Systems Biology",
    "Plant Biology",
    "Evolutionary Biology",
    "Physics of Living Systems",
    "Ecology",
    "Neuroscience",
]
NO_PROSE = re.compile(
    "fig|fig-group|table-wrap|disp-formula|media|supplementary-material|graphic|inline-graphic|fn|"
    "fn-group|code|preformat|label|object-id"
)
NO_ARTICLE = ("correction", "retraction", "expression-of-concern")
MOST_FORMULAS = 2  # in a paragraph: they are dropped, and with more gaps it is not prose
GREEK = "αβγδεζηθικλμνξοπρσςτυφχψωΓΔΘΛΞΠΣΦΨΩ"
GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma "
    "sigma tau upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
)
LOOKALIKES = str.maketrans("ɑɣɛ∆△´˚º", "αγεΔΔ'°°")
PLAIN = str.maketrans(
    dict(zip("‐‑‒–−‘’‚′ʹ“”„″×∼≈", "-----'''''\"\"\"\"x~~", strict=True))
    | {"±": "+/-", "≤": "<=", "≥": ">=", "—": " -- ", "―": " -- ", "→": "-->", "°": " degrees "}
    | dict(zip(GREEK, GREEK_NAMES.split(" "), strict=True))
    | dict.fromkeys("\u00ad\u200b\u2060\ufeff", "")
)
BESIDE_GREEK = re.compile(rf"(?<=[{GREEK}])(?=\w)|(?<=\w)(?=[{GREEK}])")
MICRO = re.compile(r"(?<=\d)\s*μ(?=[A-Za-z])")
# In the text of a paragraph a reference is between \1 and \2, and \3 replaces a formula.
REFERENCE = re.compile("\1[^\2]*\2")
BRACKETS_WITH_REFERENCE = re.compile(r"\s*[(\[]([^()\[\]]*" "\1" r"[^()\[\]]*)[)\]]")
# The rest of a bracket without its references, if it is not worth keeping.
FILLER = re.compile(
    r"(?:\b(?:see|also|but|and|or|in|for|e\.?g|i\.?e|cf|as|by|from|to|with|reviewed?s?|an?|the|"
    r"recent|example|refs?|references?|panels?|left|right|top|bottom|middle|therein)\b|[\W\d_])*"
)
DANGLING = re.compile(r"\b(?:in|from|by|and|see|to|of|as|with|on|at|than|using|refs?\.?)$")


def last_versions(repo: str) -> list[str]:
    """The object names of the articles' last versions, by article number."""
    found = blobs(repo, r"articles/elife-(\d+)-v(\d+)\.xml")
    last = {int(number): name for name, number, _ in sorted(found, key=lambda row: int(row[2]))}
    return [last[number] for number in sorted(last)]


def distance(article: bytes, order: list[str]) -> int:
    """The rank in ``order`` of the article's nearest subject, or one past the end."""
    subjects = re.findall(r"<subject>([^<]*)", article.partition(b"</article-cat")[0].decode())
    return min((order.index(s) for s in subjects if s in order), default=len(order))


def marked_text(element: ElementTree.Element) -> str:
    """The text of an element, its references and formulas marked."""
    parts = [element.text or ""]
    for child in element:
        if child.tag == "xref":
            parts.append("\1" + re.sub(r"[()\[\]]", "", marked_text(child)) + "\2")
        elif child.tag == "inline-formula":
            parts.append("\3")
        elif not NO_PROSE.fullmatch(child.tag):
            text = marked_text(child)
            parts.append(f" {text} " if child.tag in ("p", "list", "list-item", "break") else text)
        parts.append(child.tail or "")
    return "".join(parts)


def without_references(brackets: re.Match[str]) -> str:
    kept = []
    for part in brackets[1].split(";"):
        rest = REFERENCE.sub("", part).strip(" ,:")
        dangling = rest != part.strip(" ,:") and DANGLING.search(rest)
        if not dangling and not FILLER.fullmatch(rest):
            kept.append(rest)
    return f" ({'; '.join(kept)})" if kept else ""


def plain(marked: str) -> str:
    """Plain characters only: Greek letters as words, no references in brackets, no markers."""
    text = BRACKETS_WITH_REFERENCE.sub(without_references, marked)
    text = re.sub("[\1-\3]", "", text).translate(LOOKALIKES)
    text = MICRO.sub(" micro", unicodedata.normalize("NFKC", text))
    text = BESIDE_GREEK.sub(" ", text).translate(PLAIN)
    text = re.sub(r"(?<![\w.])\([\s,;]*\)", "", text)
    return re.sub(r" (?=[,.;:)](?:\s|$))|(?<=\() ", "", " ".join(text.split()))


def paragraphs(element: ElementTree.Element) -> Iterator[str]:
    for child in element:
        if child.tag == "p":
            text = marked_text(child)
            if text.count("\3") <= MOST_FORMULAS:
                yield plain(text)
        elif not NO_PROSE.fullmatch(child.tag):
            yield from paragraphs(child)


def article_text(named: tuple[str, bytes]) -> list[str]:
    """The lines of an article: its title, abstracts and body."""
    name, article = named
    try:
        root = ElementTree.fromstring(article)
    except ElementTree.ParseError as error:
        raise ValueError(f"no XML: {error}; see git cat-file -p {name}") from None
    front = root.find("front/article-meta")
    if front is None or root.get("article-type") in NO_ARTICLE:
        return []
    lines = [plain(marked_text(title)) for title in front.iterfind("title-group/article-title")]
    for part in [*front.iterfind("abstract"), *root.iterfind("body")]:
        lines += paragraphs(part)
    return [line for line in lines if len(line) > 20 and not line.startswith("DOI:")]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("repo", help="a clone of elife-article-xml, bare or not")
    parser.add_argument("out", help="a .txt file, or .txt.xz, .txt.gz, .txt.zst")
    parser.add_argument(
        "--subjects", nargs="+", choices=NEAREST_FIRST, help="only these, in this order"
    )
    parser.add_argument("--limit-mb", type=float, default=float("inf"))
    options = parser.parse_args()
    order = options.subjects or NEAREST_FIRST
    articles = contents(options.repo, last_versions(options.repo))
    places = {name: distance(article, order) for name, article in articles}
    if options.subjects:
        places = {name: place for name, place in places.items() if place < len(order)}
    with multiprocessing.Pool(2) as pool:
        articles = contents(options.repo, sorted(places, key=places.__getitem__))
        write_text(options.out, pool.imap(article_text, articles, 8), options.limit_mb)


if __name__ == "__main__":
    main()
