"""`python -m evolith` is the command `evolith`."""

from evolith.cli.main import run

if __name__ == "__main__":
    run()
