"""Prints the public functions of the package that no call names: sweep_names.py NAMES CALLS BEGINNING...

NAMES: names_1_15.txt. CALLS: calls.txt. A function with several names is called under one of them; a function whose name
starts with a BEGINNING is left out.
"""
import re
import sys

import sluice


def find(name):
    value = sluice
    for part in name.split("."):
        value = getattr(value, part, None)
    return value


def main():
    from sluice import _ragged  # noqa: F401  (before the first name: it replaces functions)
    names = [line.split()[0] for line in open(sys.argv[1], encoding="utf-8") if line.split()[1] == "function"]
    called = set()
    for line in open(sys.argv[2], encoding="utf-8"):
        if line.strip() and not line.startswith("#"):
            found = line.partition(" (")[0].split() + re.findall(r"tf\.([\w.]+)\(", line)
            called |= {id(find(name)) for name in found}
    for name in names:
        value = find(name)
        if value is not None and id(value) not in called and not name.startswith(tuple(sys.argv[3:])):
            print(name)


main()
