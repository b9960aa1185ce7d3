"""A distiller that asks a service speaking OpenAI's protocol: OpenAI, or Ollama, llama.cpp, vLLM and their like.

The answer's shape is asked for by JSON schema. A server that does not know that refuses the request, and is asked for
any JSON object, then for plain text; each, but at OpenAI itself, first with the older names of what bounds an answer,
which every server knows, then with the newer ones, which some models demand. What it took is remembered. The checks of
an answer are the same for all.
"""

from __future__ import annotations

import os
from typing import Any

from .asking import ANSWER_TOKENS, Answer, AskingDistiller, NoAnswer, NoService
from .budget import TokenBudget
from .http import bounded_client, unlogged, was_too_long
from .prompt import Task
from .service import decode_body, missing_extra, refusal, service_at

__all__ = ["OpenAIDistiller"]

OFFICIAL = "https://api.openai.com/v1"


class OpenAIDistiller(AskingDistiller):
    """Distils with *model* of a service that speaks OpenAI's protocol.

    base_url: where it is, such as ``http://127.0.0.1:11434/v1`` for Ollama; else ``OPENAI_BASE_URL``, else OpenAI.
    api_key: else ``OPENAI_API_KEY``. Kept by the SDK's client alone, and in no log. One on this machine needs none.
    timeout: seconds for one answer.
    retries: how often a request is repeated that met a fault, with growing pauses drawn by chance.
    budget: the tokens of one sweep; see `TokenBudget`.
    answer_tokens: the longest answer.
    allow_http: whether another machine may be spoken to in the open.

    Raises `Unsupported` without the extra ``openai``, `InvalidArgument` for an address or key that cannot be used.
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
        url = base_url or os.environ.get("OPENAI_BASE_URL") or OFFICIAL
        self.service = service_at(url, api_key, variable="OPENAI_API_KEY", allow_http=allow_http)
        try:
            import openai
        except ImportError:
            raise missing_extra("OpenAIDistiller", "openai") from None
        self.name = "openai"
        self.model = model
        self.timeout = timeout
        self._sdk = openai
        self._client = openai.OpenAI(
            api_key=self.service.key or "none",
            base_url=url,
            timeout=timeout,
            max_retries=retries,
            http_client=bounded_client(timeout),
        )
        self._way = 0
        self._official = url == OFFICIAL

    def _ask(self, task: Task, text: str, answer_tokens: int) -> Answer:
        ways = [limits | shape for shape in _shapes(task) for limits in self._limits(answer_tokens)]
        last = len(ways) - 1
        for way in range(self._way, last + 1):
            try:
                answer = self._request(task.system, text, ways[way])
            except self._sdk.APIStatusError as error:
                if error.status_code in (400, 415, 422, 501) and way < last:
                    continue
                raise refusal(self.name, self.service, error.status_code, self.model) from None
            self._way = way
            return answer
        raise AssertionError("the last way either answers or raises")

    def _limits(self, answer_tokens: int) -> tuple[dict[str, Any], ...]:
        newer = {"max_completion_tokens": answer_tokens}
        if self._official:
            return (newer | {"store": False},)
        return ({"max_tokens": answer_tokens, "temperature": 0}, newer)

    def _request(self, system: str, text: str, way: dict[str, Any]) -> Answer:
        sdk = self._sdk
        try:
            with unlogged("openai._base_client", "openai._legacy_response"):
                response = self._client.chat.completions.with_raw_response.create(
                    model=self.model,
                    messages=[{"role": "system", "content": system}, {"role": "user", "content": text}],
                    **way,
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
        except sdk.OpenAIError as error:
            raise NoService(f"{self.name} could not be asked ({type(error).__name__}).") from None
        return _answer(self.name, decode_body(self.name, body))


def _shapes(task: Task) -> tuple[dict[str, Any], ...]:
    schema = {"name": task.name, "strict": True, "schema": task.schema}
    by_schema = {"type": "json_schema", "json_schema": schema}
    return ({"response_format": by_schema}, {"response_format": {"type": "json_object"}}, {})


def _answer(name: str, reply: dict[str, Any]) -> Answer:
    choices = reply.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise NoAnswer(f"{name} answered in a form that is not its protocol's.")
    ended = choice.get("finish_reason")
    if ended == "length":
        raise NoAnswer(f"{name} stopped in the middle of its answer.")
    if ended == "content_filter" or message.get("refusal"):
        raise NoAnswer(f"{name} declined to read what was said.")
    content = message.get("content")
    if not isinstance(content, str):
        raise NoAnswer(f"{name} answered nothing.")
    usage = reply.get("usage")
    return Answer(content, count(usage, "prompt_tokens"), count(usage, "completion_tokens"))


def count(usage: object, *names: str) -> int | None:
    """The sum of what a service counted under *names*, None if it counted nothing that can be believed."""
    if not isinstance(usage, dict):
        return None
    counts = [usage.get(name) for name in names]
    sound = [one for one in counts if isinstance(one, int) and not isinstance(one, bool) and 0 <= one < 2**31]
    return sum(sound) if sound else None
