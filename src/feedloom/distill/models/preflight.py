"""One tiny call to the model in; what works and what to do about it out.

Never shows a key, nor what the provider wrote.
"""

import time

from feedloom.distill.models.guarded import GuardedModel
from feedloom.distill.models.wire import CallFailed, Shape
from feedloom.model.distilled.requests import CallOutcome, Message, ModelPurpose, Preflight, Task
from feedloom.model.errors import BudgetSpent

_TASK = Task(
    purpose=ModelPurpose.PREFLIGHT,
    messages=(
        Message("system", "You check that a connection works."),
        Message("user", 'Answer with {"word": "ready"}.'),
    ),
    schema={"type": "object", "properties": {"word": {"type": "string", "maxLength": 40}}},
    max_tokens=40,
)

_BY_STATUS = {
    401: ("The provider refused the key.", "Check FEEDLOOM_AI_API_KEY."),
    402: (
        "The provider requires payment.",
        "Add credit to the account, or set FEEDLOOM_AI_TYPE=offline.",
    ),
    403: (
        "The provider does not allow this key to use the model.",
        "Check the key's permissions, or choose another FEEDLOOM_AI_MODEL.",
    ),
    404: (
        "The address or the model does not exist.",
        "Check FEEDLOOM_AI_BASE_URL (it usually ends in /v1) and FEEDLOOM_AI_MODEL.",
    ),
}
_BY_CODE = {
    "insufficient_quota": _BY_STATUS[402],
    "invalid_api_key": _BY_STATUS[401],
    "model_not_found": (
        "The provider does not know the model.",
        "Check the spelling of FEEDLOOM_AI_MODEL.",
    ),
    "blocked_address": (
        "The address guard refused FEEDLOOM_AI_BASE_URL.",
        "Allow its network in FEEDLOOM_ALLOW_NETWORKS if the server is your own.",
    ),
    "name_not_found": (
        "The host name in FEEDLOOM_AI_BASE_URL does not exist.",
        "Check its spelling and this machine's DNS.",
    ),
    "redirect": (
        "FEEDLOOM_AI_BASE_URL redirects to another address.",
        "Set it to the final address; keys are never sent to redirects.",
    ),
    "bad_tls": (
        "The server's certificate is not valid.",
        "Check FEEDLOOM_AI_BASE_URL; a proxy may be intercepting the connection.",
    ),
}
_BY_OUTCOME = {
    CallOutcome.TIMED_OUT: (
        "The model did not answer in time.",
        "Local models load slowly: try again, or choose a smaller one.",
    ),
    CallOutcome.RATE_LIMITED: (
        "The provider is rate limiting us.",
        "The settings are fine. Try again later.",
    ),
    CallOutcome.PROVIDER_ERROR: (
        "The provider has a problem.",
        "Try again later. You can still read articles.",
    ),
    CallOutcome.UNREACHABLE: (
        "The server cannot be reached.",
        "Check FEEDLOOM_AI_BASE_URL and that the server is running.",
    ),
    CallOutcome.REJECTED: (
        "The provider refused the request.",
        "Check FEEDLOOM_AI_MODEL; the model may not support chat.",
    ),
}
_NOT_A_CHAT_SERVICE = (
    "The server is not an OpenAI-compatible chat service.",
    "Check FEEDLOOM_AI_BASE_URL (it usually ends in /v1).",
)
_BAD_FORM = (
    "The model responds, but not in the required format.",
    "Choose a model that can write JSON.",
)


_FORMS = {
    Shape.SCHEMA: "JSON Schema",
    Shape.OBJECT: "JSON objects",
    Shape.WORDS: "requested in the prompt",
}


async def check_model(model: GuardedModel) -> Preflight:
    started = time.monotonic()
    try:
        answer = await model.probe(_TASK)
    except BudgetSpent:
        says, advice = ("Today's AI budget is used up.", "Raise it, or wait for tomorrow.")
    except CallFailed as failure:
        says, advice = _explain(failure)
    else:
        facts = {
            "latency": f"{(time.monotonic() - started) * 1000:.0f} ms",
            "cost": f"${answer.cost_micros / 1_000_000:.6f}",
            "tokens": f"{answer.tokens_in} in, {answer.tokens_out} out",
            "structured output": _FORMS[model.shape],
        }
        return Preflight(ok=True, model=model.name, says="The model works.", facts=facts)
    return Preflight(ok=False, model=model.name, says=says, advice=advice)


def _explain(failure: CallFailed) -> tuple[str, str]:
    if failure.code in _BY_CODE:
        return _BY_CODE[failure.code]
    if failure.status in _BY_STATUS:
        return _BY_STATUS[failure.status]
    if failure.outcome in {CallOutcome.UNREADABLE, CallOutcome.TOO_LARGE}:
        return _NOT_A_CHAT_SERVICE
    return _BY_OUTCOME.get(failure.outcome, _BAD_FORM)
