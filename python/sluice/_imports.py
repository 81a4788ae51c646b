"""Lets a program import tensorflow, and modules of it, and gives it this package."""
import importlib.abc
import importlib.machinery
import sys

import sluice
from sluice import _api, _substitutes

_PREFIXES = ("tensorflow.compat.v1.", "tensorflow.")


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds tensorflow.a.b if the package has names in a.b."""

    def find_spec(self, name, path=None, target=None):
        if self._module(name) is None:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    @staticmethod
    def _module(name):
        if name in ("tensorflow", "tensorflow.compat.v1"):
            return sluice
        for prefix in _PREFIXES:
            if name.startswith(prefix):
                path = _api.module_of(name[len(prefix):])
                if path == "compat":
                    return _api._module("compat")
                return _api._module(path) if _api.has_module(path) else None
        return None

    def create_module(self, spec):
        return self._module(spec.name)

    def exec_module(self, module):
        pass


def install():
    """Makes `import tensorflow` mean this package in this process."""
    compat = _api._module("compat")
    compat.v1 = sluice
    sluice.compat = compat
    for name, module in ("tensorflow", sluice), ("tensorflow.compat", compat), ("tensorflow.compat.v1", sluice):
        sys.modules[name] = module
    sys.meta_path.insert(0, _Finder())
    _substitutes.install()
