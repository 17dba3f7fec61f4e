"""Encodings, declared rightly, wrongly and not at all."""
# ruff: noqa: RUF001 - dashes and foreign letters are meant

from tests.corpus.feeds.pieces import PROLOG, Case, item, rss

LEGACY = {
    "iso-8859-1": "Café à la crème",
    "iso-8859-2": "Příliš žluťoučký kůň",
    "iso-8859-5": "Привет",
    "iso-8859-7": "Καλημέρα",
    "iso-8859-9": "Günaydın",
    "iso-8859-15": "Prix: 5 €",
    "windows-1250": "Zażółć gęślą",
    "windows-1251": "Привет, мир",
    "windows-1252": "“quoted” – dash",
    "windows-1253": "Καλημέρα κόσμε",
    "windows-1254": "Günaydın dünya",
    "windows-1255": "שלום",
    "windows-1256": "مرحبا",
    "windows-1257": "Ąžuolas",
    "koi8-r": "Привет",
    "koi8-u": "Привіт",
    "shift_jis": "日本語のニュース",
    "euc-jp": "日本語のニュース",
    "iso-2022-jp": "日本語のニュース",
    "euc-kr": "한국어 뉴스",
    "big5": "中文新聞",
    "gb2312": "中文新闻",
    "gbk": "中文新闻",
    "gb18030": "中文新闻",
    "tis-620": "สวัสดี",
    "macintosh": "Café",
}


def _document(title: str, encoding: str | None) -> str:
    body = rss(item(title=title)).removeprefix(PROLOG)
    if encoding is None:
        return body
    return f'<?xml version="1.0" encoding="{encoding}"?>{body}'


def _encoded(name: str, title: str) -> bytes:
    codec = {"windows-1252": "cp1252", "macintosh": "mac_roman"}.get(name, name)
    return _document(title, name).encode(codec)


DECLARED = [
    Case(
        f"encoding-{name}",
        f"a document in {name} that says so",
        _encoded(name, title),
        {"title": title, "feed.fast": True},
    )
    for name, title in LEGACY.items()
]
SMILE = "Grüße 😀 “hi”"

