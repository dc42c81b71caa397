"""What continuous integration reads of a gate: JUnit XML, SARIF, Markdown and annotations, and the plugin for pytest."""
