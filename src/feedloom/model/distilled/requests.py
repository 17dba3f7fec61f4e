"""Requests to and results of ``distill``: one frozen type per step, and ports.

Text fields are plain text unless their name says otherwise. What a model wrote is checked,
cut and cleaned before it is stored in a field here.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal, Protocol

from feedloom.model.feed import CleanHTML

DIMENSIONS = ("framing", "clickbait", "persuasive", "hyper_stimulus", "speculative")
SCORE_NAMES = {
    "clickbait": "clickbait",
    "framing": "slant",
    "hyper_stimulus": "hype",
    "speculative": "speculation",
    "persuasive": "persuasion",
}
"""What readers and ``feedloom deframe`` call the dimensions."""


class ModelPurpose(StrEnum):
    DEFRAME = "deframe"
    DIGEST = "digest"
    BOOKMARK = "bookmark"
    TOPIC = "topic"
    PREFLIGHT = "preflight"
    EMBED = "embed"


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Task:
    purpose: ModelPurpose
    messages: tuple[Message, ...]
    schema: Mapping[str, object]
    """The strict part of JSON Schema that ``distill`` knows."""
    user_id: int | None = None
    """Whose budget it is; None for work that is everybody's."""
    temperature: float = 0.0
    max_tokens: int = 1000


@dataclass(frozen=True, slots=True)
class Answer:
    value: Mapping[str, object]
    model: str
    tokens_in: int = 0
    tokens_out: int = 0
    cost_micros: int = 0
    """Millionths of a US dollar, for all calls the answer took."""
    repaired: bool = False


class CallOutcome(StrEnum):
    OK = "ok"
    INVALID = "invalid"
    """An answer that does not fit the schema."""
    REFUSED = "refused"
    CUT = "cut"
    """The answer reached its token limit."""
    TIMED_OUT = "timed_out"
    RATE_LIMITED = "rate_limited"
    REJECTED = "rejected"
    """The provider refused the request: key, money, model name, parameters."""
    PROVIDER_ERROR = "provider_error"
    UNREACHABLE = "unreachable"
    TOO_LARGE = "too_large"
    UNREADABLE = "unreadable"
    """A success in name, without an answer that can be read."""


@dataclass(frozen=True, slots=True)
class PlannedCall:
    purpose: ModelPurpose
    user_id: int | None
    model: str
    tokens: int
    cost_micros: int


@dataclass(frozen=True, slots=True)
class CallRecord:
    """What a call did cost. A call that may have been billed counts as planned."""

    purpose: ModelPurpose
    user_id: int | None
    model: str
    outcome: CallOutcome
    tokens_in: int
    tokens_out: int
    cost_micros: int
    ms: int = 0


@dataclass(frozen=True, slots=True)
class Score:
    """How strong one way of slanting is, 0 to 1, and why; None is *not judged*."""

    value: float | None
    reason: str


def overall_score(scores: Iterable[Score]) -> float | None:
    """Return the score people filter by: mostly the worst one, partly the mean.

    Only judged scores count; None if there are none.
    """
    values = [score.value for score in scores if score.value is not None]
    if not values:
        return None
    return round(0.7 * max(values) + 0.3 * sum(values) / len(values), 3)


class TitleKind(StrEnum):
    """What a calm title is."""

    SAME = "same"
    TYPOGRAPHY = "typography"
    """The original with quieter letters, marks and labels."""
    QUOTATION = "quotation"
    """A sentence of the article, word for word."""
    REWRITTEN = "rewritten"
    """A language model wrote it."""


@dataclass(frozen=True, slots=True)
class ArticleToAnalyse:
    title: str
    description: str
    text: str = ""
    """The page's own text, when it could be extracted."""
    language: str | None = None
    prompt_key: str | None = None
    """Which of the operator's prompts for single feeds is used; None for none."""
    feed_texts: tuple[str, ...] = ()
    """Other articles of the feed; how they write a word tells names and acronyms."""


