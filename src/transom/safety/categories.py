"""Programs for which the toolbox has tools of its own, by what they do.

A command of a category that is not allowed is refused with the tool to use instead: a tool's arguments can be judged, those of
a program can not.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, get_args

__all__ = ["CATEGORIES", "Category", "category_of"]

Category = Literal["git", "web", "browser", "database", "http", "background"]

CATEGORIES: tuple[Category, ...] = get_args(Category)

_PROGRAMS: Mapping[Category, str] = MappingProxyType(
    {
        "git": "git gh hub glab tig gitk git-lfs svn hg jj",
        "web": "lynx w3m links elinks wget wget2 aria2c axel httrack yt-dlp youtube-dl",
        "browser": (
            "brave-browser chrome chromedriver chromium chromium-browser firefox geckodriver gio gnome-open google-chrome "
            "google-chrome-stable kde-open microsoft-edge msedge open opera playwright safari sensible-browser www-browser "
            "x-www-browser xdg-open"
        ),
        "database": (
            "cqlsh createdb dropdb duckdb influx mariadb mariadb-dump mongo mongodump mongoexport mongosh mysql mysqladmin "
            "mysqldump mysqlimport pg_dump pg_dumpall pg_restore pgcli psql redis-cli sqlcmd sqlite sqlite3 sqlplus"
        ),
        "http": "curl curlie grpcurl http httpie https websocat wscat xh xhs",
        "background": "at atd batch crontab daemonize disown nohup screen setsid start-stop-daemon systemd-run tmux",
    }
)

_BY_PROGRAM: Mapping[str, Category] = MappingProxyType(
    {name: kind for kind, names in _PROGRAMS.items() for name in names.split()}
)


def category_of(program: str) -> Category | None:
    """What a program does, as far as the toolbox has tools for it.

    Args:
        program: its name without a path, in small letters.
    """
    if program.startswith("git-"):
        return "git"
    return _BY_PROGRAM.get(program)
