"""Whether the label of a feed means the whole site or one topic of it.

Labels and addresses go in, yes or no comes out. A label that holds nothing but words
for "all", "latest" or "RSS", and the site's own name, means the whole site; then the
address must say nothing else. Any other word is a topic.
"""

import re
from collections import Counter
from collections.abc import Iterable
from enum import StrEnum

from feedloom.model.urls import read_address

# Vowel signs and tone marks are no letters to Python, but parts of words.
_WORD = re.compile(
    r"(?:[^\W_]|[\u0300-\u036f\u05b0-\u05c7\u064b-\u0670\u0900-\u0eff\u1000-\u109f\u1780-\u17ff])+"
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_MAIN_WORDS = """
    main all latest top home homepage front frontpage news newest recent recently new headlines
    headline everything sitewide combined general full complete overall default principal current
    today
    alle alles neueste neuesten neuste aktuell aktuelle aktuelles nachrichten startseite
    schlagzeilen topmeldungen gesamt gesamte hauptfeed sämtliche topthemen eilmeldungen
    tous tout toutes toute dernières derniers derniere dernieres actualités actualites
    actualité actualite actus actu accueil une titres infos dernière général générale récents
    todo todos todas últimas ultimas últimos ultimos noticias portada inicio titulares
    actualidad notícias capa destaques último ultimo última principales recientes recentes geral
    manchetes ultimissime
    tutte tutti tutto ultime ultimi ultima notizie prima pagina
    laatste nieuws nieuwste voorpagina hoofdpunten algemeen belangrijkste binnen actueel
    alla allt senaste nyheter nytt startsidan seneste nyheder forside forsiden siste forsida
    kaikki pääuutiset uusimmat tuoreimmat uutiset etusivu
    wszystkie wszystko najnowsze wiadomości wiadomosci główna glowna aktualności
    vše vse všechny všechno nejnovější zprávy hlavní aktuality správy všetky
    összes osszes hírek hirek friss főoldal
    все всё последние новости новостей главная главные главное всі \u0443\u0441\u0456 останні
    новини новин
    головна \u0443\u0441\u0435 навіны апошнія
    tüm tum son haberler anasayfa manşet manset
    όλα όλες τελευταία τελευταίες νέα αρχική ειδήσεις ειδήσεων toate ultimele știri stiri acasă
    الكل كل جميع آخر اخر أحدث احدث أهم الأخبار الاخبار أخبار الرئيسية عاجل
    הכל חדשות החדשות ראשי כל מבזקים همه تمام اخبار آخرین خبرها
    trang chủ tin tức mới nhất nổi bật bài viết tất cả beranda berita terkini terbaru semua
    utama terpopuler naslovnica naslovna vijesti vesti sve najnovije najnovejše novice početna
    novosti новини новине последни всички насловна вести основные свежие naujienos visos
    ziņas visas jaunākās uudised kõik avaleht portada notícies últimes titulares destacadas
    breaking important major principales principali principaux wichtigste wichtige
    flash newsflash pressrelease pressreleases pressemitteilungen
    pressemeldungen communiqués communiques comunicados comunicati persberichten
    nyt toppsaker toppnyheter legfrissebb legújabb toate stirile știrile știrilor головні
    allar fréttir nýjustu forsíða të gjitha lajme lajmet bütün xəbərlər барлық жаңалықтар
    balita lahat habari zote newyddion ახალი ამბები ყველა բոլոր լուրեր նորություններ
    ताज़ा ताज़ा ताजा खबरें खबर ख़बरें समाचार सभी मुख्य होम टॉप न्यूज़ न्यूज ताज्या बातम्या सर्व
    সর্বশেষ সব খবর সংবাদ প্রধান শীর্ষ செய்திகள் முக்கிய சமீபத்திய తాజా వార్తలు అన్ని
    ਤਾਜ਼ਾ ਖ਼ਬਰਾਂ તાજા સમાચાર تازہ ترین خبریں تمام
"""
# Written without spaces between words.
_UNSPACED = re.compile(
    r"(?:最新|新着|主要|総合|情報|一覧|記事|すべて|トップ|ニュース|ホーム|速報|全体|全て|首页|首頁"
    r"|全部|头条|頭條|快讯|快訊|快报|快報|滚动|滾動|热点|熱點|重要|要闻|要聞|新闻|新聞|文章|即时|即時|焦点|焦點|综合|綜合|資訊|资讯|全|総"
    r"|전체|최신|톱|모든|최근|뉴스|홈|기사|주요|속보|헤드라인|종합|글|の|ข่าว|ล่าสุด|ทั้งหมด|หน้าแรก)+"
)
_FILLER_WORDS = """
    the a an of from in on at and our my your with for by to via us www com org net
    feed feeds rss rss2 atom atom1 xml rdf json jsonfeed webfeed newsfeed flux fil fuente
    canal kanal
    syndication subscribe subscription follow entire whole stories story articles
    article posts post entries entry items updates update content contents site website
    blog weblog page pages index icon icons fa link button img svg alt services service
    public static files api v1 export generated output out media html php aspx full
    text version format abonnieren abo per und von der die das aus mit im zum unsere
    artikel beiträge beitrage meldungen themen à au aux de la le les du des d l notre nos site
    articles el los las y en del nuestro entradas artículos articulos sitio do da dos os
    as e di il i gli articoli van het onze artikelen berichten från fra på inlägg
    nyhetsflöde innlegg indlæg syöte artykuły artykuly z wpisy ze stránek článků
    лента ленту сайта статьи записи материалы публикации стрічка статті статии
    what s just lo la più mas más mais ora hora minute \u03bf\u03b9 τα ροή cikk cikkek články
    clanky כתבות הכתבות المقالات مقالات フィード 配信 订阅 訂閱 피드 kênh dòng umpan kanal tin
    for as uit on line online ticker channel channels
"""
_MAIN = frozenset(_MAIN_WORDS.split())
_FILLER = frozenset(_FILLER_WORDS.split())
_LANGUAGE_CODES = """
    de fr es it pt nl pl ru sv tr ja ko zh fi da cs hu ro el he ar fa th vi en no nb
"""
_LANGUAGES = frozenset(_LANGUAGE_CODES.split())
"""Those that are seldom a country's code as well: /uk/ is Britain more often."""
_LANGUAGE = re.compile(r"([a-z]{2})(?:[-_]([a-z]{2}))?")
_LANGUAGE_FILE = re.compile(r"(?:rss|atom|feed|news|index)[._-]([a-z]{2})(?:\.\w+)?")
_NAMED_LANGUAGES = """
    english en, deutsch de, français fr, francais fr, español es, castellano es, italiano it,
    português pt, nederlands nl, polski pl, русский ru, русском ru, українська uk, svenska sv,
    dansk da, norsk no, suomi fi, suomeksi fi, magyar hu, čeština cs, česky cs, română ro,
    türkçe tr, ελληνικά el, العربية ar, עברית he, فارسی fa, 日本語 ja, 中文 zh, 한국어 ko,
    català ca, euskara eu, galego gl, slovenčina sk, hrvatski hr
"""
_LANGUAGE_NAMES = dict(pair.split() for pair in _NAMED_LANGUAGES.split(","))
_SILENT = _FILLER | frozenset(_LANGUAGE_NAMES)
"""Words of a label that say neither "all" nor what it is about."""
_MAX_NUMBER = 2
_NAME_WORDS = 4
_LIST_AND_NAME = 2
_MOST = 0.75


def words_in(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


class Says(StrEnum):
    ALL = "all"
    TOPIC = "topic"
    NOTHING = "nothing"
    """Only what kind of thing it is, or whose."""


def read_label(label: str, own: frozenset[str]) -> Says:
    """Tell what a label says, apart from its site's ``own`` name."""
    label = label.lower().replace("press release", "pressrelease")
    said = (word for word in words_in(label) if word not in _SILENT)
    left = [word for word in said if word not in own and not _is_number(word)]
    if not all(map(_is_main, left)):
        return Says.TOPIC
    return Says.ALL if left else Says.NOTHING


def _is_main(word: str) -> bool:
    return word in _MAIN or _UNSPACED.fullmatch(word) is not None


def has_main_word(label: str) -> bool:
    return any(_is_main(word) for word in words_in(label))


def read_path(url: str, page_url: str) -> Says:
    """Tell what an address says, seen from its page."""
    address = read_address(url)
    here = frozenset(read_address(page_url).path.lower().split("/"))
    segments = (s for s in address.path.split("/") if s and s.lower() not in here)
    words = words_in(_CAMEL.sub(" ", " ".join((*segments, address.query))))
    known = _MAIN | _FILLER | _LANGUAGES | frozenset(address.host.split("."))
    if not all(_is_number(word) or (word in known and len(word) > 1) for word in words):
        return Says.TOPIC
    return Says.ALL if any(word in _MAIN for word in words) else Says.NOTHING


def _is_number(word: str) -> bool:
    return word.isdigit() and len(word) <= _MAX_NUMBER


def shared_words(labels: Iterable[str]) -> frozenset[str]:
    """Return the words that most labels have in common: a site's name, mostly."""
    sets = [frozenset(words_in(label)) for label in dict.fromkeys(labels) if label]
    counts = Counter(word for words in sets for word in words)
    shared = {word for word, count in counts.items() if count >= max(2, len(sets) * _MOST)}
    return frozenset(shared) - _MAIN


def _says_only_feed(label: str) -> bool:
    says_feed = not {"rss", "feed", "feeds", "atom"}.isdisjoint(words_in(label))
    return says_feed and read_label(label, frozenset()) is Says.NOTHING


def name_words(site_name: str, title: str, url: str) -> frozenset[str]:
    """Return the words of a site's name, from what it is called and from its host."""
    host, path = read_address(url).host, read_address(url).path
    parts = re.split(r"\s[-\u2013\u2014|·:»]\s|\s[|·»]\s?", title)
    # The title of a front page that is short is a name.
    is_name = path == "/" and len(parts) == 1 and len(words_in(title)) <= _NAME_WORDS
    # "RSS feeds | Evening Leaf": who lists feeds says whose they are.
    is_of_list = len(parts) == _LIST_AND_NAME and any(map(_says_only_feed, parts))
    named = [part for part in parts if is_name or is_of_list or "".join(words_in(part)) in host]
    words = (*words_in(" ".join((site_name, *named))), *host.split("."))
    return frozenset(word for word in words if not word.isdigit())


def language_of(url: str) -> str:
    """Return the language an address names in its path, host or query, if any."""
    address = read_address(url)
    queries = [p.partition("=")[2] for p in address.query.split("&") if p[:4] == "lang"]
    label = address.host.partition(".")[0]
    for segment in (*address.path.lower().split("/")[1:3], label, *queries):
        match = _LANGUAGE.fullmatch(segment)
        if match and match[1] in _LANGUAGES:
            return segment.replace("_", "-")
    file = _LANGUAGE_FILE.fullmatch(address.path.lower().rpartition("/")[2])
    return file[1] if file and file[1] in _LANGUAGES else ""


def language_named(label: str) -> str:
    """Return the language that a label names, if it names just one."""
    named = {_LANGUAGE_NAMES[word] for word in words_in(label) if word in _LANGUAGE_NAMES}
    return named.pop() if len(named) == 1 else ""


def language_distance(feed: str, page: str) -> int:
    """Return how far a feed's language is from the page's: 0, 1 (region) or 4."""
    if not feed or not page or feed == "x-default":
        return 0
    (one, _, region), (other, _, wanted) = feed.partition("-"), page.partition("-")
    if one != other:
        return 4
    return int(bool(region and wanted) and region != wanted)
