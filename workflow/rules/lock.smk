# What holds a run to the manifest of another one: config/lock.json, where there is one. No rule lives here.
#
# INPUTS   config/lock.json, the config, the files that it names
# OUTPUTS  HELD_TO; an error of one line, before any job starts, where the run is another one
LOCK = "config/lock.json"
# The state of the run that has passed, so that a start without an edit reads no sources again.
LOCK_PASSED = Path("results/corpus/lock_passed.txt")
LOCKED_FILES = files_digest([LOCK, *source_files(), *named_paths(config)])
# What targets, and the page, ask for, so that an edit of config or lock is found even where nothing else is to be made. Nothing
# else waits for it. The manifest changes with each edit of the config, and Snakemake asks nothing below a job that runs,
# even over an ancient input, why it should run itself.
HELD_TO = ["results/manifest.json"] if Path(LOCK).is_file() else []


def hold_to_lock():
    """Stop where the run is not the one that its lock names; what has passed is not read again."""
    state = digest(RUN_CONFIG, LOCKED_FILES)
    passed = LOCK_PASSED.is_file() and LOCK_PASSED.read_text() == state
    if passed or not Path(LOCK).is_file():
        return
    from modtok.core.io import write_text
    from modtok.corpus.manifest import check_lock, manifest
    from modtok.steps.list_sources import DOWNLOADS, listed

    try:
        sources = listed(config["corpus"]["sources"], DOWNLOADS)
        check_lock(Path(LOCK), manifest(config, sources, Path()))
    except UserError as error:
        raise WorkflowError(str(error)) from None
    write_text(LOCK_PASSED, state)


onstart:
    hold_to_lock()
