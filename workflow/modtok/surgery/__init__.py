"""Surgery: rows of a byte-level BPE vocabulary given to another writing system, at the same size.

Reading order: `byte_level` holds a foreign tokenizer; `derivations` says what each token is made of;
`scripts` sorts tokens by writing system; `selection` and `deletion` free rows; `donor` and `insertion` fill
them; `operation` is the whole; `verification` audits the result with another implementation. `request`
goes from files to the operation, `forecast` reports it, `changes`, `folder` and `checkpoint` write it.
`same_script` is for a language whose writing system is to be kept; `baselines_*` are what is compared with.
"""
