"""GEPA: reflective evolution on a per-task Pareto frontier.

Agrawal et al., "GEPA: Reflective Prompt Evolution Can Outperform Reinforcement Learning", 2025.
Decisions follow the published algorithm and the defaults of its public implementation; where this
one differs, docs/algorithms/gepa.md says how.
"""

from evolith.algorithms.config import GepaConfig
from evolith.algorithms.definition import Algorithm, Mutation
from evolith.algorithms.parts import Setting, editable_texts, mutations
from evolith.operators.analyze.reflective import ReflectiveRecords
from evolith.operators.gate.joins import Joins
from evolith.operators.mutate.merge import Merge
from evolith.operators.select.merge import MergeRule
from evolith.operators.select.pareto import pareto_parent
from evolith.operators.select.proposals import SelectProposals
from evolith.operators.validate.minibatch import MinibatchImprovement


def gepa(config: GepaConfig, setting: Setting) -> Algorithm:
    """Return the algorithm for a run."""
    archive = setting.archive
    merge = Mutation(
        Merge(archive.candidate, archive.view),
        evidence=False,
        validate=MinibatchImprovement("no_worse"),
    )
    return Algorithm(
        name=config.kind,
        select=SelectProposals(
            pareto_parent,
            config.weights,
            {"reflect": editable_texts(config, setting.surface)},
            config.minibatch,
            merge=MergeRule(config.merge.most, config.merge.tasks) if config.merge.most else None,
        ),
        analyze=ReflectiveRecords(),
        mutations=mutations(config, setting, MinibatchImprovement()) | {"merge": merge},
        gate=Joins(),
        skip_perfect=config.skip_perfect,
        proposals=config.proposals,
    )
