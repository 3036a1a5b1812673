"""Which rules depend on what: the sets that the tests of what runs again are written in."""

SHOWN = {"measure_compression", "measure_memory", "measure_latency", "claims", "table", "figure", "page"}
COMPARED = {"measure_combinations", *SHOWN}
SEQUENTIAL = {
    "train_sequential_bpe",
    "finish_sequential_bpe",
    "extract_subtokenizer",
    "train_sequential_order",
}
UNIGRAM = {"train_merged_unigram", "train_frequency_unigram"}
TRAINED = {"train_monolingual", "train_joint", "train_concatenated_bpe", *SEQUENTIAL, *UNIGRAM}
COUNTED = {
    "count_tokens",
    "count_subtokenizers",
    "count_reduced",
    "count_combinations",
    "find_rank_conflict",
}
TOKENIZED = {"count_words", *TRAINED, *COUNTED, *COMPARED}
FILTERED = {"filter_quality", "mixture", "ledger", *TOKENIZED}
DEDUPLICATED = {"deduplicate", "train_quality", *FILTERED}
EXTRACTED = {"fetch_shard", "extract_shard", *DEDUPLICATED}  # the list of a shard's files is temporary
