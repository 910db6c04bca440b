"""What Pincite is measured with: `python -m bench`, then `python -m bench.report`.

One program per subject; each figure is defined where it is computed. The results are kept in
`bench/results/latest.json`, the tables that are made of them in `docs/benchmarks.md`.
"""
