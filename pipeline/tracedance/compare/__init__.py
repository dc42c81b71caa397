"""Finished runs set side by side: leaderboard, tests, robustness. Reads run folders; the statistics are those of `analyse`."""
