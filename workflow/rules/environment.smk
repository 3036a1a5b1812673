# The environment of jobs: the library, programs, and what keeps a job's output.
#
# INPUTS   where this repository and the running Python are; the config
# OUTPUTS  the prefix of every shell command; MODTOK_CONFIG, and RUN_CONFIG, its digest
import shlex

from modtok.core.provenance import settings_digest


def in_environment(name, value):
    """Give jobs a value as JSON in a variable, and rules its digest, by which they run again.

    In a command, or among parameters, Snakemake would print all of it wherever a job fails or says why it runs.
    """
    os.environ[name] = json.dumps(value)
    return settings_digest(value)


RUN_CONFIG = in_environment("MODTOK_CONFIG", config)

# Jobs find the library by PYTHONPATH, since conda environments do not hold it, and, outside conda, the programs of
# the environment that Snakemake runs in. `logged` keeps a job's output in its log and shows it where the job fails.
library = shlex.quote(f"{workflow.basedir}/workflow")
programs = shlex.quote(str(Path(sys.executable).parent))
own_programs = (
    "" if workflow.deployment_settings.deployment_method else f'PATH={programs}:"$PATH"'
)
shell.prefix(
    f"export PYTHONPATH={library} {own_programs}; ".replace("{", "{{").replace(
        "}", "}}"
    )
    + 'logged() {{ local log="$1"; shift; "$@" &> "$log" || {{ cat "$log" >&2; return 1; }}; }}; '
)
