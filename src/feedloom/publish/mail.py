"""A digest in; an email with plain text and HTML out, without tracking."""

import re
from collections.abc import Iterator
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from feedloom.model.distilled.digests import CitedArticle, Summary
from feedloom.model.distilled.requests import DigestParagraph
from feedloom.model.errors import MailRefused
from feedloom.publish.xml_text import attribute, text, web_address

_WORDS = {
    "en": ("Your digest", "Read it on Feedloom", "Stop these mails", "Sources"),
    "de": ("Ihr Überblick", "In Feedloom lesen", "Diese Mails abbestellen", "Quellen"),
}
_ADDRESS = re.compile(r"[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*@[\w.-]+", re.ASCII)
_ENCODED = "=?"
_MOST_SHOWN = 12
"""Of the sources of a story; how many there are is told."""
_BAD_ADDRESS = "Mail cannot be sent to this address."
_PAGE = (
    '<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>{title}</title>'
    '<meta name="viewport" content="width=device-width"></head>'
    '<body style="max-width:38em;margin:0 auto;padding:1em;font-family:sans-serif;line-height:1.5">'
    "{body}</body></html>"
)


def new_mail(sender: str, to: str, *, at: datetime, message_id: str, subject: str) -> EmailMessage:
    """Create a message; raise ``MailRefused`` for an unusable address."""
    if not _ADDRESS.fullmatch(to) or _ENCODED in to:
        raise MailRefused(_BAD_ADDRESS)
    mail = EmailMessage(policy=SMTP)
    mail["From"], mail["To"] = sender, to
    # The library decodes encoded words, and a headline may hide line breaks in one.
    mail["Subject"] = " ".join(subject.replace(_ENCODED, "= ?").split())
    mail["Date"], mail["Message-ID"] = format_datetime(at), message_id
    mail["Auto-Submitted"] = "auto-generated"
    return mail


def digest_mail(
    summary: Summary, *, sender: str, to: str, message_id: str, page_url: str, stop_url: str
) -> bytes:
    words = _WORDS.get(summary.language, _WORDS["en"])
    subject = digest_title(summary)[:150]
    mail = new_mail(sender, to, at=summary.created_at, message_id=message_id, subject=subject)
    mail["List-Unsubscribe"] = f"<{stop_url}>"
    mail["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    cited = {one.item_no: one for one in summary.cited}
    notes = f"{summary.note} {summary.left_out.text}".strip()
    ends = [(words[1], page_url), (words[2], stop_url)]
    plain = [*_plain(summary, cited, words[3]), notes, *(f"{said}: {url}" for said, url in ends)]
    mail.set_content("\n\n".join(part for part in plain if part))
    links = " · ".join(_link(url, said) for said, url in ends)
    body = f"{digest_html(summary)}<p><small>{links}</small></p>"
    page = _PAGE.format(language=summary.language, title=text(words[0]), body=body)
    mail.add_alternative(page, subtype="html")
    # Set last, because adding content replaces this header.
    mail["Content-Language"] = summary.language
    return mail.as_bytes()


def digest_html(summary: Summary) -> str:
    """Write a digest for mail programs and feed readers; all that is quoted is escaped."""
    cited = {one.item_no: one for one in summary.cited}
    sources = _WORDS.get(summary.language, _WORDS["en"])[3]
    notes = f"{summary.note} {summary.left_out.text}".strip()
    return "".join((*_html(summary, cited, sources), f"<p><small>{text(notes)}</small></p>"))


def digest_title(summary: Summary) -> str:
    name = _WORDS.get(summary.language, _WORDS["en"])[0]
    headline = next((p.title for p in summary.paragraphs if p.title), "")
    return f"{name}: {headline}" if headline else name


def _plain(summary: Summary, cited: dict[int, CitedArticle], sources: str) -> Iterator[str]:
    for section, paragraphs in summary.sections:
        if section:
            yield section.upper()
        for paragraph in paragraphs:
            told = [part for part in (paragraph.title, paragraph.text) if part]
            if found := _sources(paragraph, cited):
                told.append(f"{sources} ({len(found)}):")
                told += [f"- {one.source}: {web_address(one.url)}" for one in found[:_MOST_SHOWN]]
                told += ["- …"] if len(found) > _MOST_SHOWN else []
            yield "\n".join(told)


def _html(summary: Summary, cited: dict[int, CitedArticle], sources: str) -> Iterator[str]:
    for section, paragraphs in summary.sections:
        if section:
            yield f"<h2>{text(section)}</h2>"
        for paragraph in paragraphs:
            if paragraph.title:
                yield f"<h3>{text(paragraph.title)}</h3>"
            if paragraph.text:
                yield f"<p>{text(paragraph.text)}</p>"
            if found := _sources(paragraph, cited):
                links = [_link(web_address(one.url), one.source) for one in found[:_MOST_SHOWN]]
                links += ["…"] if len(found) > _MOST_SHOWN else []
                yield f"<p><small>{sources} ({len(found)}): {', '.join(links)}</small></p>"


def _sources(told: DigestParagraph, cited: dict[int, CitedArticle]) -> list[CitedArticle]:
    """List one article per source, or what the sentences cite if no sources are named."""
    items = told.source_ids or [item for claim in told.claims for item in claim.article_ids]
    return [cited[item] for item in dict.fromkeys(items) if item in cited]


def _link(url: str, said: str) -> str:
    return f'<a href="{attribute(url)}">{text(said)}</a>' if url else text(said)
