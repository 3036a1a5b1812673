"""What every other package stands on: files, errors, seeds, provenance. Imports only numpy and pyarrow."""
