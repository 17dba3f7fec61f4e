"""Analyses for readers: what is analysed by whom, and what failures leave behind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest

from feedloom.distill import offline_engine
from feedloom.flow.distill.deframing import CalmTitles
from feedloom.model.distilled.proxies import FeedToAnalyse, StoredAnalysis
from feedloom.model.distilled.requests import AnalyzerResult, ArticleToAnalyse
from feedloom.model.errors import BudgetSpent, ModelAnswerInvalid, ModelResting
from feedloom.model.feed import CleanHTML
from feedloom.model.work import NewTask, Task
from tests.fakes import START, FixedClock
from tests.unit.flow.test_deframing import RESULT, article

OFFLINE = offline_engine().analyzer


@dataclass
class Store:
    feed: FeedToAnalyse | None
    saved: dict[int, StoredAnalysis] = field(default_factory=dict)
    failed: list[tuple[int, object]] = field(default_factory=list)

    async def wanted(self, _feed_id: int) -> FeedToAnalyse | None:
        if self.feed is None:
            return None
        articles = tuple(
            replace(each, analysis=self.saved.get(each.id, each.analysis))
            for each in self.feed.articles
            if each.id not in dict(self.failed)
        )
        return replace(self.feed, articles=articles)

    async def contents(self, ids: Sequence[int]) -> dict[int, CleanHTML]:
        return {n: CleanHTML("<p>Text.</p>") for n in ids}

    async def save(self, _feed: int, analyses: Mapping[int, StoredAnalysis]) -> None:
        self.saved |= analyses

    async def note_failure(self, id_: int, _error: str, *, retry_at: object) -> None:
        self.failed.append((id_, retry_at))


@dataclass
class Tasks:
    added: list[NewTask] = field(default_factory=list)

    async def add(self, task: NewTask) -> int:
        self.added.append(task)
        return 1


@dataclass
class Model:
    """An analyzer that fails from some article on."""

    error: Exception | None = None
    good: int = 0
    asked: int = 0
    model: str = "some-model"

    def prompt_version(self, language: str | None, prompt_key: str | None = None) -> str:
        return f"{language}.{prompt_key}"

    def reads_text(self, _title: str, _description: str, _language: str | None) -> bool:
        return True

    async def analyse(self, _article: ArticleToAnalyse) -> AnalyzerResult:
        self.asked += 1
        if self.error is not None and self.asked > self.good:
            raise self.error
        return RESULT


def feed(**changes: object) -> FeedToAnalyse:
    articles = tuple(article(n) for n in range(1, 4))
    made = FeedToAnalyse(1, articles, ({},), is_private=False)
    return replace(made, **changes)  # type: ignore[arg-type]  # names are the test's


async def run(store: Store, model: Model) -> tuple[Mapping[str, object], Tasks]:
    tasks = Tasks()
    calm = CalmTitles(store, tasks, model, OFFLINE, FixedClock(START))  # type: ignore[arg-type]  # fakes
    task = Task(1, "analyse", {"feed_id": 1}, user_id=None, attempts=1)
    return await calm.run(task), tasks


async def test_nothing_is_analysed_that_nobody_wants():
    model = Model()

    assert (await run(Store(None), model))[0] == {"analysed": 0}
    assert model.asked == 0


async def test_each_article_is_analysed_once():
    store, model = Store(feed()), Model()
    await run(store, model)
    done = tuple(replace(each, analysis=store.saved[each.id]) for each in feed().articles)
    await run(Store(feed(articles=done)), model)

    assert model.asked == 3


@pytest.mark.parametrize(
    "changes", [{"is_private": True}, {"readers": ({"no_language_model": True},)}]
)
async def test_no_model_reads_what_is_private_or_whose_readers_mind(changes: dict[str, object]):
    store, model = Store(feed(**changes)), Model()
    await run(store, model)

    assert model.asked == 0
    assert {each.model for each in store.saved.values()} == {OFFLINE.model}


@pytest.mark.parametrize("error", [ModelResting(), BudgetSpent()])
async def test_a_resting_model_is_asked_later_and_what_it_made_is_kept(error: Exception):
    store = Store(feed())
    _, tasks = await run(store, Model(error, good=1))

    assert set(store.saved) == {1}
    assert store.failed == []
    assert [t.run_at for t in tasks.added] == [START + timedelta(minutes=30)]


async def test_a_wrong_answer_counts_for_its_article_alone():
    store = Store(feed())
    await run(store, Model(ModelAnswerInvalid(), good=1))

    assert set(store.saved) == {1}
    assert [id_ for id_, _ in store.failed] == [2, 3]
