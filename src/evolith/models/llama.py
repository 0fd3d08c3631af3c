"""llama.cpp in this process: loads weights and answers one request after the other."""

import json
import logging
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jinja2 import TemplateError

from evolith.core.messages import Request, Response
from evolith.errors import ConfigError, RefusedRequest, TruncatedResponse
from evolith.models.grammar import choices_grammar

CONTEXT = 8192
"""Tokens that prompt and answer may have together."""
BATCH = 16
"""Prompt tokens that are computed at once. Of the last prompt, whole batches are kept, so a small
batch wastes little where prompts share their beginning; measured, it costs a tenth where not."""
MOST_THREADS = 8
"""More do not help the small models that run in a process beside others."""
SPINS = "2000"
"""How often a thread of llama.cpp looks for the others before it sleeps. The usual 300,000 take the
time of the very thread that is waited for where cores are shared: two threads on two cores with one
more process on them took up to ten times as long."""
TODAY = datetime(2026, 1, 1, tzinfo=UTC)
"""The date that chat templates are told, so that a prompt is the same on any day."""


class Llama:
    """One llama.cpp context. It must be used by one thread at a time, but for `prompt`.

    The same request gives the same answer whatever was asked before. What is kept from the last
    prompt ends at a multiple of `BATCH`: the rest is computed in the same batches, and so with the
    same rounding, as from the start.

    Args:
        weights: A GGUF file with a chat template.

    Raises:
        ConfigError: the file cannot be loaded.
    """

    def __init__(self, weights: Path) -> None:
        os.environ.setdefault("GOMP_SPINCOUNT", SPINS)  # is read while the library is loaded
        import llama_cpp  # noqa: PLC0415 - an optional dependency, and slow

        self._api: Any = llama_cpp
        try:
            self._llama: Any = self._api.Llama(
                str(weights),
                n_ctx=CONTEXT,
                n_batch=BATCH,
                n_ubatch=BATCH,
                n_threads=_threads(),
                n_threads_batch=_threads(),
                verbose=False,
            )
        except ValueError:
            raise ConfigError(
                "llama.cpp cannot load this file", where=str(weights), fix="give a GGUF file"
            ) from None
        logging.getLogger("llama-cpp-python").setLevel(logging.CRITICAL)  # it prints to stderr
        template = self._llama.metadata.get("tokenizer.chat_template")
        if template is None:
            raise ConfigError(
                "the file has no chat template, so it is no model that follows instructions",
                where=str(weights),
                fix="take the weights of an instruct or chat version",
            )
        self._format = _formatter(template, self._text_of("token_eos"), self._text_of("token_bos"))

    def prompt(self, request: Request) -> list[int]:
        """Return the tokens that the model reads for a request.

        Raises:
            RefusedRequest: the model's chat template takes no such messages.
        """
        turns = [{"role": turn.role, "content": turn.content} for turn in request.messages]
        try:
            shown = self._format(messages=turns).prompt
        except (TemplateError, ValueError) as error:
            raise RefusedRequest(f"the chat template takes no such messages ({error})") from None
        tokens: list[int] = self._llama.tokenize(
            shown.encode("utf-8", "replace"), add_bos=False, special=True
        )
        return tokens

    def complete(self, request: Request, stopped: Callable[[], bool]) -> Response:
        """Answer.

        Args:
            request: What is asked. Without a temperature the likeliest token is taken each time.
            stopped: Says, after each token, whether nobody wants the answer any more.

        Raises:
            RefusedRequest: the prompt is too long, or its JSON Schema cannot be held to.
            TruncatedResponse: the answer ran into its limit, or is empty.
        """
        prompt, grammar = self.prompt(request), self._grammar(request)
        if len(prompt) + request.max_tokens > CONTEXT:
            raise RefusedRequest(
                f"the prompt has {len(prompt)} tokens and the answer up to {request.max_tokens}, "
                f"which is more than the {CONTEXT} that fit"
            )
        self.keep_whole_batches(prompt)
        found = self._llama.create_completion(
            prompt,
            max_tokens=request.max_tokens,
            temperature=request.temperature or 0.0,
            seed=(request.seed or 0) % 0xFFFFFFFF,  # that one would mean a random seed
            stop=list(request.stop),
            grammar=grammar,
            stopping_criteria=self._api.StoppingCriteriaList([lambda _ids, _scores: stopped()]),
        )
        choice, usage = found["choices"][0], found["usage"]
        tokens = usage["prompt_tokens"], usage["completion_tokens"]
        if choice["finish_reason"] != "stop" or stopped():
            limit = f"the answer was cut at its limit of {request.max_tokens} tokens"
            raise TruncatedResponse(limit, tokens=tokens)
        if not choice["text"].strip():
            raise TruncatedResponse("the answer is empty", tokens=tokens)
        return Response(choice["text"].strip(), *tokens)

    def keep_whole_batches(self, prompt: list[int]) -> int:
        """Forget what was computed for the last prompt, but for what this one shares with it.

        Returns:
            The tokens that need not be computed again, a multiple of `BATCH`.
        """
        shared = 0
        before = self._llama.input_ids[: self._llama.n_tokens].tolist()
        for old, new in zip(before, prompt[:-1], strict=False):
            if old != new:
                break
            shared += 1
        kept = shared - shared % BATCH
        self._llama.n_tokens = kept
        return kept

    def close(self) -> None:
        """Free the memory."""
        self._llama.close()

    def _grammar(self, request: Request) -> Any:
        if request.json_schema is not None:
            try:
                grammar = self._api.llama_grammar.json_schema_to_gbnf(
                    json.dumps(dict(request.json_schema))
                )
            except Exception as error:  # noqa: BLE001 - the converter raises whatever it meets
                raise RefusedRequest(f"the JSON Schema cannot be held to ({error})") from None
        elif request.choices:
            grammar = choices_grammar(request.choices)
        else:
            return None
        self._check(grammar)
        return self._api.LlamaGrammar.from_string(grammar, verbose=False)

    def _check(self, grammar: str) -> None:
        """Refuse a grammar that llama.cpp cannot read; used all the same, it ends the process."""
        vocabulary = self._api.llama_model_get_vocab(self._llama.model)
        sampler = self._api.llama_sampler_init_grammar(vocabulary, grammar.encode(), b"root")
        if not sampler:
            raise RefusedRequest("the choices or the JSON Schema make no grammar")
        self._api.llama_sampler_free(sampler)

    def _text_of(self, name: str) -> str:
        token = getattr(self._llama, name)()
        if token < 0:
            return ""
        text: bytes = self._llama.detokenize([token], special=True)
        return text.decode("utf-8", "replace")


def _threads() -> int:
    """Return half of the cores that this process may use, which leaves room for others; all of two.

    The threads of llama.cpp wait for each other many times a token, so that one without a core of
    its own slows down all. Their number does not change an answer.
    """
    affinity = getattr(os, "sched_getaffinity", None)  # not on macOS
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    return min(MOST_THREADS, max(min(2, cores), cores // 2))


def _formatter(template: str, end: str, begin: str) -> Any:
    from llama_cpp.llama_chat_format import Jinja2ChatFormatter  # noqa: PLC0415 - optional

    class Formatter(Jinja2ChatFormatter):  # type: ignore[misc,unused-ignore]  # without the extra
        @staticmethod
        def strftime_now(f: str) -> str:
            return TODAY.strftime(f)

    try:
        return Formatter(template, eos_token=end, bos_token=begin)
    except TemplateError as error:
        raise ConfigError(
            f"the model's chat template cannot be read ({error})",
            where="models",
            fix="take other weights",
        ) from None
