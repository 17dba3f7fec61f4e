"""What a browser loads before it can show its first page."""

from feedloom.serve.pages.assets import STYLE, assets


def test_style_and_scripts_weigh_little_on_the_first_visit():
    """Later visits load none of it again: the files are kept for good."""
    first = [
        asset.encoded("br")[0]
        for name, asset in assets().items()
        if name == STYLE or name.endswith("htmx.min.js") or name.startswith("js/")
    ]

    assert len(first) > 10
    assert sum(map(len, first)) < 70_000
