"""A process gives up all it could do to its host: limits, landlock, seccomp. Standard library only; needs no privilege, and holds for root.

Landlock denies every file, seccomp every system call but memory, the clock, reading descriptor 0 and writing descriptor 1. Together they
hold whatever Python code does; the restricted names that an anchor is served are hygiene on top.
"""

import ctypes
import errno
import os
import platform
import signal
import sys
from dataclasses import dataclass

from tracedance.synthesis import seccomp

_CREATE_RULESET, _RESTRICT_SELF = 444, 446
"""System calls of landlock, the same on every machine."""
_SET_PARENT_DEATH_SIGNAL, _SET_NO_NEW_PRIVILEGES = 1, 38
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
"""Version of landlock -> how many rights on files it knows; later ones know 16."""
_NETWORK_SINCE, _SCOPES_SINCE = 4, 6
DESCRIPTORS = 16


@dataclass(frozen=True, slots=True)
class Bounds:
    """What the process may use."""

    memory: int
    """Bytes of address space."""
    cpu: int
    """Seconds, over its life."""


class Missing(Exception):
    """The system lacks a part of the sandbox; says which."""


def ready() -> None:
    """Whether a process can be confined here; Missing says why not. Confines nothing."""
    if not sys.platform.startswith("linux"):
        raise Missing(f"it needs Linux, and this is {platform.system()}")
    if platform.machine() not in seccomp.MACHINES:
        raise Missing(f"it knows the system calls of {' and '.join(seccomp.MACHINES)}, and this machine is {platform.machine()}")
    _landlock_version(_libc())


def confine(bounds: Bounds, parent: int) -> None:
    """Give everything up, for good. Missing where the kernel does not play along; the process must then run nothing."""
    ready()
    libc = _libc()
    _die_with(libc, parent)
    _limit(bounds)
    if libc.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        raise Missing("the kernel does not take PR_SET_NO_NEW_PRIVS")
    _no_files(libc)
    if _opening() != errno.EACCES:
        raise Missing("landlock is there and denies nothing")
    os.closerange(2, DESCRIPTORS * 64)
    try:
        seccomp.install(libc, platform.machine())
    except OSError as error:
        raise Missing(f"seccomp does not take the filter ({error})") from None
    if _opening() != errno.EPERM:
        raise Missing("seccomp took the filter and does not use it")


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _die_with(libc: ctypes.CDLL, parent: int) -> None:
    libc.prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def _limit(bounds: Bounds) -> None:
    import resource  # not everywhere there, and `ready` is to say so

    for what, value in (
        (resource.RLIMIT_AS, bounds.memory),
        (resource.RLIMIT_CPU, bounds.cpu),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_NOFILE, DESCRIPTORS),
    ):
        hard = resource.getrlimit(what)[1]
        allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(what, (allowed, allowed))


def _landlock_version(libc: ctypes.CDLL) -> int:
    version: int = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if version < 1:
        raise Missing("this kernel has no landlock (Linux 5.13 or newer with landlock among its security modules)")
    return version


def _no_files(libc: ctypes.CDLL) -> None:
    """Landlock without a single rule: every right that this kernel knows is handled, and none is granted."""
    version = _landlock_version(libc)
    files = (1 << _FILE_RIGHTS.get(version, 16)) - 1
    handled = (ctypes.c_uint64 * 3)(files, 3 if version >= _NETWORK_SINCE else 0, 3 if version >= _SCOPES_SINCE else 0)
    size = 8 * (1 + (version >= _NETWORK_SINCE) + (version >= _SCOPES_SINCE))
    rules = libc.syscall(_CREATE_RULESET, ctypes.byref(handled), ctypes.c_size_t(size), 0)
    if rules < 0 or libc.syscall(_RESTRICT_SELF, rules, 0) != 0:
        raise Missing(f"landlock refuses ({errno.errorcode.get(ctypes.get_errno(), 'unknown')})")
    os.close(rules)


def _opening() -> int:
    """The error of opening the root folder; 0 where it opens."""
    try:
        os.close(os.open("/", os.O_RDONLY))
    except OSError as error:
        return error.errno or -1
    return 0
