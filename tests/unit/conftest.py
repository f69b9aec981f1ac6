"""A PostgreSQL server for the tests of databases, if it is installed."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="package")
def postgres_home() -> Path:
    """Return the folder of PostgreSQL's programs, as on Debian."""
    found = shutil.which("initdb")
    home = Path(found).resolve().parent if found else max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)
    if home is None or not (home / "postgres").exists():
        pytest.skip("PostgreSQL is not installed")
    return home


@pytest.fixture(scope="package")
def postgres(postgres_home: Path) -> Iterator[str]:
    """Start a PostgreSQL server for these tests, on a socket in a temporary folder, and yield its address."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    user = None
    if os.getuid() == 0:  # PostgreSQL refuses to run as root
        try:
            user = pwd.getpwnam("postgres").pw_name
        except KeyError:
            pytest.skip("PostgreSQL cannot run as root, and there is no user called postgres")
    folder = Path(tempfile.mkdtemp(prefix="tercet-"))  # pytest's own folders are closed to other users
    if user:
        shutil.chown(folder, user)

    def run(*words: str) -> None:
        subprocess.run(
            [str(postgres_home / words[0]), *words[1:]], user=user, cwd=folder, check=True, capture_output=True
        )

    data = folder / "data"
    run("initdb", "-D", str(data), "-U", "tercet", "--auth=trust", "-E", "UTF8", "--no-sync")
    options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
    run("pg_ctl", "-D", str(data), "-l", str(folder / "log"), "-o", options, "-w", "start")
    try:
        yield f"postgresql://tercet@/postgres?host={folder}"
    finally:
        run("pg_ctl", "-D", str(data), "-m", "immediate", "stop")
        shutil.rmtree(folder)


@pytest.fixture
def new_database(postgres: str) -> Iterator[Callable[[], str]]:
    """Return a function that makes an empty database and returns its address. Afterwards they are dropped."""
    import psycopg

    made: list[str] = []

    def make() -> str:
        made.append(f"test{len(made)}_{os.getpid()}")
        with psycopg.connect(postgres, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {made[-1]}")
        return postgres.replace("/postgres?", f"/{made[-1]}?")

    yield make
    with psycopg.connect(postgres, autocommit=True) as connection:
        for name in made:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
