# Validation of config and tables against workflow/schemas, with errors of one line.
#
# INPUTS   a config or a row of a table, and the name of the file it is from
# OUTPUTS  an error that names the place and what is wrong there
import json
import math

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from modtok.core.schema_errors import in_words


def check(data, name, row=""):
    """Stop where data, or a row of a table, do not fit the schema of the file `name`.

    Snakemake's validate() prints all of both.
    """
    source = f"{name}, row '{row}'" if row else name
    schema = Path(
        workflow.basedir, "workflow/schemas", f"{Path(name).stem}.schema.json"
    )
    error = best_match(
        Draft202012Validator(json.loads(schema.read_text())).iter_errors(data)
    )
    if error is not None:
        place = ".".join(map(str, error.absolute_path)) or "top level"
        raise WorkflowError(
            f"{source}: {place}: {in_words(error)}; config/config.yaml and config/README.md explain each key and column"
        )
    for place, value in numbers(data):
        if not math.isfinite(value):
            raise WorkflowError(
                f"{name}: {place}: {value} is no number; give a finite one"
            )


def numbers(data, place=""):
    """Every number in nested data, with its place; a schema's bounds let NaN pass."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield from numbers(value, f"{place}.{key}".lstrip("."))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from numbers(value, f"{place}.{index}")
    elif isinstance(data, float):
        yield place, data
