"""Word counts, BPE and Unigram tokenizers, their files and their audit (paper sections 3 and 4)."""
