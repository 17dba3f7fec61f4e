"""Articles as publishers write them, each with what cleaning must leave of it.

``NAME.html`` is the article, ``NAME.clean.html`` the golden result beside it. Run
``python -m tests.corpus.articles`` to write the results anew, and read the difference
before committing it.
"""

from pathlib import Path

from feedloom.markup import clean_html

HERE = Path(__file__).parent
BASE = "https://example.org/articles/today.html"
NAMES = sorted(path.stem for path in HERE.glob("*.html") if not path.name.endswith(".clean.html"))


def written(name: str) -> str:
    """Return an article as its publisher wrote it."""
    return (HERE / f"{name}.html").read_text()


def golden(name: str) -> str:
    """Return what cleaning must leave of an article."""
    return (HERE / f"{name}.clean.html").read_text()


def write_anew() -> None:
    """Write all golden results as the sanitiser gives them now."""
    for name in NAMES:
        result = clean_html(written(name), base_url=BASE)
        (HERE / f"{name}.clean.html").write_text(result)
