"""What every test may use."""

import pytest


@pytest.fixture
def anyio_backend() -> str:
    """Run asynchronous tests on asyncio, as users do."""
    return "asyncio"
