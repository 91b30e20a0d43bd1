"""The virtual environment of this clone: where it is, and whether it is ready.

Every start of ``tools/kb`` passes here, so this module imports nothing but ``os`` and ``sys`` and
never makes anything: that is :mod:`environment_setup`, imported only when no environment is ready.
Both modules must parse and start on Python 3.8, so that an old Python gets a clear line.

An environment is ready if its stamp says that it was made, to the end, for this folder and this
``pyproject.toml``, and if its Python is still there. The stamp is written last.
"""

import os
import sys

#: The top of the clone, with symbolic links resolved.
ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))

#: What the launcher keeps inside an environment: stamp, lock, log.
KEPT = "kb-launcher"


def run(arguments, extras=(), at=None):
    """Replace this process by the environment's Python with ``arguments``; never return.

    ``extras`` are the optional dependencies that must be installed; ``at`` is the folder to run in.
    """
    python = python_of(ready_folder(extras) or make_ready(extras))
    if at:
        os.chdir(at)
    if os.name == "nt":
        import subprocess

        sys.exit(subprocess.call([python, *arguments]))
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(python, [python, *arguments])


def make_ready(extras=()):
    """Make or renew the environment and return its folder; exit with one line if that fails."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import environment_setup

    return environment_setup.main(extras)


def ready_folder(extras=()):
    """Return the first folder with a ready environment, or None."""
    for folder in candidate_folders():
        if is_ready(folder, extras):
            return folder
    return None


def candidate_folders():
    """Yield where the environment may be, best first.

    In the clone; where that is read-only, in the user's cache; without one, in the temporary folder.
    """
    yield os.path.join(ROOT, ".venv")
    import zlib

    name = "%s-%08x" % (os.path.basename(ROOT), zlib.crc32(os.fsencode(ROOT)))
    variables = os.environ
    for cache in (variables.get("XDG_CACHE_HOME"), variables.get("LOCALAPPDATA"), _home_cache()):
        if cache and os.path.isabs(cache):
            yield os.path.join(cache, "kb-environments", name)
    temporary = variables.get("TMPDIR") or variables.get("TEMP") or "/tmp"
    user = os.getuid() if hasattr(os, "getuid") else "user"
    yield os.path.join(temporary, "kb-environments-%s" % user, name)


def _home_cache():
    """Return the cache folder in the user's home, or "" where the user has no home."""
    home = os.path.expanduser("~")
    return os.path.join(home, ".cache") if os.path.isabs(home) else ""


def is_ready(folder, extras=()):
    """Tell whether the environment in ``folder`` is finished, current, and has ``extras``."""
    stamp = read_stamp(folder)
    return (
        stamp is not None
        and stamp["root"] == ROOT
        and stamp["project"] == project_text()
        and stamp["python"] == os.path.realpath(python_of(folder))
        and os.path.exists(stamp["python"])
        and set(extras) <= set(stamp["extras"].split())
        and is_private(folder)
    )


def is_private(folder):
    """Tell whether nobody else can write where programs are run from.

    The clone's own folder is as trusted as the clone; any other must be this user's alone.
    """
    if os.name == "nt" or os.path.dirname(folder) == ROOT:
        return True
    parent = os.lstat(os.path.dirname(folder))
    return parent.st_uid == os.getuid() and parent.st_mode & 0o170022 == 0o040000


def python_of(folder):
    """Return the path of the environment's Python."""
    if os.name == "nt":
        return os.path.join(folder, "Scripts", "python.exe")
    return os.path.join(folder, "bin", "python")


def stamp_path(folder):
    """Return the path of the environment's stamp."""
    return os.path.join(folder, KEPT, "stamp")


def stamp_text(folder, extras):
    """Return the stamp of a finished environment: what it was made for, and the project file."""
    python = os.path.realpath(python_of(folder))
    lines = ("root " + ROOT, "python " + python, "extras " + " ".join(sorted(extras)), "")
    return "\n".join(lines) + "\n" + project_text()


def read_stamp(folder):
    """Return the stamp as a dict with the keys root, python, extras, project; None without one."""
    text = _read(stamp_path(folder))
    head, gap, project = text.partition("\n\n")
    stamp = dict(line.partition(" ")[::2] for line in head.split("\n"))
    if not gap or not {"root", "python", "extras"} <= set(stamp):
        return None
    stamp["project"] = project
    return stamp


def project_text():
    """Return the text of ``pyproject.toml``, whose change makes an environment stale."""
    return _read(os.path.join(ROOT, "pyproject.toml"))


def _read(path):
    """Return a file's text; "" if it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            return file.read()
    except OSError:
        return ""
