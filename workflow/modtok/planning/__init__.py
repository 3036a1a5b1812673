"""What a run will take, said before anything is spent: hours, memory, disk, GPU hours, by rule.

In the order of the data: `run` (config and jobs), `sources` and `sample` (the text, from 1 % of it),
`crawl` (of web pages), `questions` (what models will be asked), `workload` (all that a run works on),
`answers` (how much models are asked and answer), `drivers` (what the cost of a job grows with),
`calibration` (the speed of this machine), `costs` (of a job on the reference machine, from costs.tsv),
`speed` (of training here), `models`, `evaluation` and `timings` (of training, of evaluating and of timing
models), `basis` (work and machine), `misfits` (what will not fit), `forecast` (all together, by rule), `rows`
(how it reads).
"""
