"""The words of a shell's syntax tree as the shell would read them: quotes off, escapes undone, nothing expanded."""

from tree_sitter import Node

LONGEST = 20_000
"""Characters kept of one word."""


def text_of(node: Node, source: bytes) -> str:
    """The source text of a node."""
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def word(node: Node, source: bytes, depth: int = 0) -> str:
    """A word without its quotes; expansions and substitutions stay as written."""
    text = source[node.start_byte : min(node.end_byte, node.start_byte + LONGEST)].decode("utf-8", "replace")
    if node.type == "raw_string":
        return text[1:-1]
    if node.type == "ansi_c_string":
        return text[2:-1].replace("\\n", "\n").replace("\\t", "\t").replace("\\'", "'")
    if node.type == "string":
        return _unescaped(text[1:-1], '"\\$`')
    if node.type in ("concatenation", "command_name") and depth < 8 and node.named_child_count:
        return "".join(word(child, source, depth + 1) for child in node.named_children)
    return _unescaped(text, "") if node.type == "word" else text


def _unescaped(text: str, only: str) -> str:
    if "\\" not in text:
        return text
    plain, position = [], 0
    while position < len(text):
        following = text[position + 1 : position + 2]
        if text[position] == "\\" and following and (not only or following in only or following == "\n"):
            plain.append("" if following == "\n" else following)
            position += 2
        else:
            plain.append(text[position])
            position += 1
    return "".join(plain)
