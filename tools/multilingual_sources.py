"""Where the training data of ``multilingual`` comes from, and what its types are called there."""

from __future__ import annotations

from dataclasses import dataclass

from published_corpora import Reader, columns, runs, tei, wikiann, zipped

PERSON, ORGANIZATION, PLACE, OTHER, TIME = "person", "organization", "place", "other", "time"
SPARSE = {PERSON, ORGANIZATION, PLACE}
FULL = {*SPARSE, OTHER, TIME}
_LABELS = {
    PERSON: "PER PERS PERSON per nam_liv_person nam_liv_character",
    ORGANIZATION: "ORG ORGANIZATION org nam_org_company nam_org_group_team nam_org_institution "
    "nam_org_nation nam_org_organization nam_org_political_party",
    PLACE: "LOC LOCATION LOCALIZATION PLACE GPE FACILITY loc nam_fac_goe nam_fac_road nam_loc "
    "nam_loc_country_region nam_loc_gpe_admin1 nam_loc_gpe_admin2 nam_loc_gpe_admin3 "
    "nam_loc_gpe_city nam_loc_gpe_country nam_loc_gpe_district nam_loc_historical_region "
    "nam_loc_hydronym nam_loc_hydronym_river nam_loc_hydronym_sea nam_loc_land_continent "
    "nam_loc_land_mountain nam_loc_land_region",
    OTHER: "EVENT MISC OTH PRO PRODUCT WORK WORK_OF_ART misc nam_eve_human nam_oth "
    "nam_pro_media_periodic nam_pro_title nam_pro_title_book",
    TIME: "DATE DATETIME PERIOD TIME TME",
}
TYPE_OF = {label: name for name, labels in _LABELS.items() for label in labels.split()}


@dataclass(frozen=True)
class Annotated:
    repo: str
    files: str
    """A regular expression."""
    sentences: Reader
    most: int = 200_000
    """Tokens, at most."""
    full: bool = False
    """Whether times and other names are annotated, too."""


_PARLIAMENTS = "AT BE BG CZ DK EE ES FI FR GR HR HU IS IT LV NL NO PL PT RS SE SI TR UA"
_TREEBANKS = "Croatian-SET Serbian-SET Slovak-SNK Portuguese-Bosque Swedish-Talbanken"
ANNOTATED = (
    Annotated("nytud+NYTK-NerKor", r"data/train/.*\.conllup", columns(5), 400_000),
    Annotated("bplank+DaNplus", r"data/da_news_train\.tsv", columns(1, 2)),
    Annotated("dumitrescustefan+ronec", r".*/ronec_iob\.zip", zipped, full=True),
    Annotated("klintan+swedish-ner-corpus", r"train_corpus\.txt", columns(1)),
    Annotated("TurkuNLP+turku-ner-corpus", r"data/conll/train\.tsv", columns(1), full=True),
    *(
        Annotated(f"UniversalNER+UNER_{name}", r".*-train\.iob2", columns(2, word=1))
        for name in _TREEBANKS.split()
    ),
    Annotated("UKPLab+linspector", r"extrinsic/data/ner/ru/train\.txt", columns(3)),
    Annotated("UKPLab+linspector", r"extrinsic/data/ner/tr/(?:dev|test)\.txt", columns(3), 100_000),
    Annotated("EuropeanaNewspapers+ner-corpora", r"enp_(?:NL|FR|DE)[^/]*/.*\.bio", runs, 300_000),
    *(
        Annotated("davidsbatista+NER-datasets", f"{folder}/train", wikiann(0, 1, f"{language}:"))
        for folder, language in (
            ("WikiANN/de", "de"),
            ("WikiANN/fr", "fr"),
            ("WikiANN/nl", "nl"),
            ("Portuguese/WikiANN", "pt"),
        )
    ),
    *(
        Annotated("Babelscape+wikineural", rf"data/wikiann/{name}/train\.conllu", wikiann(1, 2))
        for name in ("es", "pl", "ru")
    ),
    *(
        Annotated(f"COST-ELTeC+ELTeC-{language}", r"level2/.*\.xml", tei)
        for language in ("pol", "slv", "por")
    ),
    *(
        Annotated(
            "clarin-eric+ParlaMint",
            rf"Samples/ParlaMint-{country}/\d+/ParlaMint-{country}_[^/]*\.ana\.xml",
            tei,
        )
        for country in _PARLIAMENTS.split()
    ),
)

_NOVELS = "cze deu fra hrv hun ita nor pol por rom slv spa swe ukr"
FICTION = {
    **{f"COST-ELTeC+ELTeC-{name}": r"level1/.*\.xml" for name in _NOVELS.split()},
    "COST-ELTeC+ELTeC-rus": r"level0/.*\.xml",
    "dracor-org+rusdracor": r"tei/.*\.xml",
}
"""Repositories of novels and plays, and the files of their text."""
