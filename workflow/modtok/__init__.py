"""modtok: modular tokenizers for multilingual language models.

The library behind the workflow of this repository; it knows nothing of Snakemake. CONTRIBUTING.md has a tour.
"""

__version__ = "0.1.0"
