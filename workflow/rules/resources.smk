# What jobs need of a machine: memory (mem_mb, in MB) and time (runtime, in minutes), for schedulers and clusters.
#
# INPUTS   the attempt, and the sizes of a job's inputs
# OUTPUTS  the functions below, for `resources` of rules
import csv


def growing(base, per_mb=0):
    """A resource that grows with each attempt and, where a job holds its input, by so much per MB of it.

    The figures are at least twice what was measured on 21 languages with 24k tokens each. What reads text keeps a
    bounded part of it in memory, so that only its time grows.
    """
    if not per_mb:
        return lambda wildcards, attempt: base * attempt
    return lambda wildcards, input, attempt: int(
        (base + per_mb * input.size_mb) * attempt
    )


def shard_minutes(wildcards, input, attempt):
    """Minutes of a shard: five per GB of its files, which are named with their sizes in its input."""
    with open(input.files, encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t")
        gigabytes = sum(int(row["size_bytes"]) for row in rows) / 1e9
    return int((60 + 5 * gigabytes) * attempt)
