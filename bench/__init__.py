"""What Pincite is measured with: `python -m bench`, then `python -m bench.report`.

One program per subject, in a room with what it needs (`subject_table.py` makes its tables); each
figure is defined where it is computed. What several rooms share is here. The results are kept in
`bench/results/latest.json`, the tables that are made of them in `docs/benchmarks.md`.
"""
