"""How Prefect is run from here: on this machine, in a folder of the project, telling nobody. Call `prepare` before importing prefect."""

import os
from pathlib import Path

HOME = "TRACEDANCE_PREFECT_HOME"
"""Environment variable that moves Prefect's own files; by default they lie under the working folder's .tracedance."""

SETTINGS = {
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
    "PREFECT_RESULTS_DEFAULT_SERIALIZER": "json",  # the default pickles
    "PREFECT_RESULTS_PERSIST_BY_DEFAULT": "false",  # our own files decide what is done
    "PREFECT_SERVER_EPHEMERAL_ENABLED": "true",
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
    "PREFECT_LOGGING_TO_API_ENABLED": "false",  # an exception's text may quote a session
    "PREFECT_LOGGING_LEVEL": "WARNING",
    "PREFECT_CLIENT_METRICS_ENABLED": "false",
}


def prepare() -> None:
    """Set what Prefect reads when it is imported; whatever the user has set already stays."""
    home = os.environ.get(HOME) or str(Path.cwd() / ".tracedance" / "prefect")
    for name, value in {**SETTINGS, "PREFECT_HOME": home}.items():
        os.environ.setdefault(name, value)
