"""Looks into a database before it is emptied, and searches that only read like one."""

import pytest

from tracedance.kit import dangers, dblooks
from tracedance.kit.shell import parse


def _covered(look: str, wipe: str) -> bool:
    (loss,) = [loss for each in parse(wipe) if (loss := dangers.losses(each)) is not None]
    return any(dblooks.covers(each, loss) for each in parse(look))


@pytest.mark.parametrize(
    ("look", "wipe"),
    [
        ('rg -n "count_users(" .', "redis-cli FLUSHALL"),
        ('grep -rn "select" src', "psql -c 'DROP TABLE orders'"),
        ('grep -rn "SELECT * FROM users" src', "psql -c 'DROP TABLE users'"),
        ('rg -n "count_users(" .', "mongosh app --eval 'db.dropDatabase()'"),
        ("cat scripts/backup.sh", "dropdb shop"),
        ("redis-cli dbsize", "dropdb shop"),
        ("psql shop -c 'select count(*) from users'", "redis-cli FLUSHALL"),
        ("psql shop -c 'select count(*) from orders'", "psql shop -c 'DROP TABLE users'"),
        ("npx prisma generate", "npx prisma migrate reset --force"),
    ],
)
def test_what_does_not_query_the_database_is_no_look_at_it(look: str, wipe: str) -> None:
    assert not _covered(look, wipe)


@pytest.mark.parametrize(
    ("look", "wipe"),
    [
        ("redis-cli dbsize", "redis-cli FLUSHALL"),
        ("redis-cli --scan", "redis-cli FLUSHALL"),
        ("psql shop -c 'select count(*) from users'", "psql shop -c 'DROP TABLE users'"),
        ("docker exec db psql shop -c 'select count(*) from users'", "psql shop -c 'DROP TABLE users'"),
        ("pg_dump shop -f shop.sql", "dropdb shop"),
        ("psql shop -c '\\dt'", "dropdb shop"),
        ("mongosh app --eval 'db.users.find()'", "mongosh app --eval 'db.dropDatabase()'"),
        ("cp app.db app.db.bak", "sqlite3 app.db 'DROP TABLE users'"),
        ("./scripts/backup-db.sh", "dropdb shop"),
        ("python manage.py dumpdata", "python manage.py flush --noinput"),
        ("""python -c "c.execute('select count(*) from users')" """, "sqlite3 app.db 'DROP TABLE users'"),
    ],
)
def test_a_query_or_a_copy_of_the_database_is_a_look_at_it(look: str, wipe: str) -> None:
    assert _covered(look, wipe)


@pytest.mark.parametrize("path", ["uploads/flour-cache", "data/image-cache", "flour-cache", "~/Pictures/migration-cache", "data/cache"])
def test_a_name_that_ends_in_cache_among_what_people_keep_is_no_cache(path: str) -> None:
    assert not dangers.is_disposable(path)


@pytest.mark.parametrize(
    "path", [".cache", "src/__pycache__", "node_modules/.cache", "build/cache", "var/cache", ".eslintcache", "webpack-cache"]
)
def test_a_folder_named_as_a_programs_cache_is_disposable(path: str) -> None:
    assert dangers.is_disposable(path)
