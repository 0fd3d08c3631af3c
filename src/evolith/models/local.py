"""A model in this process: SmolLM2 as a package ships it, or any GGUF file."""

import threading
from pathlib import Path

import anyio
from anyio import CapacityLimiter, to_thread

from evolith.core.messages import Request, Response
from evolith.errors import RefusedRequest, TransientFailure
from evolith.models.config import ModelConfig
from evolith.models.llama import Llama
from evolith.models.tokens import most_tokens_in
from evolith.models.weights import find_weights


class LocalModel:
    """Answers in a thread, one request at a time. The weights are loaded when they are needed.

    Args:
        config: Names the weights.
        base: The config's folder, to which the path of a file is relative.

    Raises:
        ConfigError: llama.cpp or the weights are not there.
    """

    remote = False

    def __init__(self, config: ModelConfig, base: Path) -> None:
        self.name = config.use
        self._timeout = config.timeout
        self._weights = find_weights(config.model, base)
        self._llama: Llama | None = None
        self._in_use = threading.Lock()
        self._turn = CapacityLimiter(1)

    def most_tokens_in(self, request: Request) -> int:
        """Return the number of prompt tokens, as the model's own tokenizer counts them."""
        try:
            return len(self._load().prompt(request))
        except RefusedRequest:  # the call itself will say so
            return most_tokens_in(request)

    async def complete(self, request: Request) -> Response:
        """Ask once.

        Raises:
            RefusedRequest: the prompt is too long, or cannot be put to this model.
            TruncatedResponse: the answer ran into its limit, or is empty.
            TransientFailure: it took longer than one try may.
        """
        llama, unwanted = self._load(), threading.Event()

        def answer() -> Response:
            with self._in_use:  # a call that was given up may still be at its last token
                return llama.complete(request, unwanted.is_set)

        async with self._turn:
            try:
                with anyio.fail_after(self._timeout):
                    return await to_thread.run_sync(answer, abandon_on_cancel=True)
            except TimeoutError:
                raise TransientFailure(
                    f"no whole answer came within {self._timeout:g} seconds"
                ) from None
            finally:
                unwanted.set()

    async def aclose(self) -> None:
        """Free the memory."""
        with self._in_use:
            if self._llama is not None:
                self._llama.close()
            self._llama = None

    def _load(self) -> Llama:
        if self._llama is None:
            self._llama = Llama(self._weights)
        return self._llama
