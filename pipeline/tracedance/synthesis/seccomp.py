"""The system call filter of the sandbox's worker: an allow-list as a classic BPF program, installed through ctypes alone.

Whatever is not listed kills the process. Calls that well-behaved code makes by the way (a late import looks for a file) are refused with
EPERM instead, so that it sees an ordinary error.
"""

import ctypes
import errno
import struct
from collections.abc import Iterator, Mapping

_ALLOW, _KILL, _EPERM = 0x7FFF0000, 0x80000000, 0x00050000 | errno.EPERM
_LOAD, _EQUAL, _SET, _AT_LEAST, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
"""BPF: load a word of seccomp_data, jump if equal, if any bit is set, if not less; return."""
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16
_X32 = 0x40000000
_PROT_EXEC = 4
_SET_FILTER, _ALL_THREADS = 1, 1

PLAIN = (
    "munmap",
    "mremap",
    "madvise",
    "brk",
    "futex",
    "rt_sigreturn",
    "exit",
    "exit_group",
    "clock_gettime",
    "gettimeofday",
    "sched_yield",
)
"""Allowed with any arguments: memory, the clock, the end."""
UNEXECUTABLE = ("mmap", "mprotect")
"""Allowed where the memory is not to be executed."""
ON = {"read": 0, "write": 1}
"""Allowed on this descriptor alone; refused on others."""
REFUSED = (
    "open", "openat", "stat", "lstat", "newfstatat", "statx", "readlink", "readlinkat", "access", "faccessat", "faccessat2", "getcwd",
    "fstat", "lseek", "ioctl", "getrandom", "getdents64", "close", "uname",
)  # fmt: skip

_X86_64 = {
    "read": 0, "write": 1, "open": 2, "close": 3, "stat": 4, "fstat": 5, "lstat": 6, "lseek": 8, "mmap": 9, "mprotect": 10, "munmap": 11,
    "brk": 12, "rt_sigreturn": 15, "ioctl": 16, "access": 21, "sched_yield": 24, "mremap": 25, "madvise": 28, "exit": 60, "uname": 63,
    "getcwd": 79, "readlink": 89, "gettimeofday": 96, "futex": 202, "getdents64": 217, "clock_gettime": 228, "exit_group": 231,
    "openat": 257, "newfstatat": 262, "readlinkat": 267, "faccessat": 269, "seccomp": 317, "getrandom": 318, "statx": 332,
    "faccessat2": 439,
}  # fmt: skip
_AARCH64 = {
    "getcwd": 17, "ioctl": 29, "faccessat": 48, "openat": 56, "close": 57, "getdents64": 61, "lseek": 62, "read": 63, "write": 64,
    "readlinkat": 78, "newfstatat": 79, "fstat": 80, "exit": 93, "exit_group": 94, "futex": 98, "clock_gettime": 113, "sched_yield": 124,
    "rt_sigreturn": 139, "uname": 160, "gettimeofday": 169, "brk": 214, "munmap": 215, "mremap": 216, "mmap": 222, "mprotect": 226,
    "madvise": 233, "seccomp": 277, "getrandom": 278, "statx": 291, "faccessat2": 439,
}  # fmt: skip
MACHINES: Mapping[str, tuple[int, Mapping[str, int]]] = {"x86_64": (0xC000003E, _X86_64), "aarch64": (0xC00000B7, _AARCH64)}
"""By machine: the kernel's number of the architecture, and its system calls."""


def program(machine: str) -> bytes:
    """The filter for a machine of `MACHINES`."""
    return b"".join(_instructions(*MACHINES[machine]))


def _instructions(arch: int, numbers: Mapping[str, int]) -> Iterator[bytes]:
    yield _step(_LOAD, 0, 0, _ARCH)
    yield _step(_EQUAL, 1, 0, arch)
    yield _step(_RETURN, 0, 0, _KILL)
    yield _step(_LOAD, 0, 0, _NUMBER)
    yield _step(_AT_LEAST, 0, 1, _X32)
    yield _step(_RETURN, 0, 0, _KILL)
    for name in PLAIN:
        yield from _answer(numbers[name], _step(_RETURN, 0, 0, _ALLOW))
    for name in UNEXECUTABLE:
        yield from _answer(numbers[name], *_choice(2, _SET, _PROT_EXEC, _KILL, _ALLOW))
    for name, descriptor in ON.items():
        yield from _answer(numbers[name], *_choice(0, _EQUAL, descriptor, _ALLOW, _EPERM))
    for name in (name for name in REFUSED if name in numbers):
        yield from _answer(numbers[name], _step(_RETURN, 0, 0, _EPERM))
    yield _step(_RETURN, 0, 0, _KILL)


def _answer(number: int, *steps: bytes) -> Iterator[bytes]:
    """What happens on one system call: the steps, which end in a return."""
    yield _step(_EQUAL, 0, len(steps), number)
    yield from steps


def _choice(argument: int, test: int, value: int, met: int, otherwise: int) -> tuple[bytes, ...]:
    """One action where the low word of an argument passes a test, another where not. Both machines are little-endian."""
    return (
        _step(_LOAD, 0, 0, _ARGUMENTS + 8 * argument),
        _step(test, 0, 1, value),
        _step(_RETURN, 0, 0, met),
        _step(_RETURN, 0, 0, otherwise),
    )


def _step(code: int, met: int, otherwise: int, value: int) -> bytes:
    return struct.pack("=HBBI", code, met, otherwise, value)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_void_p))


def install(libc: ctypes.CDLL, machine: str) -> None:
    """Put the filter on every thread of this process, for good. OSError where the kernel does not take it."""
    steps = program(machine)
    held = ctypes.create_string_buffer(steps, len(steps))
    told = _Program(len(steps) // 8, ctypes.cast(held, ctypes.c_void_p))
    number = MACHINES[machine][1]["seccomp"]
    if libc.syscall(number, _SET_FILTER, _ALL_THREADS, ctypes.byref(told)) != 0:
        code = ctypes.get_errno()
        raise OSError(code, errno.errorcode.get(code, "unknown"))
