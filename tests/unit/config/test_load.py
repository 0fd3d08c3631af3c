from pathlib import Path

import pytest

from evolith.config import RunConfig, load_config
from evolith.errors import ConfigError

GOOD = """\
name = "news"
[tasks]
file = "tasks.jsonl"
[models]
task = "local:smollm2"
"""


def load(tmp_path: Path, text: str, **overrides: object) -> RunConfig:
    path = tmp_path / "evolith.toml"
    path.write_text(text, encoding="utf-8")
    return load_config(path, {key.replace("__", "."): value for key, value in overrides.items()})


def refusal(tmp_path: Path, text: str, **overrides: object) -> str:
    with pytest.raises(ConfigError) as refused:
        load(tmp_path, text, **overrides)
    return str(refused.value).replace(str(tmp_path), "DIR")


def test_tasks_and_a_model_are_all_that_a_config_must_name(tmp_path: Path) -> None:
    config = load(tmp_path, GOOD)
    assert config.base == tmp_path
    assert config.budget.budget().rollouts == 1000


def test_a_limit_of_its_own_takes_the_place_of_the_default_one(tmp_path: Path) -> None:
    budget = load(tmp_path, f"{GOOD}[budget]\nmoney = 0.05\n").budget.budget()
    assert (str(budget.money), budget.rollouts) == ("0.05", None)


def test_a_config_comes_back_from_its_own_json(tmp_path: Path) -> None:
    config = load(tmp_path, f'{GOOD}[run]\nschedule = "async"\n[budget]\nmoney = 0.1\n')
    assert RunConfig.model_validate_json(config.model_dump_json(exclude_unset=True)) == config


def test_what_the_caller_sets_takes_the_place_of_the_file(tmp_path: Path) -> None:
    text = f"{GOOD}[budget]\ntokens = 5\n"
    config = load(tmp_path, text, seed=7, budget__tokens=9, run__workers=2)
    assert (config.seed, config.budget.tokens, config.run.workers) == (7, 9, 2)


def test_an_asynchronous_run_has_several_items_in_flight(tmp_path: Path) -> None:
    assert load(tmp_path, GOOD).run.in_flight == 1
    assert load(tmp_path, GOOD, run__schedule="async").run.in_flight == 4


def test_a_table_may_leave_its_kind_out(tmp_path: Path) -> None:
    config = load(tmp_path, f"{GOOD}[algorithm]\nminibatch = 5\n[agent]\nmax_tokens = 9\n")
    assert (config.algorithm.kind, config.algorithm.minibatch) == ("gepa", 5)
    assert (config.agent.kind, config.agent.max_tokens) == ("prompt", 9)


