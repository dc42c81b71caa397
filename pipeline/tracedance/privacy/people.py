"""People and machines by name: mail addresses and who is named beside them, home folders, prompts, and remotes of git."""

import re
from collections.abc import Iterator

from tracedance.privacy.known import AGENTS, COMMON_WORDS, FILE_ENDINGS, FORGES, PUBLIC_DOMAINS, PUBLIC_LOCAL, PUBLIC_SUFFIXES, SYSTEM_USERS
from tracedance.privacy.pseudonyms import HOST_LABEL, PERSON, USER
from tracedance.privacy.spans import Found

_LOCAL = re.compile(rb"[A-Za-z0-9_](?:[A-Za-z0-9._%+-]{0,62}[A-Za-z0-9_+-])?\Z")
_DOMAIN = re.compile(rb"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,24}(?![A-Za-z0-9_@])")
_MACHINE = re.compile(rb"[A-Za-z][A-Za-z0-9-]{0,62}(?:\.[A-Za-z0-9-]{1,63})*(?![A-Za-z0-9_@/])")
_PROMPT_AFTER = re.compile(rb":[~/]|[ ][^\s@\n]{1,60}(?:\]| )[$#%>]|:?\s?~|\][$#]")
_PROMPT_BEFORE = re.compile(rb"(?:^|[\n\r\[( \"'])\Z")
_SSH_BEFORE = re.compile(rb"\b(?:ssh|scp|sftp|rsync|mosh|ssh-copy-id)\b[^\n|;&]{0,120}\s[\"']?\Z")
_NAME = re.compile(r"(?:^|[\s\"':=,(>*\[])([^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,4}) ?\Z")
_LABEL = re.compile(r"(?i)(?:author|committer|tagger|by|from|to|cc|maintainer|reported-by|name|commit)\s?[:=]\s{0,8}[\"']?\Z")
_JSON_NAME = re.compile(r"[\"']name[\"']\s{0,3}:\s{0,3}[\"']([^\"'\n<>]{2,60})[\"'],\s{0,40}[\"'](?:e?mail)[\"']\s{0,3}:\s{0,3}[\"']\Z")
_REMOTE = re.compile(rb"(?::\d{1,5})?[:/]/?([A-Za-z0-9][A-Za-z0-9._-]{0,99})/([A-Za-z0-9._-]{1,100}?)(?:\.git)?(?![A-Za-z0-9._-])")
_LISTED = re.compile(
    rb"(?:https?|ssh|git)://(?:[^\s/@]{1,100}@)?[A-Za-z0-9.-]+(?::\d+)?/([A-Za-z0-9][A-Za-z0-9._-]{0,99})/([A-Za-z0-9._/-]{1,100})\s\Z"
)
_HOME_NAME = re.compile(rb"[A-Za-z0-9_][A-Za-z0-9._-]{0,31}")
_HOME_WORDS = re.compile(rb"[A-Z][a-z]{1,30}(?: [A-Z][a-z]{1,30}){1,2}(?=/)")
_FOLDER_NAME = re.compile(rb"[A-Za-z0-9_]{2,32}(?=-)")
_HOME_INSIDE = tuple(b"/mnt/c /c /mnt/d /Data /var /private /export /host C: D: /cygdrive/c /host_mnt /rootfs".split())
_INSIDE = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.~@)}-*$")
_NO_HOST = re.compile(r"(?i)localhost|host|hostname|server|example|remote|machine|[0-9a-f]{12}")
_GIVEN = re.compile(
    rb"[\"']?[ =:]{1,3}(?:\"([^\"\n$]{2,60})\"|'([^'\n$]{2,60})'|([A-Za-z][\w.-]{1,40}(?:(?<!\.) [A-Z][\w.'-]{1,30}){0,3}))"
)
WINDOWS_HOME = re.compile(r"[\\/][Uu]sers(\\{1,16})([^\\/:*?\"<>|\r\n\t]{1,40})")


def mail(data: bytes, at: int) -> Iterator[Found]:
    """What stands at an `@`: a mail address and whose it is, a remote of git, or a user on a machine."""
    before = _LOCAL.search(data, max(0, at - 64), at)
    if before is None:
        return
    start, local = before.start(), before.group().decode()
    domain = _DOMAIN.match(data, at + 1)
    if domain is None:
        yield from _on_machine(data, start, at)
        return
    end, host = domain.end(), domain.group().decode()
    if local.lower() == "git" or (data[end : end + 1] == b":" and _REMOTE.match(data, end) and not data[end + 1 : end + 2].isdigit()):
        yield from _ssh_remote(data, (at + 1, end), host, local, start)
        return
    if _SSH_BEFORE.search(data, max(0, start - 140), start):
        yield from _on_machine(data, start, at)
        return
    if host.rpartition(".")[2].lower() in FILE_ENDINGS or _public(local, host):
        return
    yield from _name_before(data, start)
    yield Found("mail", start, end, f"{local}@{host}")


def _public(local: str, host: str) -> bool:
    low, domain = local.lower(), host.lower()
    if f"{low}@{domain}" in AGENTS or low in PUBLIC_LOCAL or low.endswith("[bot]") or low.startswith(("noreply", "no-reply")):
        return True
    return domain in PUBLIC_DOMAINS or domain.endswith(PUBLIC_SUFFIXES)


