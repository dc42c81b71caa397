"""Single planted values for tests."""

from random import Random

from tests.privacy.kinds import SECRETS


def secret(kind: str = "github_token", seed: int = 1) -> str:
    """A random secret of a kind, the same for the same seed."""
    return SECRETS[kind](Random(seed))[0]
