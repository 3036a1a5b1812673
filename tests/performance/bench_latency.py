"""Forward times by vocabulary and length, and how well they are predicted from the monolingual passes alone.

    python tests/performance/bench_latency.py [--model 0.5B] [--lines 20] [--rounds 3] [--threads 1]

Lengths of lines are made: those of a language that an extracted tokenizer serves as well as one of its own,
the full one 3 % better, and an open one six times worse (the paper's Telugu under Qwen 3).
"""

import argparse

import numpy as np
import torch

from modtok.core.model_shapes import find_shape
from modtok.evaluation.latency_metrics import Passes, latency_metrics, workloads_of
from modtok.evaluation.token_counts import TokenCounts

TOKENIZERS = {
    "mono-bpe-te": (24_004, 1.0),
    "sequential-bpe+te": (24_004, 1.01),
    "sequential-bpe": (384_004, 0.97),
    "open-qwen3": (151_669, 6.0),
}
"vocabulary, and tokens over the monolingual tokenizer's"
SAME, CLOSE = (0.97, 1.05), 0.15
SET = "made"


def made_counts(lines: int) -> list[TokenCounts]:
    lengths = np.random.default_rng(1).gamma(6, 6, lines) + 5
    return [
        TokenCounts(name, size, {(SET, "te"): np.maximum(1, (lengths * longer).astype(np.int64))})
        for name, (size, longer) in TOKENIZERS.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--model", default="d=512,layers=8", help="of models.tsv, or a shape")
    parser.add_argument("--lines", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    lines, workloads = workloads_of(made_counts(args.lines), SET, ["te"], None)
    passes = Passes(SET, lines, workloads, args.rounds, hours=24, seed=1)
    metrics = list(latency_metrics(dict([find_shape(args.model)]), [args.model], passes))
    measured = {one.tokenizer: one for one in metrics if one.metric == "forward_ratio"}
    predicted = {one.tokenizer: one.value for one in metrics if one.metric == "forward_ratio_predicted"}
    for name, one in measured.items():
        off = predicted[name] / one.value - 1
        said = f"{one.value:.2f} ({one.low:.2f} to {one.high:.2f})"
        print(f"{name}: {said} times the monolingual one, predicted {predicted[name]:.2f} ({off:+.0%})")
    same = SAME[0] <= measured["sequential-bpe+te"].value <= SAME[1]
    worst = max(abs(predicted[name] / one.value - 1) for name, one in measured.items())
    print(f"extracted within {SAME[0]} to {SAME[1]}: {'yes' if same else 'NO'}")
    print(f"predictions within {CLOSE:.0%}: {'yes' if worst <= CLOSE else 'NO'} (worst {worst:.0%})")


if __name__ == "__main__":
    main()
