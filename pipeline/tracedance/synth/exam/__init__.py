"""The large corpus: sessions of four kinds with offences, well-met opportunities and near misses of all families, at stated rates.

`scenes/` holds what happens, one text file a family (its grammar is in `script.py`); `languages/` the toolchains; the rest plays it:
`plan` draws which scenes a session has, `stage` fills them with names, `hands_*` give each step the tools of a harness, `write_*` the file.
It was written from the description of the families alone; no anchor was consulted.
"""
