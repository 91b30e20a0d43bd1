"""Makes or renews the virtual environment that :mod:`environment` looks for.

It tells what it does on standard error, one line per fact, and must never write to standard output,
nor show what pip prints: that goes to a log, which a failure names. It names no package index: pip's
own configuration decides. It must parse on Python 3.8, to say there that 3.11 is needed.
"""

import importlib
import os
import re
import shutil
import signal
import subprocess
import sys

import environment

#: The oldest Python that kb runs on, and newer ones to look for under their own names.
OLDEST = (3, 11)
NEWER_NAMES = ("python3.14", "python3.13", "python3.12", "python3.11")

#: What pip says when it has no connection, or no index at all.
NO_CONNECTION = re.compile(
    r"NewConnectionError|Connection refused|Network is unreachable|Name or service not known"
    r"|name resolution|No route to host|ConnectTimeout|ConnectionError|ProxyError|getaddrinfo"
    r"|dns error|Connection broken|timed out|\(from versions: none\)"
)

#: Settings of pip that would carry what it installs out of the environment.
ELSEWHERE = ("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER", "PIP_REQUIRE_VIRTUALENV")


class SetupError(Exception):
    """The environment cannot be made; the text is one line that says what to do."""


def main(extras=()):
    """Return the folder of an environment that is ready; exit with one line if there is none."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        if sys.version_info < OLDEST:
            start_again_with_newer_python()
        return make_somewhere(frozenset(extras))
    except KeyboardInterrupt:
        say("interrupted; the next run makes the environment anew")
        sys.exit(130)
    except (SetupError, OSError) as error:
        say(str(error))
        sys.exit(1)


def say(line):
    """Tell the user one thing."""
    print("kb: " + line, file=sys.stderr, flush=True)


def start_again_with_newer_python():
    """Replace this process by the same command under a newer Python from ``PATH``."""
    test = "import sys; sys.exit(sys.version_info[:2] < (%d, %d))" % OLDEST
    for python in filter(None, map(shutil.which, NEWER_NAMES)):
        if subprocess.call([python, "-c", test], stderr=subprocess.DEVNULL) == 0:
            os.execv(python, [python, *sys.argv])
    raise SetupError(
        "Python %d.%d or newer is needed; this is Python %s: install one and run again"
        % (*OLDEST, ".".join(map(str, sys.version_info[:3])))
    )


# Where


def make_somewhere(extras):
    """Make the environment in the first folder that can be written, and return that folder."""
    for folder in environment.candidate_folders():
        try:
            lock = open_lock(folder)
        except OSError:
            continue
        with lock:
            wait_for(lock)
            if not environment.is_ready(folder, extras):
                make(folder, extras, lock)
        return folder
    raise SetupError(
        "no folder for the virtual environment can be written: neither %s nor the user's cache "
        "nor the temporary folder; make one writable, or set XDG_CACHE_HOME"
        % os.path.join(environment.ROOT, ".venv")
    )


def open_lock(folder):
    """Return the open lock file of ``folder``, which is made if need be; OSError if it cannot be."""
    parent = os.path.dirname(folder)
    if parent != environment.ROOT:
        os.makedirs(os.path.dirname(parent), exist_ok=True)
        if not os.path.isdir(parent):
            os.mkdir(parent, 0o700)
        if not environment.is_private(folder):
            raise PermissionError("%s is open to other users" % parent)
    os.makedirs(os.path.join(folder, environment.KEPT), exist_ok=True)
    return open(os.path.join(folder, environment.KEPT, "lock"), "ab")


def wait_for(lock):
    """Hold ``lock`` until it is closed; say so if another run holds it.

    pip inherits it, so a run that was killed is waited for as long as its pip still writes.
    """
    try:
        import fcntl
    except ImportError:
        wait_for_on_windows(lock)
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say("another run is making the virtual environment; waiting for it…")
        fcntl.flock(lock, fcntl.LOCK_EX)
    except OSError:
        pass  # a file system without locks


def wait_for_on_windows(lock):
    """Hold ``lock``, asking for it again and again."""
    import msvcrt
    import time

    told = False
    while True:
        lock.seek(0)
        try:
            msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
            return
        except OSError:
            if not told:
                say("another run is making the virtual environment; waiting for it…")
            told = True
            time.sleep(1)


# Make


def make(folder, extras, lock):
    """Make or renew the environment in ``folder``: its stamp goes first and comes back last."""
    old = environment.read_stamp(folder) or {"extras": ""}
    wanted = extras | set(old["extras"].split())
    log = Log(os.path.join(folder, environment.KEPT, "log"), lock)
    stamp = environment.stamp_path(folder)
    if os.path.exists(stamp):
        os.unlink(stamp)
    if can_renew(folder, old):
        say("bringing the virtual environment in %s up to date…" % shown(folder))
    else:
        why = "moved or changed" if "root" in old else "first use"
        say("%s: making the virtual environment in %s (about a minute)…" % (why, shown(folder)))
        create(folder, log)
    install(folder, wanted, log)
    with open(stamp + ".new", "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(environment.stamp_text(folder, wanted))
    os.replace(stamp + ".new", stamp)


def can_renew(folder, old):
    """Tell whether to install into the environment as it is: a whole one of ours, or the user's own."""
    python = environment.python_of(folder)
    if is_of_user(folder):
        if not is_usable(python):
            raise SetupError(
                "%s was not made by kb, and its Python is too old or has no pip: "
                "move it away and run again" % shown(folder)
            )
        return True
    whole = old.get("root") == environment.ROOT and old.get("python") == os.path.realpath(python)
    return whole and os.path.exists(python)