UNICODE = [
    Case("encoding-utf-8", "UTF-8", _document(SMILE, "utf-8").encode(), {"title": SMILE}),
    Case(
        "encoding-utf8-name",
        "UTF-8 under another name",
        _document(SMILE, "UTF8").encode(),
        {"title": SMILE},
    ),
    Case(
        "encoding-none", "no declaration at all", _document(SMILE, None).encode(), {"title": SMILE}
    ),
    Case(
        "encoding-bom",
        "UTF-8 with a byte order mark",
        _document(SMILE, "utf-8").encode("utf-8-sig"),
        {"title": SMILE},
    ),
    Case(
        "encoding-utf-16",
        "UTF-16 with a byte order mark",
        _document(SMILE, "utf-16").encode("utf-16"),
        {"title": SMILE},
    ),
    Case(
        "encoding-utf-16-be",
        "UTF-16, the other way round",
        b"\xfe\xff" + _document(SMILE, "utf-16").encode("utf-16-be"),
        {"title": SMILE},
    ),
    Case(
        "encoding-utf-16-bare",
        "UTF-16 without a mark",
        _document(SMILE, None).encode("utf-16-le"),
        {"title": SMILE},
        ordinary=False,
    ),
    Case(
        "encoding-utf-32",
        "UTF-32 with a byte order mark",
        _document(SMILE, "utf-32").encode("utf-32"),
        {"title": SMILE},
        ordinary=False,
    ),
    Case(
        "encoding-http",
        "only the server names the encoding",
        _document("Привет", None).encode("cp1251"),
        {"title": "Привет"},
        content_type="text/xml; charset=windows-1251",
        ordinary=False,
    ),
    Case(
        "encoding-http-wrong",
        "the server is wrong, the document right",
        _document(SMILE, "utf-8").encode(),
        {"title": SMILE},
        content_type="text/xml; charset=iso-8859-1",
    ),
]
WRONG = [
    Case(
        "encoding-cp1252-as-utf-8",
        "Windows letters declared as UTF-8",
        _document("Café “hi”", "utf-8").encode("cp1252"),
        {"title": "Café “hi”"},
        ordinary=False,
    ),
    Case(
        "encoding-cp1252-undeclared",
        "Windows letters declared as nothing",
        _document("Café “hi”", None).encode("cp1252"),
        {"title": "Café “hi”"},
        ordinary=False,
    ),
    Case(
        "encoding-cp1252-as-latin",
        "Windows quotes declared as Latin",
        _document("“hi”", "iso-8859-1").encode("cp1252"),
        {"title": "“hi”"},
        ordinary=False,
    ),
    Case(
        "encoding-one-stray",
        "UTF-8 with one Windows letter in it",
        _document("Grüße", "utf-8")
        .encode()
        .replace(b"A title", b"x")
        .replace(b"About", b"Caf\xe9"),
        {"title": "Grüße", "feed.description": "Café"},
        ordinary=False,
    ),
    Case(
        "encoding-cut-letter",
        "UTF-8 cut in the middle of a letter",
        _document("Gr", "utf-8").encode().replace(b"Gr", b"Gr\xc3"),
        {"title": "GrÃ"},
        ordinary=False,
    ),
    Case(
        "encoding-utf-16-said",
        "plain ASCII that says it is UTF-16",
        _document("Plain", "utf-16").encode(),
        {"title": "Plain"},
        ordinary=False,
    ),
    Case(
        "encoding-unknown",
        "an encoding nobody knows",
        _document(SMILE, "x-klingon").encode(),
        {"title": SMILE},
        ordinary=False,
    ),
    Case(
        "encoding-utf-7",
        "UTF-7 is not decoded",
        _document("+AGE-bc", "utf-7").encode(),
        {"title": "+AGE-bc"},
        ordinary=False,
    ),
    Case(
        "encoding-codec-that-is-none",
        "a Python codec that is no encoding",
        _document("Plain", "zlib").encode(),
        {"title": "Plain"},
        ordinary=False,
    ),
    Case(
        "encoding-twice",
        "UTF-8 encoded twice",
        _document("Grüße".encode().decode("cp1252"), "utf-8").encode(),
        {"title": "Grüße"},
        ordinary=False,
    ),
    Case(
        "encoding-twice-latin",
        "UTF-8 encoded twice, all of it Latin",
        _document("é".encode().decode("latin-1"), "utf-8").encode(),
        {"title": "é"},
        ordinary=False,
    ),
    Case(
        "encoding-c1",
        "C1 controls where Windows quotes were meant",
        _document("\x93hi\x94", "utf-8").encode(),
        {"title": "“hi”"},
        ordinary=False,
    ),
    Case(
        "encoding-c1-reference",
        "references to C1 controls",
        _document("&#147;hi&#x94;", "utf-8").encode(),
        {"title": "“hi”"},
        ordinary=False,
    ),
    Case(
        "encoding-nul",
        "NUL between the letters",
        _document("Pl\x00ain", "utf-8").encode(),
        {"title": "Plain"},
        ordinary=False,
    ),
    Case(
        "encoding-controls",
        "controls XML forbids",
        _document("Pl\x01\x0bain", "utf-8").encode(),
        {"title": "Plain"},
        ordinary=False,
    ),
    Case(
        "encoding-control-reference",
        "references to controls",
        _document("Pl&#1;&#x1F;ain", "utf-8").encode(),
        {"title": "Plain"},
        ordinary=False,
    ),
    Case(
        "encoding-surrogate",
        "a lone surrogate in bytes",
        _document("Plain", "utf-8").encode().replace(b"Plain", b"Pl\xed\xa0\x80ain"),
        {"count": 1},
        ordinary=False,
    ),
    Case(
        "encoding-overlong",
        "over-long UTF-8",
        _document("Plain", "utf-8").encode().replace(b"Plain", b"Pl\xc0\xafain"),
        {"count": 1},
        ordinary=False,
    ),
    Case(
        "encoding-noncharacter",
        "a character that is none",
        _document("Plain\ufffe", "utf-8").encode(),
        {"title": "Plain"},
        ordinary=False,
    ),
]
ENCODINGS = DECLARED + UNICODE + WRONG
