"""Errors as people see them: a whole page, or a part that htmx puts in its place."""

from starlette.requests import Request
from starlette.responses import Response

from feedloom.serve.answers import Problem
from feedloom.serve.negotiation import is_htmx
from feedloom.serve.pages.rendering import render


def error_page(request: Request, problem: Problem) -> Response:
    """Draw a problem."""
    template = "error_part.html" if is_htmx(request) else "error.html"
    return render(request, template, problem.status, problem=problem)
