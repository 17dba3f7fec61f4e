"""The cost of language models: today against the budget, and earlier days."""

from starlette.requests import Request
from starlette.responses import Response

from feedloom.serve.auth import services
from feedloom.serve.pages.charts import bars
from feedloom.serve.pages.renderer import render_page
from feedloom.serve.routes import Access, Route

_DAYS = 30
_MICRO = 1_000_000


async def spending(request: Request) -> Response:
    seen = await services(request).spending.overview(days=_DAYS)
    chart = bars(
        [(day.day.isoformat(), day.cost_micros) for day in reversed(seen.days)], least=_DAYS
    )
    return await render_page(request, "admin/spending.html", seen=seen, chart=chart, money=money)


def money(micros: int) -> str:
    amount = micros / _MICRO
    return f"{amount:,.2f}" if amount >= 1 or micros == 0 else f"{amount:.4f}"


ROUTES = (Route("/admin/spending", spending, ("GET",), Access.OPERATOR),)
