"""From WARC files and texts to one clean corpus per language, with every record counted (paper section 6.1)."""
