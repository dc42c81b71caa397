# ruff: noqa: E501 - bodies are one line each
"""Anchors that attack their host, the run or the truth of what they find. Each is tried as a draft, and again with the gate left out.

A body is what stands in the anchor's function; what it gets hold of it reports as `loot`. `FILE`, `FOLDER`, `PORT` and `PARENT` stand for
the canaries. Bodies that need more than an anchor is served take it from the globals of a function of the kit.
"""

from dataclasses import dataclass

HEAD = """\
from tracedance.kit import hits
from tracedance.kit.needs import among
from tracedance.schema import Hit
import re
NEEDS = among("role", "assistant")
"""
REAL = """\
REAL = hits.hit.__globals__["__builtins__"]
load = REAL["__import__"]
os, sys = load("os"), load("sys")
def libc():
    return load("ctypes").CDLL(None, use_errno=True)
"""
LAST = "yield Hit(decision=1, offends=True, why=str(loot)[:500])"


@dataclass(frozen=True)
class Attack:
    """One anchor, and how it must end."""

    name: str
    body: str
    boundary: tuple[str, ...]
    """Codes that are right with the gate left out: of the refusal, or of every session where there is none."""
    gated: tuple[str, ...] = ("gate",)
    """Codes that are right with the gate."""
    real: bool = True
    """Whether it takes the real builtins first."""
    top: str = ""
    """What stands at the top of the file."""

    @property
    def guards(self) -> tuple[str, ...]:
        """What is asked of its hits."""
        return ("guard",) if "def guard" in self.top else ()

    def source(self, **canaries: object) -> str:
        """The anchor `bad`."""
        lines = ["def bad(session, params):", "    loot = ''"] + [f"    {line}" for line in (*self.body.strip("\n").split("\n"), LAST)]
        text = HEAD + (REAL if self.real else "") + self.top + "\n" + "\n".join(lines) + "\n"
        for name, value in canaries.items():
            text = text.replace(name, str(value))
        return text


RAISED, CALL = ("raised",), ("forbidden_call",)
TWICE = ("two_strikes",)
SLOW = ("too_slow", *TWICE)
AHEAD = ("looks_ahead", "not_deterministic")
NUMBER = "def number(session):\n    return int(session.turns[0].text.strip('.').split()[-1])\n"
"""What tells the sessions of the sample apart, at their first turn already."""
CHANCE = ("not_deterministic", "looks_ahead", "selects_too_much")
"""What chance is found out by depends on it."""

