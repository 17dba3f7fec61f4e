"""Everything a person has in; one JSON document out. Digests as Markdown, too."""

import json
import re
from collections.abc import Mapping
from datetime import datetime

from feedloom.model.distilled.documents import PersonExport
from feedloom.model.distilled.requests import Digest, DigestArticle
from feedloom.publish.xml_text import rfc3339, web_address

FORMAT = "feedloom-export-1"
_SPECIAL = re.compile(r"([\\`*_\[\]<>#|])")


def data_export(export: PersonExport) -> bytes:
    document = {
        "format": FORMAT,
        "version": export.version,
        "exported_at": export.exported_at,
        "profile": dict(export.profile),
        **{name: [dict(row) for row in rows] for name, rows in export.sections.items()},
    }
    told = json.dumps(document, default=_told, ensure_ascii=False, indent=1)
    return told.encode("utf-8", "replace")


def _told(value: object) -> object:
    if isinstance(value, datetime):
        return rfc3339(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} has no place in an export")


def digest_markdown(digest: Digest, articles: Mapping[int, DigestArticle]) -> str:
    cited = [articles[i] for i in digest.article_ids if i in articles]
    numbers = {article.id: number for number, article in enumerate(cited, 1)}
    lines = []
    for paragraph in digest.paragraphs:
        told = []
        for claim in paragraph.claims:
            marks = "".join(
                f"\\[{numbers[i]}\\]" for i in claim.article_ids if i in numbers
            )
            told.append(f"{_quoted(claim.text)} {marks}".strip())
        lines += [" ".join(told), ""]
    if digest.note:
        lines += [f"*{_quoted(digest.note)}*", ""]
    lines += [
        f"{numbers[a.id]}. [{_quoted(a.title)}](<{web_address(a.url)}>), {_quoted(a.source)}"
        for a in cited
    ]
    return "\n".join(lines) + "\n"


def _quoted(value: str) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(value.split()))
