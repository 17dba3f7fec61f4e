"""The API document is true: schema-driven requests find nothing it does not say."""

import asyncio
from collections.abc import Callable
from typing import Any

import hypothesis
import pytest
import schemathesis
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS

from tests.journeys.web.matrix import furnish, meaning, rows
from tests.serving import HTML, Server

EXAMPLES = 3
LONG = 150
# Whether an address has a feed or a name is taken is no matter of shapes; what is
# deleted here was asked for by its id before; and a flood of wrong passwords is throttled,
# as it should be: the matrix looks at those.
LEFT_OUT = {"positive_data_acceptance", "use_after_free", "ignored_auth"}


@pytest.fixture(params=[GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def mode(request):
    return request.param


async def test_every_operation_answers_as_the_document_says(
    shared_server, town_publisher, mode, scaled
):
    email = f"{mode.value}@example.org"
    visitor = await shared_server.register(email)
    url = town_publisher.feed("/town.xml")
    owned = await furnish(shared_server, visitor, email, url)
    secret = await shared_server.app_password(email)
    document = (await visitor.get("/api/openapi.json")).json()

    found = await asyncio.to_thread(
        walk, shared_server, document, secret, owned.ids, mode, scaled(EXAMPLES, LONG)
    )

    assert found > 30


def walk(
    server: Server,
    document: dict[str, Any],
    secret: str,
    ids: dict[str, str],
    mode: GenerationMode,
    count: int,
) -> int:
    """Try every operation with made-up requests; return how many there are."""
    schema = schemathesis.openapi.from_dict(document)
    left_out: list[Any] = [check for check in CHECKS.get_all() if check.__name__ in LEFT_OUT]
    operations: list[Any] = [result.ok() for result in schema.get_all_operations()]  # type: ignore[union-attr]  # ours is valid
    # What is deleted must have been read and changed before.
    operations.sort(key=lambda operation: operation.method == "delete")
    for operation in operations:
        if mode is GenerationMode.NEGATIVE and not can_be_wrong(operation):
            continue
        known = known_ids(operation.path, ids) if mode is GenerationMode.POSITIVE else {}

        def send(case: Any, known: dict[str, str] = known) -> None:
            if known:
                case.path_parameters = dict(known)
            case.call_and_validate(
                base_url=server.url,
                headers={"Authorization": f"Bearer {secret}"},
                excluded_checks=left_out,
            )

        try_many(operation.as_strategy(generation_mode=mode), send, count)
    return len(operations)


def try_many(cases: Any, send: Callable[[Any], None], count: int) -> None:
    """Send made-up requests until one is answered wrongly."""

    @hypothesis.settings(
        max_examples=count,
        # An object in place of a number may read like one ("limit=4"), which is no
        # fault of ours: few examples are the same each time, many are looked at.
        derandomize=count == EXAMPLES,
        deadline=None,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(case=cases)
    def try_one(case: Any) -> None:
        send(case)

    try_one()


def known_ids(path: str, ids: dict[str, str]) -> dict[str, str]:
    """Fill a path with things that are there, so that requests reach something."""
    row = next(row for row in rows() if row.path.replace(":path", "") == path)
    return {name: ids[meaning(row, name)] for name in row.names}


def can_be_wrong(operation: Any) -> bool:
    """Tell whether there is anything in an operation that could be misshapen."""
    return bool(operation.body or operation.query or operation.path_parameters)


async def test_every_route_of_the_api_is_in_the_document(shared_server):
    document = (await shared_server.visitor().get("/api/openapi.json")).json()

    assert document["openapi"] == "3.1.0"
    for path in ("/feeds", "/api/articles", "/api/bookmarks", "/api/tasks/{id}"):
        assert path in document["paths"]


async def test_operation_ids_are_unique(shared_server):
    document = (await shared_server.visitor().get("/api/openapi.json")).json()

    ids = [
        operation["operationId"]
        for methods in document["paths"].values()
        for operation in methods.values()
    ]
    assert len(ids) == len(set(ids))


async def test_the_document_has_a_page_of_our_own(shared_server):
    page = await shared_server.visitor().get("/api/docs", headers=HTML)

    assert page.status == 200
    assert "/feeds/{feed_id}/items/{item_id}/save" in page.text
    assert "https://" not in page.text.replace("https://www.rfc-editor.org", "")
