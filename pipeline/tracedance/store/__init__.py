"""The only reader and writer of session shards, run folders and benchmarks, and the one door by which content leaves."""

import os

# Before Arrow is loaded, which looks once. Its own allocator holds 50 MB more and costs a pass up to twice the CPU where others use the
# cores; whoever names one in the environment keeps it.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
