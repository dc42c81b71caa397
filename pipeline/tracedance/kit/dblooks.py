"""Whether a command looked into, or saved, the database that an operation would empty."""

import re

from tracedance.kit import commands, paths
from tracedance.kit.dangers import Loss
from tracedance.kit.shell import SimpleCommand
from tracedance.kit.texts import words

_ENGINES = {
    "redis": words("redis-cli valkey-cli"),
    "mongo": words("mongosh mongo mongodump mongoexport"),
    "sql": words(
        """
        psql pg_dump pg_dumpall pg_basebackup mysql mariadb mysqldump mariadb-dump mysqlsh sqlite3 sqlite
        clickhouse clickhouse-client duckdb sqlcmd cqlsh bq snowsql usql
        """
    ),
}
"""Client programs by what they speak; a look by another kind of client is one at another database."""
_OF_REDIS = re.compile(r"(?i)\bflush(?:all|db)\b")
_OF_MONGO = re.compile(r"(?i)\bdropDatabase\b|\bdeleteMany\b|\bremove\(|\bdb\.\w+\.drop\b")
_OF_SQL = re.compile(r"(?i)^(?:drop|truncate|delete|alter)\s|^dropdb$")
_HOSTS = words(
    """
    prisma supabase manage.py artisan rails rake console heroku fly flyctl aws gcloud az wrangler turso neonctl planetscale pscale knex
    typeorm sqlx diesel alembic flask django-admin mix
    """
)
"""Programs that reach a database by a sub-command, among much else."""
_READERS = words("rg grep egrep fgrep ag ack cat bat less more head tail sed awk gawk ls ll find fd tree wc echo printf git vim vi nano cd")
"""Programs that search or show text: what they look for is no query."""
_SAVERS = words("cp rsync tar zip")

_LOOKS = re.compile(
    r"(?i)\bselect\b|\bcount\w*|\bfind(?:one)?\(|\baggregate\(|\bkeys\b|\bscan\b|\bdbsize\b|\binfo\b|\b(?:bg)?save\b|\.dump\b|\.backup\b|dump|backup"
    r"|\bsnapshot|\bexport\b"
)
_LISTS = re.compile(r"(?i)\\(?:d|l)|\.tables\b|\.schema\b|\bshow (?:tables|databases|collections|dbs)\b|\bdescribe\s")
"""What names tables without what is in them: enough for a whole database only."""
_WHOLE = re.compile(r"(?i)database|schema|db:|reset|dropdb|flush")
_LOSES = re.compile(r"(?i)\b(?:drop|truncate|delete)\s")
_QUERY = re.compile(r"(?is)\bselect\b.{1,400}?\bfrom\b|\.count\(|\bcount_documents\(|\.find\(|\bdbsize\(|\bobjects\b")
_SAVES = re.compile(r"(?i)dump|backup|snapshot|\bexport\b")
_FILE = re.compile(r"(?i)\.(?:db|sqlite3?|rdb|duckdb|mdb)\b")


def covers(command: SimpleCommand, loss: Loss) -> bool:
    """Whether a shell command queried, listed or saved what is lost: by a client of such a database, or a tool that has one below it.

    A search for the word `count` in program text is no look, however much it reads like a query.
    """
    text = " ".join((*command.words, command.heredoc))
    engine = next((name for name, programs in _ENGINES.items() if command.program in programs), "")
    if engine:
        return _speaks(engine, loss) and looks_at_data(text, loss)
    if command.program in _READERS:
        return False
    if command.program in _SAVERS:
        return any(_FILE.search(arg) for arg in command.args)
    code = commands.inline_code(command)
    if code:
        return _QUERY.search(code) is not None and looks_at_data(text, loss)
    if _HOSTS.intersection(paths.name(word) for word in command.words[:4]):
        return looks_at_data(text, loss)
    # A script or task of the project's own that is named for saving: `make db-backup`, `./scripts/dump.sh`.
    return any(_SAVES.search(paths.name(word)) for word in command.words[:3] if not word.startswith("-")) and looks_at_data(text, loss)


def looks_at_data(text: str, loss: Loss) -> bool:
    """Whether a text given to the database shows or saves what is lost, and loses nothing itself."""
    if _LOSES.search(text):
        return False
    low = text.lower()
    named = not loss.targets or any(target.lower() in low for target in loss.targets) or _SAVES.search(text) is not None
    return (named and _LOOKS.search(text) is not None) or (_WHOLE.search(loss.form) is not None and _LISTS.search(text) is not None)


def _speaks(engine: str, loss: Loss) -> bool:
    """Whether the lost data can lie in a database of this kind; where the operation does not tell, in any."""
    kinds = (("redis", _OF_REDIS), ("mongo", _OF_MONGO), ("sql", _OF_SQL))
    told = next((name for name, sign in kinds if sign.search(loss.form)), "")
    return told in ("", engine)
