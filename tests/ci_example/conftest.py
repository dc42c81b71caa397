"""Nothing here is needed where tracedance is installed: the plugin is then found by its entry point."""

import pytest

from tracedance.ci import plugin


def pytest_configure(config: pytest.Config) -> None:
    """A checkout that is not installed has no entry point."""
    if not config.pluginmanager.is_registered(plugin):
        config.pluginmanager.register(plugin, "tracedance")