WRONG = {
    "an unknown key": (
        f"{GOOD}[budget]\ntokns = 5\n",
        (
            "DIR/evolith.toml:7: budget.tokns: there is no such key in [budget].\n"
            "  Did you mean tokens? There is tokens, money, rollouts, seconds."
        ),
    ),
    "an unknown key that nothing resembles": (
        f"{GOOD}[test]\nxyz = 5\n",
        "DIR/evolith.toml:7: test.xyz: there is no such key in [test].\n  Use attempts.",
    ),
    "a key in the wrong table": (
        f"{GOOD}workers = 3\n",
        (
            "DIR/evolith.toml:6: models.workers: there is no such key in [models].\n"
            "  Move it to [run]."
        ),
    ),
    "a key that belongs to the top": (
        f"{GOOD}seed = 3\n",
        (
            "DIR/evolith.toml:6: models.seed: there is no such key in [models].\n"
            "  Move it to the top of the file."
        ),
    ),
    "an unknown table": (
        f"{GOOD}[buget]\ntokens = 5\n",
        ("DIR/evolith.toml:6: buget: there is no such key in a config.\n  Did you mean budget?"),
    ),
    "the loader's own key": (f'base = "/"\n{GOOD}', "toml:1: base: there is no such key"),
    "a missing table": (
        'name = "x"\n[models]\ntask = "local:smollm2"\n',
        "DIR/evolith.toml: tasks: this key is missing.\n  Add it: the tasks",
    ),
    "a missing key": (
        '[models]\n[tasks]\nfile = "a.jsonl"\n',
        "DIR/evolith.toml:1: models.task: this key is missing.\n  Add it: ",
    ),
    "text for a number": (
        f'{GOOD}[budget]\ntokens = "many"\n',
        'DIR/evolith.toml:7: budget.tokens: "many" is not a whole number.\n  Give a whole number.',
    ),
    "a number in quotes": (f'{GOOD}[run]\nworkers = "4"\n', '"4" is not a whole number'),
    "a share for a whole number": (f"{GOOD}[run]\nworkers = 1.5\n", "1.5 is not a whole number"),
    "a truth for a number": (f"{GOOD}[budget]\nrollouts = true\n", "true is not a whole number"),
    "a number for text": (f"name = 5\n{GOOD[14:]}", "name: 5 is not text in quotes"),
    "a number for a table": (f"budget = 5\n{GOOD}", ":1: budget: 5 is not a table"),
    "a number below the bound": (
        f"{GOOD}[budget]\nrollouts = 0\n",
        "DIR/evolith.toml:7: budget.rollouts: 0 is out of range.\n  Give a number above 0.",
    ),
    "an infinite time": (f"{GOOD}[budget]\nseconds = inf\n", ":7: budget.seconds: "),
    "a word that is not allowed": (
        f'{GOOD}[run]\nschedule = "asink"\n',
        (
            'DIR/evolith.toml:7: run.schedule: "asink" is not allowed.\n'
            "  Did you mean async? There is sync, async."
        ),
    ),
    "an unknown kind": (
        f'{GOOD}[algorithm]\nkind = "gapa"\n',
        'DIR/evolith.toml:6: algorithm: "gapa" is not allowed.\n  Did you mean gepa?',
    ),
    "a key of another kind": (
        f'{GOOD}[algorithm]\nkind = "demos"\nmerge = {{ most = 1 }}\n',
        ":8: algorithm.merge: there is no such key in [algorithm]",
    ),
    "a key deep inside": (
        f'{GOOD}[algorithm]\nkind = "gepa"\nmerge = {{ mots = 1 }}\n',
        "merge.mots: there is no such key in [algorithm.merge].\n  Did you mean most?",
    ),
    "a model that is none": (
        GOOD.replace("local:smollm2", "gpt-4o"),
        "DIR/evolith.toml:5: models.task: 'gpt-4o' names no model.\n  Write one of openai:MODEL",
    ),
    "no operator": (
        f"{GOOD}[algorithm]\noperators = {{}}\n",
        "DIR/evolith.toml:7: algorithm.operators: {} does not fit.\n  Name at least one operator",
    ),
    "a name that is no folder": (f'name = "a/b"\n{GOOD[14:]}', ':1: name: "a/b" does not fit'),
    "several items in a synchronous run": (
        f"{GOOD}[run]\nin_flight = 2\n",
        "DIR/evolith.toml:7: run.in_flight: a synchronous run has one item in flight.",
    ),
    "two sources of an artifact": (
        f'{GOOD}[artifact]\npath = "a"\nfiles = {{ "prompt.md" = "b" }}\n',
        "DIR/evolith.toml:8: artifact.files: the artifact has both a folder and files.",
    ),
    "no TOML": (
        f"{GOOD}[budget]\ntokens = many\n",
        "DIR/evolith.toml:7:10: this is no TOML: invalid value.\n  Correct the line",
    ),
    "TOML that ends too early": ('name = "news', "DIR/evolith.toml:1"),
    "a key given twice": (f"{GOOD}task = 'x:y'\n", "this is no TOML: cannot overwrite a value"),
    "nothing at all": (" \n", "DIR/evolith.toml: the config file is empty.\n  Write one with"),
}


@pytest.mark.parametrize(("text", "says"), WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_said_with_its_line_and_its_cure(
    tmp_path: Path, text: str, says: str
) -> None:
    assert says in refusal(tmp_path, text)


def test_all_problems_are_listed_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = f'{GOOD}[run]\nworkers = 0\nlanes = 2\n[budget]\ntokens = "x"\n'
    said = [line for line in refusal(tmp_path, text).split("\n") if line.startswith("DIR")]
    assert [line.split(": ")[0] for line in said] == [f"DIR/evolith.toml:{n}" for n in (7, 8, 10)]


def test_a_wrong_value_of_the_caller_is_named_without_a_line(tmp_path: Path) -> None:
    text = f"{GOOD}[budget]\ntokens = 5\n"
    assert refusal(tmp_path, text, budget__tokens=0).startswith("budget.tokens: 0 is out of range")


def test_a_value_that_may_be_secret_is_not_repeated(tmp_path: Path) -> None:
    text = GOOD.replace('"local:smollm2"', '{ use = "openai:x", api_key_env = ["sk-very-secret"] }')
    assert "sk-very-secret" not in refusal(tmp_path, text)
    text = GOOD + 'api_key = "sk-very-secret"\n'
    assert "sk-very-secret" not in refusal(tmp_path, text)


def test_a_long_value_is_shortened(tmp_path: Path) -> None:
    assert len(refusal(tmp_path, f'{GOOD}[budget]\ntokens = "{"x" * 5000}"\n')) < 300


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (GOOD.encode("utf-16"), "not UTF-8"),
        (b'name = "x"\n# caf\xe9\n', "evolith.toml:2: byte 16 is not UTF-8"),
    ],
    ids=["utf-16", "latin-1"],
)
def test_another_encoding_is_refused(tmp_path: Path, raw: bytes, says: str) -> None:
    (tmp_path / "evolith.toml").write_bytes(raw)
    with pytest.raises(ConfigError) as refused:
        load_config(tmp_path / "evolith.toml")
    assert says in str(refused.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such config file") as refused:
        load_config(tmp_path / "none.toml")
    assert refused.value.where == str(tmp_path / "none.toml")


def test_a_folder_is_told_from_a_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="a folder") as refused:
        load_config(tmp_path)
    assert "evolith.toml" in refused.value.fix
