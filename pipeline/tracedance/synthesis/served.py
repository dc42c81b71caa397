"""The names that an anchor can reach in the sandbox: read-only stand-ins for a few modules, without the modules that those import.

The gate holds a synthesised anchor to `GRAMMAR`; the worker serves `SERVED`, since families that people write may hold classes and use
more of the standard library. What is served is hygiene: the boundary is in `confine`.
"""

import builtins
import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import BuiltinFunctionType, FunctionType, MappingProxyType, ModuleType
from typing import Any, get_origin

import tracedance.kit

KIT = tuple(f"tracedance.kit.{module.name}" for module in pkgutil.iter_modules(tracedance.kit.__path__))
GRAMMAR = ("re", "json", "math", "collections", "collections.abc", "itertools", "typing", "tracedance.kit", *KIT, "tracedance.schema")
"""What a synthesised anchor may import."""
SERVED = (
    *GRAMMAR, "re2", "__future__", "bisect", "dataclasses", "datetime", "difflib", "enum", "fnmatch", "fractions", "functools", "heapq",
    "operator", "posixpath", "shlex", "string", "textwrap", "unicodedata",
)  # fmt: skip
"""What any family may import."""
_ONLY = {
    "typing": {
        "AbstractSet", "Annotated", "Any", "Callable", "ClassVar", "Collection", "Container", "Counter", "DefaultDict", "Deque", "Dict",
        "Final", "FrozenSet", "Generator", "Generic", "Hashable", "Iterable", "Iterator", "List", "Literal", "Mapping", "Match",
        "MutableMapping", "MutableSequence", "NamedTuple", "Never", "NoReturn", "Optional", "OrderedDict", "Pattern", "Protocol",
        "Reversible", "Self", "Sequence", "Set", "Sized", "TYPE_CHECKING", "Text", "Tuple", "Type", "TypeAlias", "TypeGuard", "TypeVar",
        "Union", "assert_never", "cast",
    },
    "re": {
        "A", "ASCII", "DOTALL", "I", "IGNORECASE", "M", "MULTILINE", "Match", "NOFLAG", "Pattern", "S", "U", "UNICODE", "VERBOSE", "X",
        "compile", "error", "escape", "findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn",
    },
    "json": {"JSONDecodeError", "dumps", "loads"},
    "tracedance.schema": {
        "Hit", "Session", "Turn", "ToolCall", "ToolResult", "ToolDefinition", "ToolShape", "ToolClass", "ErrorClass", "Status", "Mark",
    },
}  # fmt: skip
"""Modules of which only these names are served. `typing` is for annotations: get_type_hints, ForwardRef and others evaluate texts."""
_HELD_BACK = {"functools": {"get_cache_token"}, "collections": {"namedtuple"}}
"""Public names that are not served: `namedtuple` evaluates source that it writes."""
_OURS = ("tracedance.kit.", "tracedance.schema.")
_READ_ONLY: Mapping[type, Callable[[Any], Any]] = {dict: MappingProxyType, list: tuple, set: frozenset}

BUILTINS = (
    "abs", "all", "any", "ascii", "bool", "bytes", "chr", "dict", "divmod", "enumerate", "filter", "float", "frozenset", "int",
    "isinstance", "issubclass", "iter", "len", "list", "map", "max", "min", "next", "object", "ord", "range", "repr", "reversed", "round",
    "set", "slice", "sorted", "str", "sum", "tuple", "zip", "Ellipsis", "NotImplemented",
    "ArithmeticError", "AssertionError", "AttributeError", "Exception", "IndexError", "KeyError", "LookupError", "OverflowError",
    "RecursionError", "RuntimeError", "StopIteration", "TypeError", "UnicodeError", "ValueError", "ZeroDivisionError",
)  # fmt: skip
"""Names that need no import, for synthesised anchors too."""
FOR_CLASSES = ("__build_class__", "callable", "classmethod", "hash", "property", "staticmethod", "super", "type")


class _Served(ModuleType):
    """A stand-in for a module."""

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{self.__name__} is served read-only")

    def __delattr__(self, name: str) -> None:
        self.__setattr__(name, None)


def public(name: str) -> dict[str, Any]:
    """What a served module offers: its public names, other modules not among them.

    Of the kit it is what the kit defines, and not what its modules import; its tables are served read-only, so that nothing can be kept
    in them.
    """
    module = importlib.import_module(name)
    names: Iterable[str] = _ONLY.get(name) or getattr(module, "__all__", None) or vars(module)
    back = _HELD_BACK.get(name, ())
    found = {key: getattr(module, key) for key in sorted(names) if not key.startswith("_") and key not in back}
    if name in KIT:
        found = {key: _READ_ONLY.get(type(value), _same)(value) for key, value in found.items() if _own(value)}
    return {key: value for key, value in found.items() if not isinstance(value, ModuleType)}


def _same(value: Any) -> Any:
    return value


def _own(value: Any) -> bool:
    """Whether the kit defines it: a function or class of ours, a constant, or an alias of types."""
    if isinstance(value, FunctionType | BuiltinFunctionType | type) or hasattr(value, "__wrapped__"):
        return str(value.__module__).startswith(_OURS)
    return type(value).__module__ not in ("typing", "__future__") or get_origin(value) is not None


def modules() -> dict[str, ModuleType]:
    """The stand-ins by name. Imports all that they stand for, so that nothing is left to be imported later."""
    made: dict[str, ModuleType] = {}
    for name in SERVED:
        made[name] = _Served(name)
        vars(made[name]).update(public(name))
    for name in KIT:
        vars(made["tracedance.kit"])[name.rpartition(".")[2]] = made[name]
    vars(made["collections"])["abc"] = made["collections.abc"]
    return made


def namespace(name: str) -> dict[str, Any]:
    """The global names that an anchor's source starts with."""
    served = modules()
    ours = _Served("tracedance")
    vars(ours).update(kit=served["tracedance.kit"], schema=served["tracedance.schema"])
    tops = {**served, "tracedance": ours}

    def bring(wanted: str, given: Any = None, local: Any = None, names: Sequence[str] | None = None, level: int = 0) -> ModuleType:
        if level or wanted not in served:
            raise ImportError(f"an anchor cannot import {wanted!r}")
        return served[wanted] if names else tops[wanted.partition(".")[0]]

    own = ModuleType(name)
    allowed = {key: getattr(builtins, key) for key in (*BUILTINS, *FOR_CLASSES)}
    vars(own).update(__builtins__={**allowed, "__import__": bring})
    sys.modules[name] = own  # dataclasses look their module up
    return vars(own)
