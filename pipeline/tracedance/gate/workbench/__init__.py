"""The Agent Behavior Workbench's gate: folders of traces against a spec, in five categories."""
