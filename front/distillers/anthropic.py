"""A distiller that asks Anthropic's service, or one that speaks its protocol.

The answer's shape is asked for as output format; a model that does not know that refuses the request, and is asked to
call a tool whose input has that shape. What it took is remembered. The checks of an answer are the same for both.
"""

from __future__ import annotations

import json
import os
from typing import Any

from .asking import ANSWER_TOKENS, Answer, AskingDistiller, NoAnswer, NoService
from .budget import TokenBudget
from .http import bounded_client, unlogged, was_too_long
from .openai import count
from .prompt import Task
from .service import decode_body, missing_extra, refusal, service_at

__all__ = ["AnthropicDistiller"]

OFFICIAL = "https://api.anthropic.com"
_INPUT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class AnthropicDistiller(AskingDistiller):
    """Distils with *model* of Anthropic's service. The arguments are those of `OpenAIDistiller`; the environment's
    variables are ``ANTHROPIC_API_KEY`` and ``ANTHROPIC_BASE_URL``.

    Raises `Unsupported` without the extra ``anthropic``, `InvalidArgument` for an address or key that cannot be used.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 60.0,
        retries: int = 2,
        budget: TokenBudget | None = None,
        answer_tokens: int = ANSWER_TOKENS,
        allow_http: bool = False,
    ) -> None:
        super().__init__(budget=budget, answer_tokens=answer_tokens)
        url = base_url or os.environ.get("ANTHROPIC_BASE_URL") or OFFICIAL
        self.service = service_at(url, api_key, variable="ANTHROPIC_API_KEY", allow_http=allow_http)
        try:
            import anthropic
        except ImportError:
            raise missing_extra("AnthropicDistiller", "anthropic") from None
        self.name = "anthropic"
        self.model = model
        self.timeout = timeout
        self._sdk = anthropic
        self._client = anthropic.Anthropic(
            api_key=self.service.key or "none",
            base_url=url,
            timeout=timeout,
            max_retries=retries,
            http_client=bounded_client(timeout),
            open_telemetry=False,  # spans could carry what was said
        )
        self._way = 0

    def _ask(self, task: Task, text: str, answer_tokens: int) -> Answer:
        shapes = _shapes(task)
        last = len(shapes) - 1
        for way in range(self._way, last + 1):
            try:
                answer = self._request(task.system, text, answer_tokens, shapes[way])
            except self._sdk.APIStatusError as error:
                if error.status_code in (400, 422) and way < last:
                    continue
                raise refusal(self.name, self.service, error.status_code, self.model) from None
            self._way = way
            return answer
        raise AssertionError("the last way either answers or raises")

    def _request(self, system: str, text: str, answer_tokens: int, shape: dict[str, Any]) -> Answer:
        sdk = self._sdk
        try:
            with unlogged("anthropic._base_client", "anthropic._response"):
                response = self._client.messages.with_raw_response.create(
                    model=self.model,
                    max_tokens=answer_tokens,
                    system=system,
                    messages=[{"role": "user", "content": text}],
                    **shape,
                )
                body = response.http_response.content
        except sdk.APITimeoutError:
            raise NoService(f"{self.name} at {self.service.host} did not answer in {self.timeout:g} seconds.") from None
        except sdk.APIConnectionError as error:
            if was_too_long(error):
                raise NoAnswer(f"{self.name} sent more than is read of one answer.") from None
            raise NoService(f"{self.name} cannot be reached at {self.service.host}.") from None
        except sdk.APIStatusError:
            raise
        except sdk.AnthropicError as error:
            raise NoService(f"{self.name} could not be asked ({type(error).__name__}).") from None
        return _answer(self.name, decode_body(self.name, body))


def _shapes(task: Task) -> tuple[dict[str, Any], ...]:
    tool = {"name": task.name, "description": task.about, "input_schema": task.schema}
    return (
        {"output_config": {"format": {"type": "json_schema", "schema": task.schema}}},
        {"tools": [tool], "tool_choice": {"type": "tool", "name": task.name}},
    )


def _answer(name: str, reply: dict[str, Any]) -> Answer:
    content = reply.get("content")
    if not isinstance(content, list):
        raise NoAnswer(f"{name} answered in a form that is not its protocol's.")
    ended = reply.get("stop_reason")
    if ended in ("max_tokens", "model_context_window_exceeded", "pause_turn"):
        raise NoAnswer(f"{name} stopped in the middle of its answer.")
    if ended == "refusal":
        raise NoAnswer(f"{name} declined to read what was said.")
    blocks = [block for block in content if isinstance(block, dict)]
    called = [block.get("input") for block in blocks if block.get("type") == "tool_use"]
    if called:
        text = json.dumps(called[0])
    else:
        text = "".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text")
    usage = reply.get("usage")
    return Answer(text, count(usage, *_INPUT), count(usage, "output_tokens"))
