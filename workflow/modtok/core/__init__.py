"""What every other package stands on: files, errors, seeds, provenance. Imports the standard library, numpy, pyarrow."""
