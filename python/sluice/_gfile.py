"""Files and folders: tf.gfile and tf.io.gfile."""
import errno
import fnmatch
import glob
import io
import os
import shutil

from sluice import _errors
from sluice._api import export

_CODES = {errno.ENOENT: _errors.NotFoundError, errno.EEXIST: _errors.AlreadyExistsError,
          errno.EACCES: _errors.PermissionDeniedError, errno.EPERM: _errors.PermissionDeniedError,
          errno.ENOTEMPTY: _errors.FailedPreconditionError, errno.EISDIR: _errors.FailedPreconditionError,
          errno.ENOTDIR: _errors.FailedPreconditionError, errno.ENOSPC: _errors.ResourceExhaustedError}


def _path(name):
    """|name| as the system takes it: file:// is left out."""
    name = os.fspath(name)
    name = name.decode() if isinstance(name, bytes) else name
    return name[len("file://"):] if name.startswith("file://") else name


def _raise(error, path):
    kind = _CODES.get(error.errno, _errors.UnknownError)
    raise kind(None, None, "%s; %s" % (path, error.strerror or error)) from None


def _call(function, path, *more):
    try:
        return function(path, *more)
    except OSError as error:
        _raise(error, path)


@export("gfile.GFile", "gfile.Open", "gfile.FastGFile", "io.gfile.GFile")
class GFile:
    """A file. It is opened when it is first read or written."""

    def __init__(self, name, mode="r"):
        self._name, self._mode, self._file = name, mode, None
        if mode not in ("r", "w", "a", "r+", "w+", "a+", "rb", "wb", "ab", "rb+", "wb+", "ab+", "r+b", "w+b", "a+b"):
            raise _errors.InvalidArgumentError(None, None, "mode is not 'r' or 'w' or 'a': %s" % mode)

    name = property(lambda self: self._name)
    mode = property(lambda self: self._mode)

    def _opened(self):
        if self._file is None:
            path = _path(self._name)
            try:
                self._file = open(path, self._mode) if "b" in self._mode else open(path, self._mode, encoding="utf-8",
                                                                                   newline="")
            except OSError as error:
                _raise(error, path)
        return self._file

    def _done(self, method, *arguments):
        try:
            return getattr(self._opened(), method)(*arguments)
        except io.UnsupportedOperation:
            verb = "write" if method == "write" else "read"
            raise _errors.PermissionDeniedError(None, None, "File isn't open for %sing" % verb.rstrip("e")) from None
        except OSError as error:
            _raise(error, self._name)

    def read(self, n=-1):
        return self._done("read", n)

    def readline(self):
        return self._done("readline")

    def readlines(self):
        return self._done("readlines")

    def write(self, file_content):
        if "b" in self._mode and isinstance(file_content, str):
            file_content = file_content.encode()
        elif "b" not in self._mode and isinstance(file_content, bytes):
            file_content = file_content.decode()
        self._done("write", file_content)

    def seek(self, offset=None, whence=0, position=None):
        self._done("seek", position if offset is None else offset, whence)

    def tell(self):
        return self._done("tell")

    def seekable(self):
        return True

    def size(self):
        if self._file is not None:
            self.flush()
        return stat(self._name).length

    def flush(self):
        if self._file is not None and self._file.writable():
            self._file.flush()

    def close(self):
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def __enter__(self):
        if "r" not in self._mode:
            self._opened()
        return self

    def __exit__(self, *exception):
        self.close()

    def __iter__(self):
        return self

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    next = __next__


class FileStatistics:
    """The size, the time of the last change in nanoseconds, and whether it is a folder."""

    def __init__(self, length, mtime_nsec, is_directory):
        self.length, self.mtime_nsec, self.is_directory = length, mtime_nsec, is_directory


@export("gfile.Exists")
def exists(filename):
    return os.path.exists(_path(filename))


@export("gfile.IsDirectory")
def is_directory(dirname):
    return os.path.isdir(_path(dirname))


@export("gfile.Remove")
def remove(filename):
    _call(os.remove, _path(filename))


@export("gfile.DeleteRecursively")
def delete_recursively(dirname):
    path = _path(dirname)
    _call(shutil.rmtree if os.path.isdir(path) else os.remove, path)


@export("gfile.MkDir")
def make_directory(dirname):
    path = _path(dirname)
    if os.path.isdir(path):
        raise _errors.AlreadyExistsError(None, None, path)
    _call(os.mkdir, path)


@export("gfile.MakeDirs")
def make_directories(dirname):
    path = _path(dirname)
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        _raise(error, path)


def _matching(pattern):
    """The paths that match, hidden ones too, with "./" before them if the first part of the pattern is special."""
    if not glob.has_magic(pattern):
        return [pattern] if os.path.lexists(pattern) else []
    head, tail = os.path.split(pattern)
    return [os.path.join(directory, name) for directory in (_matching(head) if head else ["."])
            if os.path.isdir(directory) for name in sorted(os.listdir(directory)) if fnmatch.fnmatchcase(name, tail)]


@export("gfile.Glob")
def find(filename):
    """The files that match a pattern, or a list of patterns."""
    patterns = [filename] if isinstance(filename, (str, bytes, os.PathLike)) else filename
    return [match for pattern in patterns for match in _matching(_path(pattern))]


@export("gfile.ListDirectory")
def list_directory(dirname):
    path = _path(dirname)
    if not os.path.isdir(path):
        raise _errors.NotFoundError(None, None, "Could not find directory %s" % path)
    return _call(os.listdir, path)


@export("gfile.Copy")
def copy(oldpath, newpath, overwrite=False):
    _check_absent(newpath, overwrite)
    _call(shutil.copyfile, _path(oldpath), _path(newpath))


@export("gfile.Rename")
def rename(oldname, newname, overwrite=False):
    _check_absent(newname, overwrite)
    _call(os.replace, _path(oldname), _path(newname))


def _check_absent(path, overwrite):
    if not overwrite and os.path.exists(_path(path)):
        raise _errors.AlreadyExistsError(None, None, "file already exists: %s" % path)


@export("gfile.Stat")
def stat(filename):
    path = _path(filename)
    found = _call(os.stat, path)
    return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(path))


@export("gfile.Walk")
def walk(top, in_order=True):
    """(folder, folders in it, files in it) of |top| and all below."""
    for folder, folders, files in os.walk(_path(top), topdown=in_order):
        folders.sort()
        yield folder, list(folders), sorted(files)


# tf.io.gfile has the names and parameters of TensorFlow 2.
for _name, _function in (("exists", lambda path: exists(path)), ("isdir", lambda path: is_directory(path)),
                         ("remove", lambda path: remove(path)), ("rmtree", lambda path: delete_recursively(path)),
                         ("mkdir", lambda path: make_directory(path)), ("makedirs", lambda path: make_directories(path)),
                         ("glob", lambda pattern: find(pattern)), ("listdir", lambda path: list_directory(path)),
                         ("stat", lambda path: stat(path)),
                         ("copy", lambda src, dst, overwrite=False: copy(src, dst, overwrite)),
                         ("rename", lambda src, dst, overwrite=False: rename(src, dst, overwrite)),
                         ("walk", lambda top, topdown=True, onerror=None: walk(top, topdown))):
    _function.__name__ = _function.__qualname__ = _name
    export("io.gfile." + _name)(_function)
