"""Loads libsluice and what it needs: from this package, so that nothing must be installed on the system."""
import ctypes
import os

_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib")


def load():
    """Loads the libraries of the package that are there; in a source tree the extension finds the library itself."""
    if not os.path.isdir(_FOLDER):
        return
    names = sorted(os.listdir(_FOLDER), key=lambda name: name.startswith("libsluice"))  # itself last
    for name in names:
        ctypes.CDLL(os.path.join(_FOLDER, name), mode=ctypes.RTLD_GLOBAL)


load()
