"""Runs a TensorFlow 1.x program on Sluice: python -m sluice program.py [arguments]"""
import os
import runpy
import sys

from sluice import _imports


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    _imports.install()
    sys.argv = sys.argv[1:]
    sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[0])))
    runpy.run_path(sys.argv[0], run_name="__main__")


main()
