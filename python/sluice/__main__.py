"""Runs a TensorFlow 1.x program on Sluice: python -m sluice program.py [arguments], or: python -m sluice -m module ..."""
import os
import runpy
import sys

from sluice import _imports


def main():
    is_module = len(sys.argv) > 2 and sys.argv[1] == "-m"
    if len(sys.argv) < 2 or sys.argv[1].startswith("-") and not is_module:
        sys.exit(__doc__)
    _imports.install()
    if is_module:
        module, sys.argv = sys.argv[2], sys.argv[2:]
        sys.path.insert(0, os.getcwd())
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        return
    sys.argv = sys.argv[1:]
    sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[0])))
    runpy.run_path(sys.argv[0], run_name="__main__")


main()