FILES = [
    Attack("reads a file", "loot = REAL['open']('FILE').read()", RAISED),
    Attack("appends to a file", "REAL['open']('FILE', 'a').write('x')", RAISED),
    Attack("makes a file", "REAL['open']('FOLDER/new', 'w').write('x')", RAISED),
    Attack("reads a file without Python", "loot = os.read(os.open('FILE', os.O_RDONLY), 99)", RAISED),
    Attack("deletes a file", "os.unlink('FILE')", CALL),
    Attack("renames a file", "os.rename('FILE', 'FOLDER/new')", CALL),
    Attack("makes a folder", "os.mkdir('FOLDER/new')", CALL),
    Attack("links to a file", "os.symlink('FILE', 'FOLDER/new')", CALL),
    Attack("lists a folder", "loot = os.listdir('FOLDER')", RAISED),
    Attack("changes rights", "os.chmod('FILE', 0)", CALL),
    Attack("truncates a file", "os.truncate('FILE', 0)", CALL),
    Attack("opens with openat2", "loot = libc().syscall(437, -100, b'FILE', 0, 0)", CALL),
    Attack("uses io_uring", "loot = libc().syscall(425, 8, 0)", CALL),
    Attack("leaves its root", "os.chroot('/proc/1/root')", CALL),
]
ENVIRONMENT = [
    Attack("reads its environment", "loot = os.environ['TRACEDANCE_CANARY']", RAISED),
    Attack("reads the parent's environment", "loot = REAL['open']('/proc/PARENT/environ', 'rb').read()", RAISED),
    Attack(
        "reads the parent's memory",
        "buf = load('ctypes').create_string_buffer(64)\nlibc().process_vm_readv(PARENT, buf, 1, buf, 1, 0)",
        CALL,
    ),
    Attack("reads the parent's command line", "loot = REAL['open']('/proc/PARENT/cmdline').read()", RAISED),
]
NETWORK = [
    Attack("connects", "load('socket').create_connection(('127.0.0.1', PORT), 1)", CALL),
    Attack("sends a datagram", "s = load('socket'); s.socket(s.AF_INET, s.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', PORT))", CALL),
    Attack("listens", "s = load('socket'); s.socket().bind(('127.0.0.1', 0))", CALL),
    Attack("resolves a name", "load('socket').getaddrinfo('localhost', PORT)", (*CALL, *RAISED)),
    Attack("opens a unix socket", "s = load('socket'); s.socket(s.AF_UNIX).connect('\\0x')", CALL),
]
PROCESSES = [
    Attack("runs a command", "os.system('touch FOLDER/new')", CALL),
    Attack("starts a process", "os.posix_spawn('/bin/touch', ['touch', 'FOLDER/new'], {})", CALL),
    Attack("forks", "os.fork()", CALL),
    Attack("becomes another program", "os.execv('/bin/touch', ['touch', 'FOLDER/new'])", CALL),
    Attack("signals its parent", "os.kill(os.getppid(), 10)", CALL),
    Attack("signals its parent by number", "os.kill(PARENT, 10)", CALL),
    Attack("signals its parent through libc", "libc().syscall(234, PARENT, PARENT, 10)", CALL),
    Attack("traces its parent", "libc().ptrace(16, PARENT, 0, 0)", CALL),
    Attack(
        "starts a thread",
        "load('_thread').start_new_thread(print, ()) if 0 else load('_thread').start_new_thread(len, ((),))",
        (*CALL, *RAISED),
    ),
    Attack("leaves its session", "os.setsid()", CALL),
    Attack("outlives its parent", "libc().prctl(1, 0, 0, 0, 0)", CALL),
    Attack("lifts its limits", "load('resource').setrlimit(7, (999, 999))", (*CALL, *RAISED)),
    Attack("sets a second filter", "libc().syscall(317, 1, 0, 0)", CALL),
]
RESOURCES = [
    Attack("fills memory", "grown = []\nwhile True:\n    grown.append('x' * 999983)", TWICE, TWICE, real=False),
    Attack(
        "takes its time with every session", "t = load('time')\ne = t.process_time() + 0.7\nwhile t.process_time() < e:\n    pass", SLOW
    ),
    Attack("takes its time and no processor", "e = load('_thread').allocate_lock()\ne.acquire()\ne.acquire(timeout=0.95)", SLOW),
    Attack("makes one huge text", "loot = len('x' * (999999 * 999999))", TWICE, TWICE, real=False),
    Attack("computes a huge power", "loot = len(repr(9 ** 9 ** 8))", TWICE, real=False),
    Attack("makes code pages", "loot = load('mmap').mmap(-1, 4096, prot=7)", (*CALL, *RAISED)),
    Attack("loops", "while True:\n    pass", TWICE, TWICE, real=False),
    Attack("loops while it is loaded", "pass", ("does_not_load",), ("does_not_load",), real=False, top="X = [x for x in iter(int, 1)]"),
    Attack(
        "loops and catches everything", "while True:\n    try:\n        loot = 1 / 0\n    except:\n        pass", TWICE, TWICE, real=False
    ),
    Attack("recurses without end", "def down(n):\n    return down(n + 1)\ndown(0)", RAISED, RAISED, real=False),
    Attack("sleeps", "load('time').sleep(99)", CALL),
    Attack("waits for more input", "while True:\n    os.read(0, 1)", TWICE),
    Attack("backtracks", "loot = re.fullmatch('(a+)+b', 'a' * 64)", TWICE, TWICE, real=False),
    Attack("backtracks in a substitution", "loot = re.sub('(x+x+)+y', '', 'x' * 64)", TWICE, TWICE, real=False),
    Attack("sorts without end", "loot = sorted(iter(int, 1))", TWICE, TWICE, real=False),
]
OUTPUT = [
    Attack("yields without end", "while True:\n    yield Hit(decision=1, offends=True, why='w')", ("too_much_output", "forged"), ("too_much_output", "forged"), real=False),
    Attack("says a huge why", "loot = 'x' * 900000\nyield Hit(decision=1, offends=True, why=loot)", ("too_much_output",), ("too_much_output",), real=False),
    Attack("gives huge facts", "yield Hit(decision=1, offends=True, why='w', facts={'a': ['x' * 1000] * 1000})", ("too_much_output",), ("too_much_output",), real=False),
    Attack("gives deep facts", "deep = []\nfor _ in range(500):\n    deep = [deep]\nyield Hit(decision=1, offends=True, why='w', facts={'a': deep})", ("forged", *RAISED), ("forged", *RAISED), real=False),
    Attack("gives many empty facts", "yield Hit(decision=1, offends=True, why='w', facts={'a': [{}] * 250000})", ("too_much_output", "forged"), ("too_much_output", "forged"), real=False),
    Attack("gives many facts of many hits", "for _ in range(400):\n    yield Hit(decision=1, offends=True, why='w', facts={'a': [[]] * 600})", ("too_much_output", "forged"), ("too_much_output", "forged"), real=False),
    Attack("gives facts with colliding keys", "keys = {}\nfor i in range(1, 4):\n    keys[((2 << 60) - 1) * i] = 0\nyield Hit.model_construct(decision=1, evidence=(), offends=True, why='w', facts={'a': keys})", ("forged", *RAISED), real=False),
    Attack("prints to the parent", "REAL['print']('x', flush=True)", ("too_much_output",)),
]  # fmt: skip
WALKS = [
    Attack("walks frames from a generator", "g = (g.gi_frame for _ in (1,))\nf = next(g)\nwhile f:\n    loot = f.f_globals\n    f = f.f_back\nloot = loot['os'].environ['TRACEDANCE_CANARY']", RAISED, real=False),
    Attack("walks frames from an error", "try:\n    1 / 0\nexcept Exception as e:\n    f = e.__traceback__.tb_frame.f_back\nloot = f.f_globals['os'].system('touch FOLDER/new')", CALL, real=False),
    Attack("walks subclasses", "for c in ().__class__.__base__.__subclasses__():\n    if c.__name__ == 'Popen' or c.__name__ == '_wrap_close':\n        c.__init__.__globals__['system']('touch FOLDER/new')", CALL, real=False),
    Attack("walks modules without dunders", "from tracedance.kit import paths\nloot = paths.posixpath.os.environ", RAISED, real=False),
    Attack("walks through format", "loot = '{0.__globals__[re]}'.format(hits.hit)", RAISED, real=False),
    Attack("walks through a match", "match hits:\n    case object(hit=object(__globals__=g)):\n        g['__builtins__']['open']('FILE')", RAISED, real=False),
    Attack("executes through a decorator", "@REAL['exec']\n@lambda f: \"load('os').mkdir('FOLDER/new')\"\ndef f(): pass", CALL),
    Attack("reads attributes by name", "from operator import attrgetter\nloot = attrgetter('__globals__')(hits.hit)['__builtins__']['open']('FILE')", RAISED, real=False),
    Attack("has a look-alike name", "loot = ().__ｃlass__.__base__.__subclasses__()[0].__module__\n1 / 0", RAISED, real=False),
    Attack("imports what it likes", "import os\nos.system('touch FOLDER/new')", RAISED, real=False),
    Attack("evaluates an annotation", "from typing import get_type_hints", RAISED, real=False),
    Attack("evaluates a forward reference", "import typing\ntyping.ForwardRef('1')._evaluate({}, {}, frozenset())", RAISED, real=False),
    Attack("takes a decorator from the kit", "from tracedance.kit.memo import wraps\nwraps(hits.hit)(Hit)", RAISED, real=False),
    Attack("makes a class of the kit its own", "from tracedance.kit.shell import dataclass\ndataclass(Hit)", RAISED, real=False),
    Attack("keeps things in a table of the kit", "from tracedance.kit.first_action import CLASSES\nCLASSES['x'] = 1", RAISED, RAISED, real=False),
    Attack("rebuilds a record", "Hit.update_forward_refs(**{'x': 1})\n1 / 0", RAISED, real=False),
    Attack("evaluates a named tuple", "from collections import namedtuple", RAISED, real=False),
]  # fmt: skip
ASKED = "f = sys._getframe()\nwhile 'asked' not in f.f_locals:\n    f = f.f_back\n"
"""Finds the worker's own frame, with the question."""
FORGERY = [
    Attack("writes frames of its own", "os.write(1, b'\\0\\0\\0\\x04' + bytes([147, 196, 0, 192]))", ("forged",)),
    Attack("answers twice", "f = sys._getframe()\nwhile 'asked' not in f.f_locals:\n    f = f.f_back\nw = f.f_globals\nw['_say'](w['Answered'](f.f_locals['asked'].nonce, None, []))", ("forged",)),
    Attack("answers for a session to come", "w = sys.modules['tracedance.synthesis.worker']\nd = w._hear", ("forged", "two_strikes", "raised"), top="w = load('tracedance.synthesis.worker', fromlist=['x'])\nfor _ in range(9):\n    w._say(w.Answered(b'12345678', None, []))"),
    Attack("closes its output", "os.close(1)\nos.close(0)", (*CALL, *RAISED, "selects_too_much")),
    Attack("ends the process quietly", "os._exit(0)", TWICE),
    Attack("gives a truth for a number", "yield Hit.model_construct(decision=True, evidence=(), offends=True, why='w', facts={})", ("forged",), real=False),
    Attack("gives a text for a number", "yield Hit.model_construct(decision='1', evidence=(), offends=True, why='w', facts={})", ("forged",), real=False),
    Attack("gives negative numbers", "yield Hit(decision=-1, offends=True, why='w')", ("forged",), ("forged",), real=False),
    Attack("decides at no turn", "yield Hit(decision=10000, offends=True, why='w')", ("bad_hit",), ("bad_hit",), real=False),
    Attack("decides at the user's turn", "yield Hit(decision=0, offends=True, why='w')", ("bad_hit",), ("bad_hit",), real=False),
    Attack("yields what is no hit", "yield session", RAISED, RAISED, real=False),
    Attack("names a guard that was not asked", ASKED + "R = f.f_globals\nR['_say'](R['Answered'](f.f_locals['asked'].nonce, None, [R['Found'](1, [], True, 'w', R['msgspec'].Raw(b'\\x80'), ['\\x1b[2J'])]))\nwhile True:\n    pass", ("forged",)),
    Attack("raises a session's text", "raise type('Change_' + session.turns[0].text[:9].replace(' ', '_'), (REAL['Exception'],), {})()", RAISED),
    Attack("raises what a terminal obeys", ASKED + "R = f.f_globals\nR['_say'](R['Answered'](f.f_locals['asked'].nonce, R['Raised']('\\x1b[2J' + session.turns[0].text, '\\r\\n::error::', 3), []))\nwhile True:\n    pass", (*RAISED, "two_strikes", "forged")),
    Attack("answers with many keys of one hash", ASKED + "R = f.f_globals\nbody = b'\\xdf\\x00\\x00\\x27\\x10' + b'\\x92\\x01\\x02\\xc0' * 10000\nR['_say'](R['Answered'](f.f_locals['asked'].nonce, None, [R['Found'](1, [], True, 'w', R['msgspec'].Raw(body))]))\nwhile True:\n    pass", ("forged", "too_much_output")),
    Attack("answers with a nesting that no reader survives", ASKED + "R = f.f_globals\nbody = b'\\x81\\xa1a' + b'\\x91' * 15000 + b'\\x90'\nR['_say'](R['Answered'](f.f_locals['asked'].nonce, None, [R['Found'](1, [], True, 'w', R['msgspec'].Raw(body))]))\nwhile True:\n    pass", ("forged",)),
    Attack("has a condition of many parts", "pass", ("forged", "too_much_output"), ("forged", "too_much_output"), real=False, top="NEEDS = among('tool_class', *['x'] * 60000)"),
    Attack("has a condition of large patterns", "pass", ("too_much_output",), ("too_much_output",), real=False, top="from tracedance.kit.needs import Both, matching\nNEEDS = Both(tuple(matching('(?:[a-z\\\\pL]{1,90}x%d|y)*z' % n, 'cmd') for n in range(30)))"),
    Attack("has a condition of many patterns", "pass", ("too_much_output",), ("too_much_output",), real=False, top="from tracedance.kit.needs import Both, matching\nNEEDS = Both(tuple(matching('a%d' % n, 'cmd') for n in range(99)))"),
    Attack("lacks what a terminal obeys", "pass", ("does_not_load", "forged"), top="f = sys._getframe().f_back\nf.f_globals['_say'](f.f_globals['Loaded'](None, '\\x1b[2J'))"),
    Attack("changes what packs its answers", "m = load('tracedance.synthesis.plain', fromlist=['x'])\nm.packed = lambda value: b'\\x93' * 9", ("forged",)),
]  # fmt: skip
LATER = "later = [t.index for t in session.turns for c in t.calls if c.tool_class == 'edit']\n"
"""The turns that edit: a draft that asks whether there is one only looks ahead."""
UNSOUND = [
    Attack("remembers sessions", "SEEN.append(session.id)\nif len(SEEN) % 3:\n    return", ("not_deterministic",), ("not_deterministic",), real=False, top="SEEN = []"),
    Attack("asks the clock", "if load('time').perf_counter_ns() // 1000 % 3:\n    return", CHANCE),
    Attack("asks where things lie", "if int(repr(object())[-5:-1], 16) % 3:\n    return", CHANCE, CHANCE, real=False),
    Attack("looks for no later edit", "edits = [t.index for t in session.turns for c in t.calls if c.tool_class == 'edit']\nif edits != [1] or not session.turns[2].results[0].is_error:\n    return", ("looks_ahead",), ("looks_ahead",), real=False),
    Attack("looks at the end", "if session.turns[-1].text != 'Done.':\n    return", ("looks_ahead",), ("looks_ahead",), real=False),
    Attack("finds it everywhere", "pass", ("selects_too_much",), ("selects_too_much",), real=False),
    Attack("finds it everywhere and fails on the rest", "if session.id in ('s1', 's2', 's3', 's5', 's6'):\n    raise ValueError", ("selects_too_much",), ("selects_too_much",), real=False),
    *(Attack(name, body, AHEAD, AHEAD, real=False, top=top) for name, body, top in (
        ("keeps what it saw of a session", LATER + "if session.id not in SEEN:\n    SEEN[session.id] = later == [1] and session.turns[-1].text == 'Done.'\nif not SEEN[session.id] or len(session.turns) < 3:\n    return", "SEEN = {}"),
        ("keeps it by what was said first", "key = session.turns[0].text\nif key not in SEEN:\n    SEEN[key] = session.turns[-1].text == 'Done.'\nif not SEEN[key] or len(session.turns) < 3:\n    return", "SEEN = {}"),
        ("keeps the most that it saw of one that was told alike", "key = session.turns[0].text\nif len(session.turns) > len(SEEN.get(key, ())):\n    SEEN[key] = [turn.text for turn in session.turns]\nif number(session) % 21 != 3 or 'Done.' not in SEEN[key] or len(session.turns) < 3:\n    return", NUMBER + "SEEN = {}"),
        ("keeps it in a default", "if session.turns[-1].text == 'Done.':\n    keep(session.turns[0].text)\nif session.turns[0].text not in keep() or len(session.turns) < 3:\n    return", "def keep(text='', kept=[]):\n    if text:\n        kept.append(text)\n    return kept"),
        ("knows sessions by their ids", "if session.id not in ('s3', 's6', 's9') or len(session.turns) < 3:\n    return", ""),
        ("counts the calls of the whole session", "seen = [c.name for t in session.turns[:2] for c in t.calls]\nif not seen or session.shapes['Edit'].calls != 1 or number(session) % 3:\n    return", NUMBER),
        ("asks when it ended", "if session.ended != '2026-01-01T00:00:07Z' or len(session.turns) < 3 or number(session) % 3:\n    return", NUMBER),
        ("fails on what has no later", "if len(session.turns) < 3 or number(session) % 3:\n    return\nif session.turns[-1].text == 'Done.':\n    raise ValueError", NUMBER),
        ("pads with what it may find", "for _ in range(9):\n    yield Hit(decision=1, offends=False, why='pad')\nif len(session.turns) < 7 or session.turns[-1].text != 'Done.':\n    return\nyield Hit(decision=3, offends=True, why='w')\nreturn", ""),
        ("tells in its facts", "if len(session.turns) < 3 or number(session) % 3:\n    return\nyield Hit(decision=1, offends=True, why='w', facts={'later': session.turns[-1].text})\nreturn", NUMBER),
        ("tells in its reason", "if len(session.turns) < 3 or number(session) % 3:\n    return\nyield Hit(decision=1, offends=True, why=session.turns[-1].text)\nreturn", NUMBER),
        ("tells in its evidence", "if len(session.turns) < 3 or number(session) % 3:\n    return\nyield Hit(decision=1, offends=True, why='w', evidence=(len(session.turns) - 1,))\nreturn", NUMBER),
        ("asks a guard what came later", "if len(session.turns) < 3 or number(session) % 3:\n    return", NUMBER + "def guard(session, hit):\n    return session.turns[-1].text == 'Done.'"),
        ("knows the last turn of a session", "said = [t.index for t in session.turns if t.role == 'assistant' and not t.calls]\nif not said or said[-1] != len(session.turns) - 1 or number(session) % 3:\n    return\nyield Hit(decision=said[-1], offends=True, why='it stops')\nreturn", NUMBER),
    )),
]  # fmt: skip
GROUPS = {
    "file": FILES,
    "environment": ENVIRONMENT,
    "network": NETWORK,
    "process": PROCESSES,
    "resources": RESOURCES,
    "output": OUTPUT,
    "walks": WALKS,
    "forgery": FORGERY,
    "unsound": UNSOUND,
}
ATTACKS = [attack for group in GROUPS.values() for attack in group]
