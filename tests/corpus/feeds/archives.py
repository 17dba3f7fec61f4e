"""Whole feeds as they are served every day, generated: news, blogs, podcasts.

The same seed gives the same bytes. Benchmarks use them, and the test that compares both
paths entry by entry.
"""

import html
import random
import re
from collections.abc import Callable
from datetime import timedelta

from tests.corpus.feeds.pieces import NOW, PROLOG, declared

WORDS = re.findall(
    r"\w+",
    "harbour window seldom bridge quiet engine market garden letter thunder copper"
    " village signal orchard ladder winter kettle meadow paper lantern river stone"
    " morning street summer carriage island needle pocket feather mirror cotton basket"
    " and the of a with under over near for beyond without between while because of the",
)
TAGS = ("News", "Science", "Village life", "R&D", "Opinion", "Music")
NAMES = ("Ann Example", "Bo Sørensen", "Chloé Martin", "Dara O'Neill")


class Writer:
    """Writes sentences, paragraphs and articles, always the same ones."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def words(self, least: int, most: int) -> str:
        return " ".join(self.chance.choices(WORDS, k=self.chance.randint(least, most)))

    def sentence(self) -> str:
        return self.words(6, 18).capitalize() + "."

    def paragraph(self) -> str:
        parts = [self.sentence() for _ in range(self.chance.randint(1, 4))]
        if self.chance.random() < 0.5:
            address = f"https://example.net/{self.words(1, 1)}/{self.chance.random():.9f}"
            parts.insert(1, f'<a href="{address}" rel="noopener">{self.words(1, 5)}</a>')
        if self.chance.random() < 0.4:
            parts.insert(0, f"<strong>{self.words(1, 3)}</strong>")
        if self.chance.random() < 0.3:
            parts.append(f"<em>{self.words(2, 4)} &amp; {self.words(1, 2)}</em>")
        if self.chance.random() < 0.2:
            parts.append(f'<span style="font-weight: 400;">{self.sentence()}</span>')
        return f'<p class="wp-block-paragraph">{" ".join(parts)}</p>\n\n\n\n'

    def figure(self) -> str:
        number = self.chance.randint(1, 99999)
        stem = f"https://cdn.example.net/uploads/2025/07/picture-{number}"
        sizes = ", ".join(f"{stem}-{w}x{w * 2 // 3}.jpg {w}w" for w in (300, 768, 1024))
        return (
            f'<figure class="wp-block-image size-large"><img loading="lazy"'
            f' decoding="async" width="1024" height="683" src="{stem}.jpg"'
            f' alt="{self.words(2, 6)}" class="wp-image-{number}" srcset="{sizes}"'
            f' sizes="auto, (max-width: 1024px) 100vw, 1024px" /><figcaption'
            f' class="wp-element-caption">{self.sentence()}</figcaption></figure>\n\n\n\n'
        )

    def pictured(self) -> str:
        number = self.chance.randint(1, 10**9)
        stem = f"https://cdn.example.net/image/fetch/f_auto,q_auto:good/{number}"
        sources = ", ".join(f"{stem}/w_{w}.jpeg {w}w" for w in (424, 848, 1272, 1456))
        told = html.escape(f'{{"src":"{stem}","height":683,"width":1024}}')
        return (
            '<div class="captioned-image-container"><figure><a class="image-link image2"'
            f' target="_blank" href="{stem}.jpeg" data-component-name="Image2ToDOM">'
            f'<div class="image2-inset"><picture><source type="image/webp"'
            f' srcset="{sources}" sizes="100vw"><img src="{stem}.jpeg" width="1024"'
            f' height="683" data-attrs="{told}" class="sizing-normal" alt=""'
            f' srcset="{sources}" sizes="100vw"></picture><div class="icons"><button'
            ' type="button" class="expand"><svg role="img" width="20" height="20"><g>'
            '<path d="M1 1l2 2"></path></g></svg></button></div></div></a></figure></div>'
        )

    def button(self) -> str:
        return (
            '<p class="button-wrapper" data-attrs="{}" data-component-name="Button">'
            '<a class="button primary" href="https://letters.example.org/subscribe?">'
            "<span>Subscribe now</span></a></p><div><hr></div>"
        )

    def block(self) -> str:
        kind = self.chance.random()
        if kind < 0.62:
            return self.paragraph()
        if kind < 0.74:
            return self.figure()
        if kind < 0.84:
            items = "".join(f"<li>{self.sentence()}</li>\n\n" for _ in range(4))
            return f'<ul class="wp-block-list">\n{items}</ul>\n\n\n\n'
        if kind < 0.94:
            name = self.words(2, 5)
            return f'<h2 class="wp-block-heading" id="h-{name[:9]}">{name}</h2>\n\n\n\n'
        quoted = self.sentence()
        return f'<blockquote class="wp-block-quote"><p>{quoted}</p></blockquote>\n\n\n\n'

    def article(self, size: int) -> str:
        parts: list[str] = []
        while sum(map(len, parts)) < size:
            parts.append(self.block())
        return "".join(parts)

    def title(self) -> str:
        return html.escape(self.words(4, 9).capitalize() + " & more", quote=False)


def _rfc822(number: int) -> str:
    at = NOW - timedelta(hours=5 * number + 1)
    return at.strftime("%a, %d %b %Y %H:%M:%S +0000")


def news_item(writer: Writer, number: int, _size: int) -> str:
    """A headline and a sentence or two."""
    address = f"https://example.org/news/{number}"
    picture = f"https://cdn.example.net/{number}.jpg"
    return (
        f"<item><title>{writer.title()}</title><link>{address}</link>"
        f"<description>{writer.sentence()} {writer.sentence()}</description>"
        f'<guid isPermaLink="true">{address}</guid><pubDate>{_rfc822(number)}</pubDate>'
        f"<category>{html.escape(writer.chance.choice(TAGS))}</category>"
        f'<media:thumbnail url="{picture}" width="240" height="135"/></item>\n'
    )


def blog_item(writer: Writer, number: int, size: int) -> str:
    """A whole article, as blog software writes it."""
    address = f"https://example.org/2025/07/post-{number}/"
    return (
        f"<item><title>{writer.title()}</title><link>{address}</link>"
        f"<comments>{address}#respond</comments>"
        f"<dc:creator><![CDATA[{writer.chance.choice(NAMES)}]]></dc:creator>"
        f"<pubDate>{_rfc822(number)}</pubDate>"
        f"<category><![CDATA[{writer.chance.choice(TAGS)}]]></category>"
        f"<category><![CDATA[{writer.chance.choice(TAGS)}]]></category>"
        f'<guid isPermaLink="false">https://example.org/?p={number}</guid>'
        f"<description><![CDATA[{writer.sentence()} [&#8230;]]]></description>"
        f"<content:encoded><![CDATA[{writer.article(size)}]]></content:encoded>"
        f"<wfw:commentRss>{address}feed/</wfw:commentRss>"
        "<slash:comments>0</slash:comments></item>\n"
    )


def newsletter_item(writer: Writer, number: int, size: int) -> str:
    """An issue of a newsletter: much markup around every picture and button."""
    parts: list[str] = []
    while sum(map(len, parts)) < size:
        parts.append(writer.pictured() if writer.chance.random() < 0.2 else "")
        parts.append(f"<p>{writer.sentence()} <span>{writer.sentence()}</span></p>")
        parts.append(writer.button() if writer.chance.random() < 0.1 else "")
    address = f"https://letters.example.org/p/{number}"
    return (
        f"<item><title><![CDATA[{writer.words(4, 9)}]]></title>"
        f"<description><![CDATA[{writer.sentence()}]]></description>"
        f'<link>{address}</link><guid isPermaLink="false">{address}</guid>'
        f"<dc:creator><![CDATA[{writer.chance.choice(NAMES)}]]></dc:creator>"
        f"<pubDate>{_rfc822(number)}</pubDate>"
        f'<enclosure url="https://cdn.example.net/{number}.jpeg" length="0"'
        f' type="image/jpeg"/><content:encoded><![CDATA[{"".join(parts)}]]>'
        "</content:encoded></item>\n"
    )


def podcast_item(writer: Writer, number: int, size: int) -> str:
    """An episode with notes."""
    notes = writer.article(size // 3)
    return (
        f"<item><title>{writer.title()}</title>"
        f"<link>https://example.org/episodes/{number}</link>"
        f'<guid isPermaLink="false">episode-{number}</guid>'
        f"<pubDate>{_rfc822(number)}</pubDate>"
        f"<itunes:author>{html.escape(writer.chance.choice(NAMES))}</itunes:author>"
        f"<itunes:summary>{writer.sentence()}</itunes:summary>"
        f"<itunes:duration>00:{number % 60:02}:07</itunes:duration>"
        f'<itunes:image href="https://cdn.example.net/{number}.png"/>'
        f'<enclosure url="https://cdn.example.net/{number}.mp3"'
        f' length="{1000 + number}" type="audio/mpeg"/>'
        f"<content:encoded>{html.escape(notes)}</content:encoded></item>\n"
    )


def atom_entry(writer: Writer, number: int, size: int) -> str:
    """An Atom entry with escaped content."""
    at = (NOW - timedelta(hours=5 * number + 1)).isoformat()
    return (
        f'<entry><title type="html">{writer.title()}</title>'
        f"<id>tag:example.org,2025:{number}</id><updated>{at}</updated>"
        f"<published>{at}</published><author><name>"
        f"{html.escape(writer.chance.choice(NAMES))}</name></author>"
        f'<category term="{html.escape(writer.chance.choice(TAGS))}"/>'
        f'<link rel="alternate" type="text/html" href="https://example.org/{number}"/>'
        f'<content type="html">{html.escape(writer.article(size))}</content></entry>\n'
    )


Item = Callable[[Writer, int, int], str]
RSS_HEAD = (
    f'{PROLOG}<rss version="2.0"'
    f"{declared('atom', 'content', 'dc', 'itunes', 'media', 'slash', 'sy', 'wfw')}>"
    "<channel><title>The village paper</title><link>https://example.org/</link>"
    "<description>What happened</description><language>en-GB</language>"
    '<atom:link href="https://example.org/feed/" rel="self"/>'
    "<sy:updatePeriod>hourly</sy:updatePeriod><generator>x</generator>\n"
)
ATOM_HEAD = (
    f'{PROLOG}<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en-GB">'
    "<title>The village paper</title><id>https://example.org/</id>"
    '<link href="https://example.org/"/><updated>2025-07-01T10:00:00Z</updated>\n'
)
KINDS: dict[str, Item] = {
    "news": news_item,
    "blog": blog_item,
    "newsletter": newsletter_item,
    "podcast": podcast_item,
    "atom": atom_entry,
}


def archive(kind: str, count: int, *, size: int = 4_000, seed: int = 1) -> bytes:
    """Write a feed of a kind with so many entries of about so many bytes of content."""
    writer = Writer(seed)
    items = "".join(KINDS[kind](writer, number, size) for number in range(count))
    if kind == "atom":
        return f"{ATOM_HEAD}{items}</feed>".encode()
    return f"{RSS_HEAD}{items}</channel></rss>".encode()
