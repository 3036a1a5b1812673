# The options that rules give to their steps and commands, made of config and tables. No rule lives here.
#
# INPUTS   config and what common.smk made of it
# OUTPUTS  the functions and constants below
from functools import cache

from modtok.core.outside_files import files_digest, named_paths
from modtok.core.parallel import codes_in


def optional(option, value):
    """An option with its value, or nothing where there is no value."""
    return [option, value] if value else []


def lid_floor(lang):
    """Recall below which the language-ID model is refused for the language."""
    return by_language(config["corpus"]["language_id"]["floor"], lang)


def may_be_empty(wildcards):
    """A language whose model may miss nine tenths of it may be missed whole: then a warning, not an error."""
    return ["--may-be-empty"] if lid_floor(wildcards.lang) < 0.1 else []


def quality_text(kind, lang):
    """Glob of the language's positive or negative texts, or nothing."""
    pattern = by_language(config["corpus"]["quality"][kind], lang)
    return pattern.replace("{lang}", lang) if pattern else ""


def quality_texts(wildcards):
    """Options that name the texts of a language's quality classifier."""
    positive, negative = (
        quality_text(kind, wildcards.lang) for kind in ("positive", "negative")
    )
    return ["--positive", positive, *optional("--negative", negative)]


def delete_downloads(wildcards):
    """The option that removes a shard's downloads once it is written, unless they are to be kept."""
    folder = f"results/corpus/downloads/{wildcards.shard}"
    return optional(
        "--delete-downloads", "" if config["corpus"]["keep_downloads"] else folder
    )


def near_options():
    """Options of near-duplicate removal, none where it is off."""
    near = config["corpus"]["deduplication"]["near"]
    options = [
        "--near-threshold",
        near["threshold"],
        "--near-permutations",
        near["permutations"],
        "--seed",
        config["seed"],
    ]
    return options if near["enabled"] else []


def modular_part(file):
    """A file of what a language is taken out of: of sequential BPE its own step, which later languages do not change."""
    return branch(
        lambda wildcards: wildcards.modular == "sequential-bpe",
        then=f"{SEQUENTIAL_STEPS}/{{lang}}/{file}",
        otherwise=f"results/tokenizers/{{modular}}/{file}",
    )


def named_options(option, path, langs=None):
    """An option LANG=PATH once per language; {lang} in the path stands for the code."""
    return [
        part
        for lang in langs or LANGS
        for part in (option, f"{lang}={path.format(lang=lang)}")
    ]


def tokenizer_langs(wildcards):
    """LANG=FLORES of the languages that a tokenizer is counted on: a monolingual one's own, else all."""
    return [flores_code(lang) for lang in languages_of(wildcards.tokenizer, LANGS)]


def flores_code(lang):
    """LANG=FLORES, as the steps that read parallel sets want it."""
    return f"{lang}={LANGUAGES.loc[lang, 'flores']}"


def tried_on(lang):
    """NAME=PATH, in a list, of the first parallel set with the language, on which language identification is tried.

    So a set that comes later changes nothing.
    """
    flores = LANGUAGES.loc[lang, "flores"]
    several = zip(PARALLEL, PARALLEL_PATHS) if len(PARALLEL) > 1 else ()
    having = ([entry] for entry, path in several if flores in codes_of(path))
    return next(having, PARALLEL[:1])


@cache
def codes_of(path):
    """The FLORES codes of a parallel set; all of one that cannot be read, so that the step says so."""
    try:
        return codes_in(Path(path))
    except UserError:
        return set(LANGUAGES["flores"])


def source_files():
    """The local paths and globs of corpus.sources; a local list of WARC files stands for what it names."""
    entries = config["corpus"]["sources"]
    return [
        path
        for entry in entries
        for path in entry.get("text", {"": entry.get("warc")}).values()
    ]


def order_of(wildcards):
    """The languages in the order of that number."""
    return ORDERS[int(wildcards.order) - 1]


def sequential_in_order(wildcards):
    """The sequential BPE learned in an order; the first one is the run's own."""
    suffix = "" if wildcards.order == "1" else f"-order{wildcards.order}"
    return f"results/tokenizers/sequential-bpe{suffix}/tokenizer.json"


def table_options(langs):
    """LANG=TOKENIZER of the monolingual BPE tokenizers."""
    return [
        f"{lang}=results/tokenizers/mono-bpe-{lang}/tokenizer.json" for lang in langs
    ]


def model_shape(name):
    """NAME=SHAPE of a model, its shape as `modtok plan` takes it."""
    row = MODELS.loc[name].drop("name")
    return f"{name}=" + ",".join(f"{key}={value}" for key, value in row.items())


def named_shapes(entries, setting):
    """NAME -> NAME=SHAPE of models that a setting names, rows of the table or written out. Stop at once at others."""
    shapes = {}
    for entry in entries:
        if not isinstance(entry, dict) and entry not in MODELS.index:
            raise WorkflowError(
                f"{setting}: no row '{entry}' in models.tsv; add one, or write it out: "
                f"{{{entry}: d=3072,layers=22}}"
            )
        written = entry if isinstance(entry, dict) else {}
        shapes |= {name: f"{name}={shape}" for name, shape in written.items()}
        shapes |= {} if written else {entry: model_shape(entry)}
    try:
        for option in shapes.values():
            name, _, shape = option.partition("=")
            parse_shape(shape, f"{setting}: {name}")
    except UserError as error:
        raise WorkflowError(str(error)) from None
    return shapes


def item_inputs(wildcards):
    """The files that a table or figure is made from."""
    return ITEMS[wildcards.item].inputs


def item_code(wildcards):
    """A digest of what makes a table or figure, so that an edit of another one does not run it again.

    Of the modules of tables or figures its own function counts and what that uses, of the declarations its own.
    """
    item = ITEMS[wildcards.item]
    files = Path(workflow.basedir, "workflow/modtok/reporting").glob(
        f"*{item.kind}s.py"
    )
    only = {f"reporting.{file.stem}": [item.name] for file in files}
    only["reporting.items"] = ["Item"]
    code = code_digest(f"steps.{item.kind}", only=only, apart=["reporting.items.ITEMS"])
    return digest(code, repr(item))


def reporting_options():
    """What every table and figure has to know of the run."""
    names = [f"{lang}={LANGUAGES.loc[lang, 'name']}" for lang in LANGS]
    titles = [
        f"{name}={OPEN_TOKENIZERS['title'].get(name, name)}" for name in IMPORTED_PATHS
    ]
    extracted = map(extracted_family, MODULAR)
    shown = ["--tokenizers", *TOKENIZERS, *extracted, "--open-titles", *titles]
    options = ["--langs", *names, *shown]
    dataset = optional("--dataset", DATASET)
    return [*options, *dataset, "--budget", config["tokenizers"]["budget"]]


WORD_COUNTS = named_options("--counts", "results/corpus/word_counts/{lang}.parquet")
# What the run reads from outside, by name and size.
PARALLEL_FILES = files_digest(PARALLEL_PATHS)
LID_MODEL = config["corpus"]["language_id"]["model"]
NEAR_OPTIONS = near_options()
REPORTING_OPTIONS = reporting_options()
