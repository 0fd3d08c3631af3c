"""What the server knows by itself: how busy it was, and when a good prompt first came in."""

from collections import Counter, defaultdict

from evolith.simulate.marks import key_in, marks_in
from evolith.simulate.service import Service
from evolith.simulate.world import World

QUORUM = 20
"""Validation tasks that a prompt must have been asked on before it counts."""


class Monitor:
    """Reads progress off the prompts that come in. Prompts with the same marks are one prompt.

    Args:
        world: What tells the truth.
        target: The true score to wait for.
    """

    def __init__(self, world: World, target: float) -> None:
        self._world, self.target = world, target
        self.best = 0.0
        """The best true score among all prompts that were asked."""
        self.first: float | None = None
        """When the target was first reached, by the server's clock."""
        self._asked: dict[frozenset[str], set[str]] = defaultdict(set)

    def saw(self, text: str, now: float) -> None:
        """Note that a task was answered under a prompt."""
        key = key_in(text)
        if key is None:
            return
        marks = marks_in(text)
        true = self._world.true_score(marks)
        self.best = max(self.best, true)
        if self.first is None and true >= self.target and key in self._world.val_keys:
            self._asked[marks].add(key)
            if len(self._asked[marks]) == QUORUM:
                self.first = now


def stats_of(service: Service, monitor: Monitor) -> dict[str, object]:
    """Return the figures of all calls; times in seconds since the first one."""
    served = service.served
    if not served:
        return {"calls": 0}
    began = min(call.arrived for call in served)
    wall = max(call.ended for call in served) - began
    worked = sum(call.latency for call in served)
    return {
        "calls": len(served),
        "by_model": dict(Counter(call.model for call in served)),
        "wall_s": round(wall, 3),
        "tokens_in": sum(call.tokens_in for call in served),
        "tokens_out": sum(call.tokens_out for call in served),
        "total_latency_s": round(worked, 2),
        "queue_wait_s": round(sum(call.started - call.arrived for call in served), 2),
        "mean_inflight": round(worked / wall, 2),
        "efficiency": round(worked / service.slots / wall, 4),
        "world": service.world.kind.value,
        "target": monitor.target,
        "best_true_asked": round(monitor.best, 3),
        "first_true_s": None if monitor.first is None else round(monitor.first - began, 2),
    }
