"""An article in; whether it is an advertisement out.

Knows English and German. A label decides by itself, as does a sentence that only sellers
write; prices, discounts and appeals have to come together. News about sales stays.
"""

import re

from feedloom.model.distilled.requests import DigestArticle

_BEGINNING = 400
_ENOUGH = 3
_LABELS = (
    "ad|ads|advert|advertisement|advertorial|sponsored|promoted|promotion|paid post|paid content"
    "|paid partnership|partner content|sponsored post|sponsored content|brand post"
    "|anzeige|anzeigen|werbung|publireportage"
)
_LABELLED = re.compile(
    rf"^\W*(?:{_LABELS})(?:\s*[\]):|]|\s[\u2013\u2014-])|[\[(](?:{_LABELS})[\])]|^\W*sponsored by\b"
    rf"|(?:\||\s[\u2013\u2014-])\s*(?:{_LABELS})\W*$",
    re.IGNORECASE,
)
_CATEGORY = re.compile(rf"(?:{_LABELS}|deals?|coupons?|gutscheine?|angebote)", re.IGNORECASE)
_ADDRESS = re.compile(
    r"/(?:sponsored|sponsored-content|advertorials?|anzeigen?|partner-content|promotions?|deals"
    r"|coupons?|gutscheine?)(?:/|$)",
    re.IGNORECASE,
)
_SELLING = re.compile(
    r"\b(?:(?:promo|coupon|discount|voucher) code|gutscheincode|rabattcode"
    r"|(?:post|article|story|content) (?:is|was) (?:sponsored|paid for)"
    r"|we (?:may )?earn (?:a|an affiliate) commission|contains affiliate links"
    r"|(?:buy|shop|order yours) (?:it )?now|order (?:now|today)\b|limited[- ]time offer"
    r"|while (?:stocks?|supplies) lasts?|free shipping|money[- ]back guarantee"
    r"|jetzt (?:kaufen|bestellen|zugreifen|sichern)|solange der vorrat reicht|versandkostenfrei"
    r"|geld[- ]zur\u00fcck[- ]garantie)\b",
    re.IGNORECASE,
)
_EVENT = r"\b(?:black friday|cyber monday|prime day|(?:spring|summer|autumn|winter) sale)\b"
_APPEAL = (
    r"\b(?:(?:sign up|register|subscribe|book|enrol+|start|try)"
    r" (?:now|today|for free|your free)|don['\u2019]t miss (?:out|this|these)|last chance"
    r"|today only|(?:best|lowest) price|free trial|get yours|grab (?:it|yours|this|these)"
    r"|treat yourself|jetzt (?:anmelden|buchen|sparen|testen)|nur heute|nicht verpassen)\b"
)
_DISCOUNT = (
    r"\d{1,2} ?(?:%|percent|prozent) (?:off|discount|rabatt|reduziert|g\u00fcnstiger|sparen)"
    r"|\bsave (?:up to )?[$\u20ac\u00a3]?\d|\bbis zu \d{1,2} ?(?:%|prozent)\b"
)
_DEAL = (
    r"\b(?:deals?|bargains?|giveaways?|coupons?|vouchers?|discounted|special offers?"
    r"|schn\u00e4ppchen|gutscheine?|rabattaktion|sonderangebote?)\b"
)
_PRICE = (
    r"[$\u20ac\u00a3] ?\d{1,4}(?:[.,]\d\d)?(?![\d,.]* ?(?:bn|m|k|b|tn|billion|million"
    r"|thousand|mrd|mio)\b)(?![\d,])|\b\d{1,4}(?:,\d\d)? (?:\u20ac|euro)(?! ?(?:mrd|mio))"
)
_SIGNS = tuple(
    (weight, re.compile(pattern, re.IGNORECASE))
    for weight, pattern in ((2, _EVENT), (2, _APPEAL), (1, _DISCOUNT), (1, _DEAL), (1, _PRICE))
)


def is_advertisement(article: DigestArticle) -> bool:
    text = f"{article.title}\n{article.excerpt[:_BEGINNING]}"
    return (
        _LABELLED.search(article.title) is not None
        or _ADDRESS.search(article.url) is not None
        or any(_CATEGORY.fullmatch(category.strip()) for category in article.categories)
        or _SELLING.search(text) is not None
        or sum(weight for weight, sign in _SIGNS if sign.search(text)) >= _ENOUGH
    )
