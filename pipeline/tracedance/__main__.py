"""`python -m tracedance` is the command line."""

from tracedance.cli.main import main

main()