def is_usable(python):
    """Tell whether a Python that somebody else chose starts, is new enough, and has pip."""
    test = "import sys, pip; sys.exit(sys.version_info[:2] < (%d, %d))" % OLDEST
    try:
        return subprocess.call([python, "-I", "-c", test], stderr=subprocess.DEVNULL) == 0
    except OSError:
        return False


def is_of_user(folder):
    """Tell whether somebody else made this environment, so that nothing in it may be deleted."""
    ours = os.path.exists(os.path.join(folder, environment.KEPT, "ours"))
    return not ours and bool(set(os.listdir(folder)) - {environment.KEPT})


def create(folder, log):
    """Make an empty environment in ``folder``, in place: environments cannot be moved."""
    with open(os.path.join(folder, environment.KEPT, "ours"), "w"):
        pass
    for command in creators(folder):
        empty(folder)
        if log.run(command):
            return
    raise SetupError(
        "this Python cannot make virtual environments: install its venv module "
        "(Debian, Ubuntu: apt install python3-venv), or virtualenv, or uv; then run again"
    )


def empty(folder):
    """Delete all in ``folder`` but what the launcher keeps there."""
    for entry in os.scandir(folder):
        if entry.name == environment.KEPT:
            continue
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)


def creators(folder):
    """Yield the commands that can make an environment here, best first.

    Debian's Python comes without ``ensurepip``: an environment without pip does, if pip or uv can
    install into it from outside.
    """
    if has_module("venv") and has_module("ensurepip"):
        yield [sys.executable, "-m", "venv", folder]
    if has_module("virtualenv"):
        yield [sys.executable, "-m", "virtualenv", "--quiet", folder]
    if shutil.which("virtualenv"):
        yield ["virtualenv", "--quiet", "--python", sys.executable, folder]
    if has_module("venv") and (has_module("pip") or shutil.which("uv")):
        yield [sys.executable, "-m", "venv", "--without-pip", folder]
    if shutil.which("uv"):
        yield ["uv", "venv", "--quiet", "--allow-existing", "--python", sys.executable, folder]


def has_module(name):
    """Tell whether this Python can import ``name``."""
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


