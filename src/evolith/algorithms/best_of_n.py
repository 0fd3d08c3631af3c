"""Best of N: what the same budget buys without any evolution. The control for every other."""

from evolith.algorithms.config import BestOfNConfig
from evolith.algorithms.definition import Algorithm
from evolith.algorithms.parts import Setting, editable_texts, mutations
from evolith.operators.analyze.reflective import ReflectiveRecords
from evolith.operators.gate.joins import Joins
from evolith.operators.select.proposals import SelectProposals
from evolith.operators.select.seed import seed_parent


def best_of_n(config: BestOfNConfig, setting: Setting) -> Algorithm:
    """Return the algorithm for a run."""
    return Algorithm(
        name=config.kind,
        select=SelectProposals(
            seed_parent,
            config.weights,
            {"reflect": editable_texts(config, setting.surface)},
            config.minibatch,
        ),
        analyze=ReflectiveRecords(),
        mutations=mutations(config, setting, validate=None),
        gate=Joins(),
        skip_perfect=False,
        proposals=config.proposals,
    )
