"""The index of a checkpoint: a sorted table of names and entries in blocks."""
from sluice._dtypes import as_dtype
from sluice._errors import DataLossError
from sluice._message import message

_FOOTER, _MAGIC = 48, 0xdb4775248b80fb57


def _varint(data, at):
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise DataLossError(None, None, "the index of a checkpoint ends inside a number")
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def _read_block(data, offset, size):
    if offset + size + 5 > len(data):
        raise DataLossError(None, None, "the index of a checkpoint points outside of the file")
    if data[offset + size] != 0:
        raise DataLossError(None, None, "the index of a checkpoint is compressed, which is not supported")
    return data[offset:offset + size]


def _entries(block):
    """(key, value) of each entry; keys share the beginning of the key before."""
    if len(block) < 4:
        raise DataLossError(None, None, "a block of the index of a checkpoint is too short")
    restarts = int.from_bytes(block[-4:], "little")
    end = len(block) - 4 - 4 * restarts
    at, key = 0, b""
    while at < end:
        shared, at = _varint(block, at)
        own, at = _varint(block, at)
        size, at = _varint(block, at)
        if shared > len(key) or at + own + size > end:
            raise DataLossError(None, None, "an entry of the index of a checkpoint is damaged")
        key = key[:shared] + block[at:at + own]
        yield key, block[at + own:at + own + size]
        at += own + size


def read_entries(path):
    """{name: (type, shape)} of the index file |path|."""
    with open(path, "rb") as file:
        data = file.read()
    if len(data) < _FOOTER or int.from_bytes(data[-8:], "little") != _MAGIC:
        raise DataLossError(None, None, "%s is not the index of a checkpoint" % path)
    footer = data[-_FOOTER:]
    _, at = _varint(footer, 0)
    _, at = _varint(footer, at)  # the block of meta data, which is empty
    offset, at = _varint(footer, at)
    size, _ = _varint(footer, at)
    found = {}
    for _, handle in _entries(_read_block(data, offset, size)):
        offset, at = _varint(handle, 0)
        size, _ = _varint(handle, at)
        for key, value in _entries(_read_block(data, offset, size)):
            if key and key[0] != 0:  # neither the header nor a slice
                entry = message("BundleEntryProto").FromString(bytes(value))
                found[key.decode()] = as_dtype(entry.dtype), tuple(d.size for d in entry.shape.dim)
    return found
