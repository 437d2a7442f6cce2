"""Builds the wheel and the sdist: pyproject.toml says what they are, this file where the C sources come from.

In the project's tree they lie beside this directory; an sdist has a copy of them in csrc/.
"""
import os
import re
import shutil
import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

HERE = Path(__file__).resolve().parent
SOURCES = HERE / "csrc" if (HERE / "csrc").is_dir() else HERE.parent
COPIED = ["CMakeLists.txt", "LICENSE", "cmake", "man", "mlbf", "frontier"]
BUILT = os.environ.get("STRATA_BUILT")  # a build directory whose libraries are to be taken
IS_SYSTEM = os.environ.get("STRATA_SYSTEM") == "1"


def version() -> str:
    found = re.search(r"project\(strata VERSION ([0-9.]+)", (SOURCES / "CMakeLists.txt").read_text())
    assert found
    return found[1]


class BuildLibraries(build_ext):
    """The static libraries first, unless those of the system are used (STRATA_SYSTEM=1)."""

    def run(self) -> None:
        if not IS_SYSTEM:
            built = Path(BUILT or "build/libraries").resolve()
            if not BUILT:
                subprocess.run(["cmake", "-S", SOURCES, "-B", built, "-DCMAKE_BUILD_TYPE=Release",
                                "-DSTRATA_LIBRARIES_ONLY=ON"], check=True)
                subprocess.run(["cmake", "--build", built, "--parallel", "--target", "mlbf", "frontier"], check=True)
            for extension in self.extensions:
                extension.include_dirs.append(str(SOURCES))
                archives = [str(built / "frontier/libfrontier.a"), str(built / "mlbf/libmlbf.a")]
                extension.extra_objects += archives
                extension.depends += archives
        super().run()


class CopySources(sdist):
    def make_release_tree(self, base_dir: str, files: "list[str]") -> None:
        super().make_release_tree(base_dir, files)
        for name in COPIED:
            source, copy = SOURCES / name, Path(base_dir, "csrc", name)
            if source.is_dir():
                shutil.copytree(source, copy, dirs_exist_ok=True)
            else:
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, copy)


setup(
    version=version(),
    cffi_modules=["strata_frontier/_build.py:ffi"],
    cmdclass={"build_ext": BuildLibraries, "sdist": CopySources},
    options={"bdist_wheel": {"py_limited_api": "cp38"}},
)
