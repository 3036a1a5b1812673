"""Names of the stages and outcomes that the ledger counts by."""

# Until the language is known, and by the model's labels where it has just been found.
OVERALL = (READ := "read", EXTRACT := "extract", LANGUAGE_ID := "language_id", SELECT := "select")
PER_LANGUAGE = (
    DEDUPLICATE := "deduplicate",
    DEDUPLICATE_PARAGRAPHS := "deduplicate_paragraphs",
    QUALITY := "quality",
)
STAGES = OVERALL + PER_LANGUAGE
"in the order in which a record meets them; all count documents but deduplicate_paragraphs"
KEPT = "kept"
"the outcome of a record that goes on; the others are reasons to drop it"
ALL_LANGUAGES = "*"
"the language of a record before language identification"
