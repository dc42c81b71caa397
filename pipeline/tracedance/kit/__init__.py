"""Readers of plain session data that ingest, anchors and rubrics share. Functions only; nothing here reads files or calls out."""
