"""From WARC files and texts to a clean corpus per language, every record counted (paper section 6.1)."""
