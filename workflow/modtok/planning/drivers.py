"""What the cost of a job grows with: amounts of text, words, tokens and lines, by job.

| driver | what |
|---|---|
| job | 1 |
| text_mb, words_m, characters_m, distinct_m, symbols_m | the text of the job's languages (see sample.Text) |
| pruning_m | symbols_m x the rounds in which SentencePiece prunes its first pieces to those wanted |
| trained_m | characters_m, no more than SentencePiece is given |
| shard_text_mb, shard_warc_mb | what a shard reads |
| drawn_mb | text that a quality classifier is trained on |
| page_process | 1 where there are WARC files |
| fetched_mb | what a shard downloads |
| downloaded_mb | what it keeps of that |
| judged_mb | text_mb where the quality of documents is judged, else 0 |
| budget_k, modules_k | tokens of a language; of all languages together, what they share counted for each |
| tokens_k | the tokenizer that the job makes or reads, thousands |
| earlier_k | the tokenizer that a step of sequential training begins with |
| parallel_mb, parallel_kl | the job's languages in the parallel sets: MB, thousands of lines |
| combined_k, combined_mb | tokenizers of combinations of languages together: tokens; text that they encode |
| series_m | tokenizers x languages x lines that are resampled, millions, x thousands of resamples |
| answers_k | answers of all models that the job scores, thousands |
| resampled_k | tasks x languages x ways in which models answer, thousands, x resamples |
"""

import math
from collections.abc import Mapping

from modtok.core.model_names import ModelName
from modtok.planning.answers import groups
from modtok.planning.run import Job
from modtok.planning.sample import Text
from modtok.planning.workload import OPEN_TOKENS, Workload

SENTENCEPIECE_M = 67.1
"as unigram.MAX_CHARACTERS"
DRAWN_M = 0.05
"as quality_training.MAX_DOCUMENTS, in millions"
SEEDS = 0.4
"pieces that SentencePiece begins with, for each symbol; a million at most"
EXTRACTED = ("sequential-bpe", "merged-unigram", "frequency-unigram")
COUNTING = "count_words"
"the rule that sees all different words; those after it see the most frequent"
Drivers = Mapping[str, float]


def drivers(job: Job, work: Workload) -> Drivers:
    """The amounts of every driver for a job. drivers(Job("mixture", {}), work)["job"] -> 1.0"""
    langs = languages_of(job, work)
    most = None if job.rule == COUNTING else work.config["tokenizers"]["max_words"]
    text = sum((work.texts[lang].most_frequent(most) for lang in langs), Text())
    shards = work.config["corpus"]["shards"]
    all_text = sum(one.bytes_mb for one in work.texts.values()) + work.other_text_mb
    parallel = [work.parallel[lang] for lang in langs if lang in work.parallel]
    counts, scored = _combined(work), list(groups(job.rule, work))
    resamples = work.config["evaluation"]["bootstrap"]
    return {
        "job": 1.0,
        "text_mb": text.bytes_mb,
        "words_m": text.words_m,
        "characters_m": text.characters_m,
        "distinct_m": text.distinct_m,
        "symbols_m": text.symbols_m,
        "pruning_m": text.symbols_m * _rounds(text.symbols_m, tokens(tokenizer_of(job), work)),
        "trained_m": min(text.characters_m, SENTENCEPIECE_M),
        "shard_text_mb": all_text / shards,
        "shard_warc_mb": work.warc_mb / shards,
        "drawn_mb": text.bytes_mb * min(1.0, DRAWN_M / max(text.documents_m, DRAWN_M)),
        "page_process": float(work.warc_mb > 0),
        "fetched_mb": work.remote_mb / shards,
        "downloaded_mb": work.remote_mb / shards * work.config["corpus"]["keep_downloads"],
        "judged_mb": text.bytes_mb * work.config["corpus"]["quality"]["enabled"],
        "budget_k": work.budget / 1000,
        "modules_k": work.budget * len(work.langs) / 1000,
        "tokens_k": tokens(tokenizer_of(job), work) / 1000,
        "earlier_k": work.modular_tokens(work.langs[: work.langs.index(langs[0])]) / 1000,
        "parallel_mb": sum(one.bytes_mb for one in parallel),
        "parallel_kl": sum(one.lines for one in parallel) / 1000,
        "combined_k": counts["tokens"] / 1000,
        "combined_mb": counts["bytes_mb"],
        "series_m": _series(job, work) / 1e6 * resamples / 1000,
        "answers_k": sum(one.items * one.answers for one in scored) / 1000,
        "resampled_k": sum(one.answers for one in scored) * resamples / 1000,
    }


def _rounds(symbols_m: float, wanted: float) -> float:
    """In proportion to the rounds of pruning, each of which keeps the same share of the pieces."""
    seeds = 1e6 * min(1.0, SEEDS * symbols_m)
    return max(1.0, math.log(max(seeds, 1.0) / (1.1 * wanted)))


def languages_of(job: Job, work: Workload) -> list[str]:
    """The languages that a job works on: the one that its wildcards name, else all of the run."""
    lang = job.wildcards.get("lang") or tokenizer_of(job).partition("+")[0].rpartition("-")[2]
    return [lang] if lang in work.texts else work.langs


def tokenizer_of(job: Job) -> str:
    """The name of the tokenizer that a job makes, or reads; that of sequential BPE where it is not said."""
    wildcards = job.wildcards
    if "trained" in wildcards:
        return ModelName.parse(wildcards["trained"]).tokenizer
    if "size" in wildcards:
        return f"joint-{wildcards.get('model', 'bpe')}-{wildcards['size']}"
    if job.rule == "train_monolingual":
        return f"mono-{wildcards['model']}-{wildcards['lang']}"
    if job.rule == "import_open_tokenizer":
        return f"open-{wildcards['name']}"
    own = {"train_merged_unigram": "merged-unigram", "train_frequency_unigram": "frequency-unigram"}
    named = wildcards.get("tokenizer") or wildcards.get("modular") or own.get(job.rule)
    return named or "sequential-bpe"


def tokens(name: str, work: Workload) -> float:
    """About how many tokens a tokenizer has."""
    family, _, last = name.partition("+")[0].rpartition("-")
    if name.startswith("open-"):
        return work.open_tokens.get(name.removeprefix("open-"), OPEN_TOKENS)
    if family.startswith("joint-"):
        return float(last)
    if family.startswith("mono-"):
        return work.budget
    if name == "frequency-unigram":
        return max(work.config["tokenizers"]["joint_sizes"], default=0)
    return work.modular_tokens(work.langs)


def _combined(work: Workload) -> dict[str, float]:
    """Tokens of the tokenizers of all combinations, and text that they are asked to encode."""
    sizes = {lang: one.bytes_mb for lang, one in work.parallel.items()}
    return {
        "tokens": sum(len(langs) * work.budget for langs in work.combinations),
        "bytes_mb": sum(sizes.get(lang, 0.0) for langs in work.combinations for lang in langs),
    }


def _series(job: Job, work: Workload) -> float:
    """Lines of every tokenizer on every language that a job resamples."""
    lines = sum(one.lines for one in work.parallel.values()) / max(1, len(work.parallel))
    if job.rule == "measure_combinations":
        numbers = 2 * work.config["evaluation"]["combinations"]["orders"]
        return lines * numbers * sum(map(len, work.combinations))
    section = work.config["tokenizers"]
    shared = 2 * len(section["joint_sizes"]) + len(work.open_tokens) + len(EXTRACTED)
    return lines * len(work.langs) * (2 + shared + len(EXTRACTED))
