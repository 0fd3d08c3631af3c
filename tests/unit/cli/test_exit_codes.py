from evolith import errors
from evolith.cli.exit_codes import ExitCode


def test_the_table_holds_the_codes_that_errors_carry() -> None:
    assert {
        "ARCHIVE": errors.ArchiveError.exit_code,
        "BUG": errors.EvolithError.exit_code,
        "FAILED": errors.UserCodeFailed.exit_code,
        "PROVIDER": errors.ProviderError.exit_code,
        "STOPPED": errors.RunStopped.exit_code,
        "USAGE": errors.UsageError.exit_code,
    }.items() <= ExitCode.__members__.items()