@dataclass(frozen=True, slots=True)
class AnalyzerResult:
    """An article's title and description without their slant, with scores."""

    title_original: str
    description_original: str
    title_corrected: str
    title_correction_reason: str
    description_corrected: str
    description_correction_reason: str
    framing: Score
    clickbait: Score
    persuasive: Score
    hyper_stimulus: Score
    speculative: Score
    overall_reason: str
    category: str
    title_kind: TitleKind = TitleKind.REWRITTEN

    @property
    def calm_title(self) -> str:
        """The title as people read it; a quotation stands in its marks."""
        if self.title_kind is TitleKind.QUOTATION:
            return f"\u201c{self.title_corrected}\u201d"
        return self.title_corrected

    @property
    def is_calmed(self) -> bool:
        return bool(self.title_corrected) and self.calm_title != self.title_original

    @property
    def scores(self) -> tuple[Score, ...]:
        """The five scores, in the order of ``DIMENSIONS``."""
        return tuple(getattr(self, name) for name in DIMENSIONS)

    @property
    def overall(self) -> float | None:
        """The one figure people filter by; None when nothing was judged."""
        return overall_score(self.scores)

    def as_json(self) -> dict[str, str | float | None]:
        document: dict[str, str | float | None] = {name: getattr(self, name) for name in _TEXTS}
        for name, score in zip(DIMENSIONS, self.scores, strict=True):
            document[name] = score.value
            document[f"{name}_reason"] = score.reason
        document["overall"] = self.overall
        document["title_kind"] = self.title_kind.value
        return document

    @classmethod
    def from_json(cls, document: object) -> "AnalyzerResult | None":
        """Read the stored form; None where that is something else."""
        try:
            return cls._of(document) if isinstance(document, dict) else None
        except (KeyError, ValueError):
            return None

    @classmethod
    def _of(cls, document: Mapping[str, object]) -> "AnalyzerResult":
        title = str(document["title_corrected"])
        kind = document.get("title_kind")
        if kind is None:
            kind = TitleKind.REWRITTEN
            if str(document["title_correction_reason"]).startswith("offline rules"):
                # The rules of 0.1.0 replaced words, and some of these changes were wrong.
                title, kind = str(document["title_original"]), TitleKind.SAME
        texts = {name: str(document[name]) for name in _TEXTS} | {"title_corrected": title}
        scores = {name: _read_score(document, name) for name in DIMENSIONS}
        return cls(**texts, **scores, title_kind=TitleKind(str(kind)))  # type: ignore[arg-type]


def _read_score(document: Mapping[str, object], name: str) -> Score:
    value = document[name]
    told = None if value is None else float(str(value))
    return Score(told, str(document[f"{name}_reason"]))


_TEXTS = (
    "title_original",
    "description_original",
    "title_corrected",
    "title_correction_reason",
    "description_corrected",
    "description_correction_reason",
    "overall_reason",
    "category",
)


@dataclass(frozen=True, slots=True)
class DigestArticle:
    id: int
    title: str
    source: str
    published_at: datetime
    excerpt: str
    """The beginning of its text; offsets of evidence count its characters."""
    url: str
    cluster_key: str = ""
    language: str | None = None
    section: str = ""
    """The folder its reader keeps the feed in; empty for none."""
    calm_title: str | None = None
    """What its reader wants to see instead of the title."""
    categories: tuple[str, ...] = ()
    arrived_at: datetime | None = None
    story: int | None = None
    """The story it was put into when it arrived, where that is known."""


class Part(StrEnum):
    TITLE = "title"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Evidence:
    """Words of an article that a sentence rests on, and where they stand."""

    article_id: int
    part: Part
    start: int
    words: str
    sha256: str

    @classmethod
    def of(cls, article_id: int, part: Part, start: int, words: str) -> "Evidence":
        return cls(article_id, part, start, words, hash_of(words))

    @property
    def is_intact(self) -> bool:
        return hash_of(self.words) == self.sha256


def hash_of(words: str) -> str:
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence, or a few, with the articles that say so and their very words."""

    text: str
    article_ids: tuple[int, ...]
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class DigestParagraph:
    """What a digest says of one story."""

    claims: tuple[Claim, ...]
    section: str = ""
    headline: Claim | None = None
    source_ids: tuple[int, ...] = ()
    """An article of each source that reports the story."""

    @property
    def text(self) -> str:
        return " ".join(claim.text for claim in self.claims)

    @property
    def title(self) -> str:
        return self.headline.text if self.headline else ""

    @property
    def told(self) -> tuple[Claim, ...]:
        """All that it says, its headline first."""
        return self.claims if self.headline is None else (self.headline, *self.claims)

    @property
    def citations(self) -> tuple[int, ...]:
        """The articles that its sentences cite, each once, in order."""
        ids = (i for claim in self.claims for i in claim.article_ids)
        return tuple(dict.fromkeys(ids))

    @property
    def article_ids(self) -> tuple[int, ...]:
        """The articles it cites or names, each once; those of its sentences first."""
        ids = (*self.citations, *(i for claim in self.told for i in claim.article_ids))
        return tuple(dict.fromkeys((*ids, *self.source_ids)))


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How many articles a digest passed over, and why."""

    advertisements: int = 0
    near_empty: int = 0
    repeats: int = 0

    @property
    def text(self) -> str:
        """A sentence for people; empty when nothing was left out."""
        counts = (
            (self.advertisements, "advertisement"),
            (self.near_empty, "near-empty post"),
            (self.repeats, "repeat"),
        )
        told = [f"{n} {noun}{'' if n == 1 else 's'}" for n, noun in counts if n]
        listed = " and ".join(filter(None, (", ".join(told[:-1]), *told[-1:])))
        return f"Left out: {listed}." if listed else ""


