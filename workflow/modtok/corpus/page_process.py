"""Where the process that reads pages begins: the parent loads no parsers, the process nothing else."""

from collections.abc import MutableSequence
from multiprocessing.connection import Connection

from modtok.corpus.page_assignment import Assignment, PageSettings


def main(
    connection: Connection, progress: MutableSequence[int], assignment: Assignment, settings: PageSettings
) -> None:
    """Run `page_reader.read_pages`."""
    from modtok.corpus.page_reader import read_pages

    read_pages(connection, progress, assignment, settings)