def _name_before(data: bytes, start: int) -> Iterator[Found]:
    """The person named before `<mail>`, or in the field before a mail."""
    head = max(0, start - 120)
    text = data[head:start].decode("utf-8", "ignore")
    if text.endswith("<"):
        match = _NAME.search(text[:-1])
        if match is None:
            return
        name = match.group(1)
        if not all(word[:1].isupper() for word in name.split()) and not _LABEL.search(text[: match.start(1)]):
            name = next((name[place.start() :] for place in re.finditer(r"(?<= )[^\W\d_a-z]", name) if name[place.start() :].istitle()), "")
    else:
        match = _JSON_NAME.search(text)
        name = match.group(1) if match else ""
    if name and not PERSON.fullmatch(name) and len(name) > 1 and not _nobody(name):
        place = data.rfind(name.encode(), 0, start)
        if place >= 0:
            yield Found("name", place, place + len(name.encode()), name)


def _nobody(name: str) -> bool:
    """A name made of words that name no person."""
    return all(word in SYSTEM_USERS or word in COMMON_WORDS for word in name.lower().split())


def _ssh_remote(data: bytes, place: tuple[int, int], host: str, local: str, start: int) -> Iterator[Found]:
    """`git@host:owner/repository`."""
    if local.lower() not in PUBLIC_LOCAL | SYSTEM_USERS and not USER.fullmatch(local):
        yield Found("user", start, start + len(local), local)
    if host.lower() not in FORGES and not host.lower().endswith((*PUBLIC_SUFFIXES, *PUBLIC_DOMAINS)):
        yield Found("host", *place, host)
    match = _REMOTE.match(data, place[1])
    if match and not USER.fullmatch(match.group(1).decode()) and match.group(1).lower() not in (b"owner", b"org", b"your-org", b"username"):
        owner = match.group(1).decode()
        yield Found("owner", match.start(1), match.end(1), owner)


def remote(data: bytes, start: int) -> Iterator[Found]:
    """A line of `git remote -v`: the owner of the repository."""
    match = _LISTED.search(data, max(0, start - 300), start)
    if match and not USER.fullmatch(match.group(1).decode()):
        yield Found("owner", match.start(1), match.end(1), match.group(1).decode())


def _on_machine(data: bytes, start: int, at: int) -> Iterator[Found]:
    """`user@machine` in a prompt, or where ssh is told to go."""
    match = _MACHINE.match(data, at + 1)
    if match is None:
        return
    head = data[max(0, start - 140) : start]
    prompt = _PROMPT_BEFORE.search(head) and _PROMPT_AFTER.match(data, match.end())
    if not prompt and not _SSH_BEFORE.search(head):
        return
    user, host = data[start:at].decode(), match.group().decode()
    if user.lower() not in SYSTEM_USERS and not USER.fullmatch(user):
        yield Found("user", start, at, user)
    plain = host.lower() in ("localhost", "host", "hostname", "server", "example", "remote", "machine") or re.fullmatch(
        r"[0-9a-f]{12}", host
    )
    if not plain and not all(HOST_LABEL.fullmatch(label) for label in host.split(".")[:1]):
        yield Found("host", at + 1, match.end(), host)


def home(data: bytes, start: int, end: int) -> Iterator[Found]:
    """The user's name in `/home/X` and `/Users/X`."""
    before = data[start - 1 : start]
    if before and before[0] in _INSIDE and not data[max(0, start - 16) : start].endswith(_HOME_INSIDE):
        return
    match = _HOME_WORDS.match(data, end) or _HOME_NAME.match(data, end)
    if match and data[match.end() : match.end() + 1] not in (b"(", b"=", b"{", b"$"):
        name = match.group().decode().rstrip(".")
        if is_user(name):
            yield Found("user", end, end + len(name), name)


def homes_as_folder_names(data: bytes, start: int, end: int) -> Iterator[Found]:
    """The same where a path has become a folder's name (`-Users-X-project`)."""
    match = _FOLDER_NAME.match(data, end)
    before = data[start - 1 : start]
    if match and (not before or before in b"/\"' =\n\\") and is_user(match.group().decode()):
        yield Found("user", end, match.end(), match.group().decode())


def windows_homes(text: str) -> Iterator[Found]:
    """The same in `C:\\Users\\X`, with as many backslashes as there may be."""
    for match in WINDOWS_HOME.finditer(text):
        name = match.group(2).strip()
        if name and (text[match.end(2) : match.end(2) + 1] == "\\" or " " not in name) and is_user(name):
            yield Found("user", match.start(2), match.start(2) + len(name), name)


def is_user(name: str) -> bool:
    """The name of one person's account, and no name that everybody's machines have."""
    low = name.lower()
    if low in SYSTEM_USERS or USER.fullmatch(low) or not any(char.isalpha() for char in name):
        return False
    return low.rpartition(".")[2] not in FILE_ENDINGS if "." in low else True


def name_given(data: bytes, end: int) -> Iterator[Found]:
    """The name that git is told (`user.name`, `GIT_AUTHOR_NAME`)."""
    match = _GIVEN.match(data, end)
    if match:
        group = next(number for number in (1, 2, 3) if match.start(number) >= 0)
        name = match.group(group).decode("utf-8", "ignore")
        told = group < 3 or b"=" in data[end : match.start(3)] or b"config" in data[max(0, end - 40) : end]
        if told and not PERSON.fullmatch(name) and name[:1].isalpha() and not _nobody(name):
            yield Found("name", match.start(group), match.end(group), name)
