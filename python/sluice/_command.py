"""The command `sluice`, from the package."""
import os
import sys


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    program = os.path.join(here, "bin", "sluice")
    environment = dict(os.environ)
    folders = [os.path.join(here, "lib")] + [f for f in [environment.get("LD_LIBRARY_PATH")] if f]
    environment["LD_LIBRARY_PATH"] = ":".join(folders)
    os.execve(program, ["sluice"] + sys.argv[1:], environment)
