"""Puts the algorithm together."""

from dataclasses import replace

from evolith.algorithms.definition import Algorithm, Mutation
from evolith.algorithms.flash.board import Board
from evolith.algorithms.flash.checks import Doubts, Frees, Looks, Wins, held
from evolith.algorithms.flash.config import FlashConfig
from evolith.algorithms.flash.judge import Judge
from evolith.algorithms.flash.kin import Kin
from evolith.algorithms.flash.moves import Fuse, LeaveOut
from evolith.algorithms.flash.select import SelectNext
from evolith.algorithms.parts import Setting
from evolith.algorithms.workshop import Workshop
from evolith.core.artifact import Artifact
from evolith.errors import ConfigError
from evolith.operators.analyze.reflective import ReflectiveRecords
from evolith.operators.gate.improves import Improves
from evolith.operators.mutate.reflect import Reflect
from evolith.operators.proposal import Proposal


def flash(config: FlashConfig, setting: Setting) -> Algorithm:
    """Return the algorithm for a run.

    Raises:
        ConfigError: there is no text that a repair could rewrite.
    """

    def editable(artifact: Artifact) -> tuple[str, ...]:
        """Return the texts that a repair may rewrite; lists of items are no texts."""
        found = (path for path in artifact if setting.surface.allows(path))
        return tuple(path for path in found if not path.endswith(".jsonl"))

    if not editable(setting.seed):
        raise ConfigError(
            "flash finds no text to edit in the seed",
            where="artifact.surface",
            fix="add a file such as prompt.md to the seed and to the surface",
        )
    board = Board(setting.archive, Kin(config.alike), config.patience)
    select = SelectNext(board, config, editable)
    reflect = Reflect(config.reflect.max_tokens, config.reflect.temperature)
    return Algorithm(
        name=config.kind,
        select=select,
        analyze=ReflectiveRecords(),
        mutations={
            "look": Mutation(None, rollout=Looks()),
            "reflect": Mutation(reflect, rollout=Doubts(board), check=Wins(board, config, select)),
            "fuse": Mutation(Fuse(board), check=_moves, urgent=True, returns=True),
            "leave_out": Mutation(LeaveOut(board), check=Frees(board), returns=True),
            "prune": Mutation(LeaveOut(board), check=_moves, urgent=True, returns=True),
            "judge": Mutation(None, evaluate=Judge(board, config), urgent=True),
        },
        gate=Improves(),
        proposals=config.proposals,
        seed_first=False,
        claim_repeats=config.claim_repeats,
    )


async def _moves(workshop: Workshop, proposal: Proposal) -> Proposal:  # noqa: ARG001 - a step
    """Settle an item that moves the line: it is proved later, by the judge."""
    return replace(proposal, verdict=held("moved", "the line moves; it is proved by the judge"))
