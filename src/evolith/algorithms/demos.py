"""Search over demonstrations: sets of solved train tasks, kept when they beat the champion."""

from evolith.algorithms.config import DemosConfig
from evolith.algorithms.definition import Algorithm
from evolith.algorithms.parts import Setting, editable_texts, mutations
from evolith.operators.analyze.reflective import ReflectiveRecords
from evolith.operators.gate.improves import Improves
from evolith.operators.select.best import best_parent
from evolith.operators.select.proposals import SelectProposals
from evolith.operators.validate.minibatch import MinibatchImprovement


def demos(config: DemosConfig, setting: Setting) -> Algorithm:
    """Return the algorithm for a run."""
    return Algorithm(
        name=config.kind,
        select=SelectProposals(
            best_parent,
            config.weights,
            {"reflect": editable_texts(config, setting.surface)},
            config.minibatch,
            same_minibatch=True,
        ),
        analyze=ReflectiveRecords(),
        mutations=mutations(config, setting, MinibatchImprovement()),
        gate=Improves(),
        proposals=config.proposals,
    )
