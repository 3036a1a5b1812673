"""Measurements of tokenizers; each writes rows of the one long metrics table (modtok.core.metrics)."""
