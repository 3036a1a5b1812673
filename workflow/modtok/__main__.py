"""`python -m modtok`: the commands, where the package is on the path but not installed."""

from modtok.cli import main

main()