# Install


def install(folder, extras, log):
    """Install the project with ``extras``, so that changes to its sources take effect at once."""
    wanted = what_to_install(folder, extras)
    if wanted and not log.run([*installer(folder), *wanted], environment_of_pip()):
        raise SetupError(reason_of_failure(log))


def installer(folder):
    """Return the command that installs packages into the environment, up to ``install``."""
    python = environment.python_of(folder)
    if subprocess.call([python, "-I", "-c", "import pip"], stderr=subprocess.DEVNULL) == 0:
        return [python, "-I", "-m", "pip", "install"]
    if shutil.which("uv"):
        return ["uv", "pip", "install", "--python", python]
    return [sys.executable, "-I", "-m", "pip", "--python", python, "install"]


def what_to_install(folder, extras):
    """Return what to ask pip for.

    A read-only clone has no room for the build's files: then the clone itself is put on the path.
    """
    if os.path.dirname(folder) == environment.ROOT:
        chosen = "[%s]" % ",".join(sorted(extras)) if extras else ""
        # "compat" puts a folder on the path; the default finder costs 15 ms on every start.
        return ["--config-settings", "editable_mode=compat", "--editable", "." + chosen]
    import tomllib

    project = tomllib.loads(environment.project_text())["project"]
    optional = project.get("optional-dependencies", {})
    put_clone_on_path(folder)
    return [*project.get("dependencies", ()), *(one for extra in extras for one in optional[extra])]


def put_clone_on_path(folder):
    """Let the environment's Python find the clone's packages."""
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = subprocess.check_output([environment.python_of(folder), "-I", "-c", ask])
    path = os.path.join(os.fsdecode(packages).strip(), "kb-clone.pth")
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(environment.ROOT + "\n")


def environment_of_pip():
    """Return the variables for pip: the user's, less those that lead out of the environment."""
    variables = {name: value for name, value in os.environ.items() if name not in ELSEWHERE}
    variables.update(PIP_USER="0", PIP_NO_INPUT="1", PIP_DISABLE_PIP_VERSION_CHECK="1")
    home = os.path.expanduser("~")
    if not (os.path.isdir(home) and os.access(home, os.W_OK)):
        variables.setdefault("PIP_NO_CACHE_DIR", "1")
        variables.setdefault("UV_NO_CACHE", "1")
    return variables


def reason_of_failure(log):
    """Return the line that says why packages could not be installed, and where more is told."""
    text = log.text()
    more = "(details: %s)" % shown(log.path)
    if "No space left on device" in text:
        return "no space left on the disk for the virtual environment " + more
    if NO_CONNECTION.search(text):
        return (
            "cannot reach the package index to install what kb needs: "
            "connect to the network, or check pip's configuration, and run again " + more
        )
    errors = re.findall(r"^(?:ERROR|error): *(.+)", text, re.MULTILINE)
    return "pip could not install what kb needs: %s %s" % (errors[-1] if errors else "", more)


class Log:
    """Runs the programs that make an environment; what they print goes to a file."""

    def __init__(self, path, lock):
        self.path = path
        self._lock = lock
        with open(path, "wb"):
            pass

    def run(self, command, variables=None):
        """Run a program at the top of the clone, and tell whether it succeeded."""
        held = () if os.name == "nt" else (self._lock.fileno(),)
        with open(self.path, "ab") as output:
            output.write(os.fsencode("$ " + " ".join(command) + "\n"))
            output.flush()
            result = subprocess.run(
                command,
                cwd=environment.ROOT,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=held,
            )
        return result.returncode == 0

    def text(self):
        """Return what the programs printed."""
        with open(self.path, encoding="utf-8", errors="replace") as file:
            return file.read()


def shown(path):
    """Return a path as a reader at the top of the clone would write it."""
    relative = os.path.relpath(path, environment.ROOT)
    return path if relative.startswith(os.pardir) else relative
