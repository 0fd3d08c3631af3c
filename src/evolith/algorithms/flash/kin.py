"""Which tasks fail in the same way, told from what the scorer said of them."""

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field

COMMON = 1 / 3
"""A text that is said of more than this share of the failing tasks tells nothing about any."""
REFRESH = 8
"""New texts after which the weights of words are computed anew."""


@dataclass(slots=True)
class Kin:
    """Compares feedback texts by shared words, rare ones counting more.

    Args:
        alike: Similarity from which two texts tell of the same fault, in [0, 1].
    """

    alike: float
    _said: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """By task, every text that a failure of it ever got."""
    _texts: int = 0
    _tasks_of: Counter[str] = field(default_factory=Counter)
    """By text, of how many tasks it was said."""
    _weights: dict[str, float] = field(default_factory=dict)
    _counted: int = -1
    _known: dict[tuple[str, str], float] = field(default_factory=dict)

    def hear(self, task: str, feedback: str) -> None:
        """Take in what was said of a failure."""
        if feedback not in self._said[task]:
            self._said[task].append(feedback)
            self._tasks_of[feedback] += 1
            self._texts += 1

    def similar(self, one: str, two: str) -> bool:
        """Say whether two texts tell of the same fault."""
        return self._similarity(one, two) >= self.alike

    def kin(self, one: str, two: str) -> bool:
        """Say whether two tasks ever failed in the same way."""
        said = self._said
        return any(self.similar(a, b) for a in said.get(one, ()) for b in said.get(two, ()))

    def tells(self, feedback: str) -> bool:
        """Say whether a text is said of few tasks only, so that it tells them apart."""
        return bool(feedback) and self._tasks_of[feedback] <= max(2.0, COMMON * len(self._said))

    def _similarity(self, one: str, two: str) -> float:
        if one == two:
            return float(self.tells(one))
        if self._counted < 0 or self._texts - self._counted >= REFRESH:
            self._weigh()
        key = (one, two) if one < two else (two, one)
        if key not in self._known:
            left, right = set(one.split()), set(two.split())
            whole = self._sum(left | right)
            self._known[key] = self._sum(left & right) / whole if whole else 0.0
        return self._known[key]

    def _sum(self, words: set[str]) -> float:
        unseen = math.log(1 + self._counted) if self._counted > 0 else 1.0
        return math.fsum(self._weights.get(word, unseen) for word in words)

    def _weigh(self) -> None:
        texts = [set(text.split()) for said in self._said.values() for text in said]
        counts = Counter(word for words in texts for word in words)
        total = 1 + len(texts)
        self._weights = {word: math.log(total / (1 + n)) for word, n in counts.items()}
        self._counted, self._known = self._texts, {}
