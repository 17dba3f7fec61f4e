"""Prompt files and untrusted text in; messages for a model out.

Prompts are versioned files, an operator's own file comes first. What an article says
is data: it is cleaned of what could pass for structure, cut to a length, and put
between two lines with a mark nobody can guess. Reads files once, at the start.
"""

import hashlib
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from string import Template

from feedloom.markup import plain
from feedloom.model.distilled.requests import Message, ModelPurpose
from feedloom.model.errors import ConfigError

LANGUAGES = ("en", "de")
_VERSIONS = {
    ModelPurpose.DEFRAME: 1,
    ModelPurpose.DIGEST: 3,
    ModelPurpose.BOOKMARK: 1,
    ModelPurpose.TOPIC: 1,
}
_LARGEST_PROMPT = 20_000
# Control tokens of chat templates; servers of local models may read them even in the
# middle of a message.
_TEMPLATE_TOKENS = re.compile(
    r"<\|[^<>|]{0,40}\|>|\[/?(?:INST|SYS)\]|<</?SYS>>|</?s>|<(?:start|end)_of_turn>"
)
_RULES = re.compile(r"={3,}")
_OF_A_FEED = re.compile(
    rf"deframe\.(?P<key>[a-z0-9-]{{1,40}})\.(?P<language>{'|'.join(LANGUAGES)})\.txt"
)


@dataclass(frozen=True, slots=True)
class Prompt:
    text: str
    version: str


class Prompts:
    def __init__(
        self,
        own_dir: Path | None = None,
        *,
        new_mark: Callable[[], str] = lambda: secrets.token_hex(12),
    ) -> None:
        self._new_mark = new_mark
        self._prompts = {
            (purpose, language): _read(purpose, language, own_dir)
            for purpose in _VERSIONS
            for language in LANGUAGES
        }
        self._of_feeds = {} if own_dir is None else _read_for_feeds(own_dir)

    @property
    def keys(self) -> frozenset[str]:
        return frozenset(key for key, _ in self._of_feeds)

    def version(self, purpose: ModelPurpose, language: str | None, key: str | None = None) -> str:
        return self._chosen(purpose, language, key).version

    def messages(
        self,
        purpose: ModelPurpose,
        language: str | None,
        data: Mapping[str, str],
        *,
        key: str | None = None,
        **values: str,
    ) -> tuple[Message, ...]:
        """Build the conversation: our instructions, then the fenced data."""
        body = "\n".join(f"{name}: {defused(text)}" for name, text in data.items())
        mark = self._new_mark()
        while mark in body:
            mark = self._new_mark()
        prompt = self._chosen(purpose, language, key)
        system = Template(prompt.text).safe_substitute(values, mark=mark)
        fenced = f"=====BEGIN {mark}=====\n{body}\n=====END {mark}====="
        return Message("system", system), Message("user", fenced)

    def _chosen(self, purpose: ModelPurpose, language: str | None, key: str | None) -> Prompt:
        usual = self._prompts[purpose, spoken(language)]
        if purpose is not ModelPurpose.DEFRAME or key is None:
            return usual
        # A file that is gone, or there in other languages only, keeps nobody waiting.
        return self._of_feeds.get((key, spoken(language)), usual)


def spoken(language: str | None) -> str:
    short = (language or "").partition("-")[0].lower()
    return short if short in LANGUAGES else LANGUAGES[0]


def defused(text: str) -> str:
    """Take out of a text what could pass for the structure around it."""
    return _RULES.sub("==", _TEMPLATE_TOKENS.sub(" ", plain(text, markup=False)))


def _read(purpose: ModelPurpose, language: str, own_dir: Path | None) -> Prompt:
    version = f"{purpose}.{language}.v{_VERSIONS[purpose]}"
    own = own_dir / f"{purpose}.{language}.txt" if own_dir else None
    if own is None or not own.exists():
        shipped = resources.files("feedloom.distill") / "prompts" / f"{version}.txt"
        return Prompt(shipped.read_text("utf-8"), version)
    return _own(own)


def _read_for_feeds(own_dir: Path) -> dict[tuple[str, str], Prompt]:
    """Read ``deframe.KEY.LANGUAGE.txt``: prompts that single feeds are given."""
    names = {path: _OF_A_FEED.fullmatch(path.name) for path in own_dir.glob("*.txt")}
    return {
        (name["key"], name["language"]): _own(path)
        for path, name in names.items()
        if name is not None
    }


def _own(own: Path) -> Prompt:
    try:
        text = own.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"The prompt file {own.name} cannot be read.") from error
    if not text.strip() or len(text) > _LARGEST_PROMPT:
        raise ConfigError(f"The prompt file {own.name} is empty or too long.")
    if "$mark" not in text:
        raise ConfigError(
            f"The prompt file {own.name} must tell the model about the mark around "
            "the article: use $mark as the shipped prompts do."
        )
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return Prompt(text, f"{own.stem}.own-{digest}")
