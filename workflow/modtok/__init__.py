"""modtok: modular tokenizers for multilingual language models.

The library behind the workflow of this repository. It knows nothing of Snakemake; see CONTRIBUTING.md for a tour.
"""

__version__ = "0.1.0"
