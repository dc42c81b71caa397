"""All anchors over all sessions in one pass: conditions on columns first, Python only for the candidates."""
