"""One tiny call to the model in; what works and what to do about it out.

Never shows a key, nor what the provider wrote.
"""

import time
import tomllib
from importlib import resources

from feedloom.distill.models.guarded import GuardedModel
from feedloom.distill.models.wire import CallFailed, Shape
from feedloom.model.distilled.requests import Message, ModelPurpose, Preflight, Task
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

_SAID = tomllib.loads((resources.files(__package__) / "preflight.toml").read_text("utf-8"))
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
    outcomes = _SAID["outcome"]
    says, advice = (
        _SAID["code"].get(failure.code)
        or _SAID["status"].get(str(failure.status))
        or outcomes.get(failure.outcome.value, outcomes["other"])
    )
    return says, advice