@dataclass(frozen=True, slots=True)
class Digest:
    paragraphs: tuple[DigestParagraph, ...]
    model: str
    article_count: int
    note: str = ""
    """A sentence on how it was made, when people should know."""
    left_out: LeftOut = LeftOut()

    @property
    def article_ids(self) -> tuple[int, ...]:
        """Every article cited, each once, in order of its first citation."""
        ids = (i for paragraph in self.paragraphs for i in paragraph.article_ids)
        return tuple(dict.fromkeys(ids))


@dataclass(frozen=True, slots=True)
class PageToSummarise:
    title: str
    text: str
    description: str = ""
    language: str | None = None
    tags: tuple[str, ...] = ()
    """The person's own tags, which are preferred to new ones."""


@dataclass(frozen=True, slots=True)
class PageSummary:
    """Two or three sentences on a page, and tags to find it by."""

    summary: str
    tags: tuple[str, ...]
    model: str


@dataclass(frozen=True, slots=True)
class FeedToClassify:
    title: str
    description: str = ""
    recent_titles: tuple[str, ...] = ()
    site_url: str = ""
    language: str | None = None


@dataclass(frozen=True, slots=True)
class TopicGuess:
    """A proposed topic and how sure the classifier is, 0 to 1."""

    topic: str
    confidence: float
    model: str


@dataclass(frozen=True, slots=True)
class Extracted:
    """The article in a web page, without what surrounds it."""

    url: str
    title: str
    text: str
    markdown: str
    html: CleanHTML
    description: str = ""
    image_url: str | None = None
    author: str | None = None
    published_at: datetime | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Preflight:
    """What ``doctor`` says about the language model."""

    ok: bool
    model: str
    says: str
    """What was found, in one sentence."""
    advice: str = ""
    """What to do about it; empty when all is well."""
    facts: Mapping[str, str] = field(default_factory=dict)


class Spend(Protocol):
    """The ledger of calls to models, and the daily budget over it.

    A reservation is durable before ``reserve`` returns, and counts against the budget
    until ``record`` replaces it: a crash in between costs budget, never money.
    """

    async def reserve(self, call: PlannedCall) -> int:
        """Reserve the most a call may cost; raise ``BudgetSpent`` when none is left."""
        ...

    async def record(self, reservation: int, call: CallRecord) -> None: ...


class Embedder(Protocol):
    """A model that turns texts into vectors, which are close if the meanings are.

    Raises ``ModelUnavailable`` and ``BudgetSpent``.
    """

    @property
    def name(self) -> str: ...

    async def embed(
        self, texts: Sequence[str], *, user_id: int | None = None
    ) -> list[list[float]]: ...


class LanguageModel(Protocol):
    """A model that fills a schema and can do nothing else.

    Raises ``ModelUnavailable`` (provider down, slow or breaker open),
    ``ModelAnswerInvalid`` (no usable answer after a repair) and ``BudgetSpent``.
    """

    @property
    def name(self) -> str: ...

    async def complete(self, task: Task) -> Answer: ...


class Analyzer(Protocol):
    """Takes the slant out of titles and descriptions. Raises ``DistillError``."""

    @property
    def model(self) -> str: ...

    def prompt_version(self, language: str | None, prompt_key: str | None = None) -> str: ...

    def reads_text(self, title: str, description: str, language: str | None) -> bool:
        """Tell whether the article's text may change the result."""
        ...

    async def analyse(self, article: ArticleToAnalyse) -> AnalyzerResult:
        """Score an article and correct its title and description."""
        ...


class Digester(Protocol):
    """Writes the digest. Raises ``DistillError``."""

    async def digest(
        self, articles: Sequence[DigestArticle], language: str, *, user_id: int | None = None
    ) -> Digest:
        """Tell one person's articles, story by story."""
        ...


class Summariser(Protocol):
    """Summarises and tags saved pages. Raises ``DistillError``."""

    async def summarise(self, page: PageToSummarise, *, user_id: int | None = None) -> PageSummary:
        """Summarise one page in two or three sentences and tag it."""
        ...


class TopicClassifier(Protocol):
    """Proposes a topic for a feed. Raises ``DistillError``."""

    async def classify(
        self, feed: FeedToClassify, vocabulary: Sequence[str]
    ) -> TopicGuess | None: ...


class Extractor(Protocol):
    """Finds the article in a web page. Raises ``FetchError`` or ``DistillError``."""

    async def extract(self, url: str, *, selector: str = "") -> Extracted:
        """Read a page; with ``selector`` its text is what that finds, if anything."""
        ...

    async def close(self) -> None: ...
