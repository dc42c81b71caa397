"""The only reader and writer of session shards, run folders and benchmarks, and the one door by which content leaves."""
