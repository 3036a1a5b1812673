"""Tables, figures and the page: selects, pivots and draws the metrics table; computes nothing else."""
