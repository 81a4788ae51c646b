"""Protocol buffer messages as plain Python objects, with their wire and text formats.

The fields come from a generated table; a class is made when it is first used: message("ConfigProto")(...). The
interface is that of protobuf's own classes, as far as TensorFlow programs use it.
"""
import struct

from sluice._message_tables import ENUMS, MESSAGES

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_SCALARS = {
    "int32": (_VARINT, 0), "int64": (_VARINT, 0), "uint32": (_VARINT, 0), "uint64": (_VARINT, 0), "bool": (_VARINT, False),
    "sint32": (_VARINT, 0), "sint64": (_VARINT, 0), "fixed32": (_FIXED32, 0), "fixed64": (_FIXED64, 0),
    "sfixed32": (_FIXED32, 0), "sfixed64": (_FIXED64, 0), "float": (_FIXED32, 0.0), "double": (_FIXED64, 0.0),
    "string": (_BYTES, ""), "bytes": (_BYTES, b""),
}
_FORMATS = {"fixed32": "<I", "fixed64": "<Q", "sfixed32": "<i", "sfixed64": "<q", "float": "<f", "double": "<d"}
_classes = {}


class DecodeError(ValueError):
    """The bytes are not a message of this type."""


class EncodeError(ValueError):
    """A value does not fit its field."""


class _Field:
    __slots__ = ("name", "number", "kind", "label", "wire", "default")

    def __init__(self, name, number, kind, label):
        self.name, self.number, self.kind, self.label = name, number, kind, label
        if kind in _SCALARS:
            self.wire, self.default = _SCALARS[kind]
        elif kind in ENUMS:
            self.wire, self.default = _VARINT, 0
        else:
            self.wire, self.default = _BYTES, None

    @property
    def is_message(self):
        return self.kind in MESSAGES

    def check(self, owner, value):
        """|value| as this field holds it."""
        kind = self.kind
        if kind == "string":
            if isinstance(value, bytes):
                return value.decode("utf-8")
            if isinstance(value, str):
                return value
        elif kind == "bytes":
            if isinstance(value, str):
                return value.encode("utf-8")
            if isinstance(value, (bytes, bytearray)):
                return bytes(value)
        elif kind in ("float", "double"):
            if hasattr(value, "__float__") and not isinstance(value, str):
                return float(value)
        elif kind == "bool":
            if hasattr(value, "__index__") or hasattr(value, "__bool__"):
                return bool(value)
        elif kind in ENUMS and isinstance(value, str):
            if value in ENUMS[kind]:
                return ENUMS[kind][value]
        elif not self.is_message and hasattr(value, "__index__"):
            return int(value)
        raise TypeError("%s.%s must be %s, got %r of type %s" % (owner, self.name, kind, value, type(value).__name__))


class _Repeated(list):
    """A repeated field: checks what is added."""
    __slots__ = ("_field", "_owner")

    def __init__(self, owner, field):
        super().__init__()
        self._owner, self._field = owner, field

    def _item(self, value):
        self._owner._touch()
        if not self._field.is_message:
            return self._field.check(type(self._owner).__name__, value)
        if type(value) is not message(self._field.kind):
            raise TypeError("%s.%s must be %s, got %s" % (type(self._owner).__name__, self._field.name, self._field.kind,
                                                          type(value).__name__))
        return value

    def append(self, value):
        super().append(self._item(value))

    def extend(self, values):
        super().extend([self._item(value) for value in values])

    def __iadd__(self, values):
        self.extend(values)
        return self

    def insert(self, index, value):
        super().insert(index, self._item(value))

    def __setitem__(self, index, value):
        super().__setitem__(index, [self._item(v) for v in value] if isinstance(index, slice) else self._item(value))

    def add(self, **values):
        item = message(self._field.kind)(**values)
        self._owner._touch()
        super().append(item)
        return item

    def MergeFrom(self, other):
        for value in other:
            self.append(_copied(value))

    CopyFrom = MergeFrom


class _Map(dict):
    """A map field. Values that are messages appear when they are first read."""
    __slots__ = ("_field", "_entry", "_owner")

    def __init__(self, owner, field):
        super().__init__()
        self._owner, self._field, self._entry = owner, field, message(field.kind)._fields

    def __missing__(self, key):
        self._owner._touch()
        value = self._entry["value"]
        made = message(value.kind)() if value.is_message else value.default
        super().__setitem__(self._entry["key"].check(self._field.name, key), made)
        return made

    def __setitem__(self, key, value):
        self._owner._touch()
        field = self._entry["value"]
        if field.is_message:
            if type(value) is not message(field.kind):
                raise ValueError("map %s holds %s; change map[key] in place" % (self._field.name, field.kind))
        else:
            value = field.check(self._field.name, value)
        super().__setitem__(self._entry["key"].check(self._field.name, key), value)

    def get_or_create(self, key):
        return self[key]

    def MergeFrom(self, other):
        for key, value in other.items():
            super().__setitem__(key, _copied(value))

    def update(self, *args, **kwargs):
        for key, value in dict(*args, **kwargs).items():
            self[key] = value


def _copied(value):
    if isinstance(value, Message):
        copy = type(value)()
        copy.MergeFrom(value)
        return copy
    return value


class Message:
    """A message. Fields that are not set read as their defaults; a sub-message is created when it is first read."""
    _fields, _by_number, _name = {}, {}, ""

    def __init__(self, **values):
        object.__setattr__(self, "_values", {})
        object.__setattr__(self, "_parent", None)
        for name, value in values.items():
            if value is None:
                continue
            field = self._field(name)
            if field.label == "map":
                for key, item in value.items():
                    if isinstance(item, Message):
                        getattr(self, name)[key].CopyFrom(item)
                    else:
                        getattr(self, name)[key] = item
            elif field.label == "repeated":
                getattr(self, name).extend(
                    [message(field.kind)(**v) if field.is_message and isinstance(v, dict) else v for v in value])
            elif field.is_message:
                target = getattr(self, name)
                if isinstance(value, dict):
                    value = message(field.kind)(**value)
                target.CopyFrom(value)
                target._touch()
            else:
                setattr(self, name, value)

    @classmethod
    def _field(cls, name):
        try:
            return cls._fields[name]
        except KeyError:
            raise ValueError('Protocol message %s has no "%s" field.' % (cls.__name__, name)) from None

    def _touch(self):
        """Marks this message as set in the one that holds it."""
        if self._parent is not None:
            holder, field = self._parent
            object.__setattr__(self, "_parent", None)
            holder._clear_oneof(field)
            holder._values[field.name] = self
            holder._touch()

    def _clear_oneof(self, field):
        if field.label and field.label not in ("repeated", "map"):
            for name, other in self._fields.items():
                if other.label == field.label and other is not field:
                    self._values.pop(name, None)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        field = self._fields.get(name)
        if field is None:
            raise AttributeError("%s has no field %s" % (type(self).__name__, name))
        value = self._values.get(name)
        if value is not None:
            return value
        if field.label in ("repeated", "map"):
            value = (_Map if field.label == "map" else _Repeated)(self, field)
            self._values[name] = value
            return value
        if not field.is_message:
            return field.default
        value = message(field.kind)()
        object.__setattr__(value, "_parent", (self, field))  # becomes part of this message when it is changed
        return value

    def __setattr__(self, name, value):
        field = self._fields.get(name)
        if field is None:
            raise AttributeError("Assignment not allowed (no field \"%s\" in protocol message object)." % name)
        if field.label in ("repeated", "map") or field.is_message:
            raise AttributeError("Assignment not allowed to %s field \"%s\" in protocol message object." %
                                 ("composite" if field.is_message else "repeated", name))
        self._clear_oneof(field)
        self._values[name] = field.check(type(self).__name__, value)
        self._touch()

    def _set_items(self):
        """(field, value) of what is set, in the order of field numbers."""
        for field in sorted(self._fields.values(), key=lambda f: f.number):
            value = self._values.get(field.name)
            if value is None or (field.label in ("repeated", "map") and not value):
                continue
            if not field.label and not field.is_message and value == field.default:
                continue
            yield field, value

    def HasField(self, name):
        field = self._field(name)
        if field.label in ("repeated", "map"):
            raise ValueError('Protocol message %s has no singular "%s" field.' % (type(self).__name__, name))
        return name in self._values

    def WhichOneof(self, name):
        for field in self._fields.values():
            if field.label == name and field.name in self._values:
                return field.name
        return None

    def ListFields(self):
        return [(field, value) for field, value in self._set_items()]

    def ClearField(self, name):
        self._field(name)
        self._values.pop(name, None)

    def Clear(self):
        self._values.clear()

    def SetInParent(self):
        self._touch()

    def IsInitialized(self):
        return True

    def MergeFrom(self, other):
        if type(other) is not type(self):
            raise TypeError("Parameter to MergeFrom() must be instance of same class: expected %s got %s." %
                            (type(self).__name__, type(other).__name__))
        for field, value in other._set_items():
            if field.label in ("repeated", "map"):
                getattr(self, field.name).MergeFrom(value)
            elif field.is_message:
                getattr(self, field.name).MergeFrom(value)
                if field.name not in self._values:
                    self._clear_oneof(field)
                    self._values[field.name] = _copied(value)
            else:
                self._clear_oneof(field)
                self._values[field.name] = value
        self._touch()

    def CopyFrom(self, other):
        if other is not self:
            self.Clear()
            self.MergeFrom(other)

    def __eq__(self, other):
        return type(other) is type(self) and self.SerializeToString() == other.SerializeToString()

    __hash__ = None

    def __deepcopy__(self, memo):
        return _copied(self)

    __copy__ = lambda self: _copied(self)  # noqa: E731

    def __reduce__(self):
        return _restore, (self._name, self.SerializeToString())

    # --- Wire format ---

    def SerializeToString(self, deterministic=None):
        out = bytearray()
        self._write(out)
        return bytes(out)

    SerializePartialToString = SerializeToString

    def ByteSize(self):
        return len(self.SerializeToString())

    def _write(self, out):
        for field, value in self._set_items():
            if field.label == "map":
                for key in sorted(value):
                    entry = message(field.kind)()
                    entry._values["key"], entry._values["value"] = key, value[key]
                    _write_bytes(out, field.number, entry._write_entry())
            elif field.label == "repeated" and field.wire != _BYTES:
                packed = bytearray()
                for item in value:
                    _write_scalar(packed, field.kind, item)
                _write_bytes(out, field.number, packed)
            else:
                for item in value if field.label == "repeated" else [value]:
                    if field.is_message:
                        nested = bytearray()
                        item._write(nested)
                        _write_bytes(out, field.number, nested)
                    elif field.wire == _BYTES:
                        _write_bytes(out, field.number, item.encode("utf-8") if field.kind == "string" else item)
                    else:
                        _write_varint(out, field.number << 3 | field.wire)
                        _write_scalar(out, field.kind, item)

    def _write_entry(self):
        """The key and the value of a map's entry are written even if they are defaults."""
        out = bytearray()
        for name in "key", "value":
            field, value = self._fields[name], self._values[name]
            if field.is_message:
                _write_bytes(out, field.number, value.SerializeToString())
            elif field.wire == _BYTES:
                _write_bytes(out, field.number, value.encode("utf-8") if field.kind == "string" else value)
            else:
                _write_varint(out, field.number << 3 | field.wire)
                _write_scalar(out, field.kind, value)
        return out

    @classmethod
    def FromString(cls, data):
        made = cls()
        made.MergeFromString(data)
        return made

    def ParseFromString(self, data):
        self.Clear()
        self.MergeFromString(data)
        return len(data)

    def MergeFromString(self, data):
        try:
            self._read(memoryview(data))
        except (IndexError, struct.error, UnicodeDecodeError):
            raise DecodeError("Error parsing message as %s" % type(self).__name__) from None
        self._touch()

    def _read(self, data):
        at, end = 0, len(data)
        while at < end:
            tag, at = _read_varint(data, at)
            wire, field = tag & 7, self._by_number.get(tag >> 3)
            value, at = _read_value(data, at, wire)
            if field is None or (wire != field.wire and not (wire == _BYTES and field.label == "repeated")):
                continue
            self._store(field, wire, value)

    def _store(self, field, wire, value):
        if field.is_message:
            if field.label == "map":
                entry = message(field.kind).FromString(value)
                dict.__setitem__(getattr(self, field.name), entry.key, entry.value)
            elif field.label == "repeated":
                list.append(getattr(self, field.name), message(field.kind).FromString(value))
            else:
                nested = getattr(self, field.name)
                self._clear_oneof(field)
                self._values[field.name] = nested
                object.__setattr__(nested, "_parent", None)
                nested.MergeFromString(value)
        elif field.label == "repeated" and wire == _BYTES and field.wire != _BYTES:
            items, at = getattr(self, field.name), 0
            while at < len(value):
                raw, at = _read_value(value, at, field.wire)
                list.append(items, _scalar(field, raw))
        elif field.label == "repeated":
            list.append(getattr(self, field.name), _scalar(field, value))
        else:
            self._clear_oneof(field)
            self._values[field.name] = _scalar(field, value)

    # --- Text format ---

    def __str__(self):
        lines = []
        self._print(lines, "")
        return "".join(lines)

    def _print(self, lines, indent):
        for field, value in self._set_items():
            if field.label == "map":
                for key in sorted(value):
                    lines.append("%s%s {\n" % (indent, field.name))
                    entry = message(field.kind)()
                    for name, item in ("key", key), ("value", value[key]):
                        _print_value(lines, indent + "  ", entry._fields[name], item)
                    lines.append(indent + "}\n")
                continue
            for item in value if field.label == "repeated" else [value]:
                _print_value(lines, indent, field, item)

    def __repr__(self):
        return str(self)


def _print_value(lines, indent, field, value):
    if field.is_message:
        lines.append("%s%s {\n" % (indent, field.name))
        value._print(lines, indent + "  ")
        lines.append(indent + "}\n")
        return
    if field.kind == "string":
        text = '"%s"' % "".join(_escaped(c) if ord(c) < 128 else "".join("\\%03o" % b for b in c.encode("utf-8")) for c in value)
    elif field.kind == "bytes":
        text = '"%s"' % "".join(_escaped(chr(b)) for b in value)
    elif field.kind == "bool":
        text = "true" if value else "false"
    elif field.kind in ENUMS:
        text = next((name for name, number in ENUMS[field.kind].items() if number == value), str(value))
    elif field.kind == "float":
        text = _short_float(value)
    elif field.kind == "double":
        text = repr(value)
    else:
        text = str(value)
    lines.append("%s%s: %s\n" % (indent, field.name, text))


def _escaped(c):
    known = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "'": "\\'", "\\": "\\\\"}
    return known.get(c) or (c if 32 <= ord(c) < 127 else "\\%03o" % ord(c))


def _short_float(value):
    """The shortest text that reads back as the same 32-bit number."""
    if value != value or value in (float("inf"), float("-inf")):
        return str(value)
    for digits in range(6, 10):
        text = "%.*g" % (digits, value)
        if struct.pack("<f", float(text)) == struct.pack("<f", value):
            break
    number = float(text)
    return repr(number) if number == int(number) and abs(number) < 1e16 else text


def _write_varint(out, value):
    value &= 0xFFFFFFFFFFFFFFFF
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)


def _write_bytes(out, number, data):
    _write_varint(out, number << 3 | _BYTES)
    _write_varint(out, len(data))
    out += data


def _write_scalar(out, kind, value):
    if kind in _FORMATS:
        try:
            out += struct.pack(_FORMATS[kind], value)
        except (OverflowError, struct.error):
            out += struct.pack(_FORMATS[kind], float("inf") if value > 0 else float("-inf"))
    elif kind in ("sint32", "sint64"):
        _write_varint(out, value << 1 ^ value >> 63)
    else:
        _write_varint(out, int(value))


def _read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & 0xFFFFFFFFFFFFFFFF, at
        shift += 7
        if shift > 63:
            raise IndexError


def _read_value(data, at, wire):
    """The raw value at |at| and where it ends."""
    if wire == _VARINT:
        return _read_varint(data, at)
    size = 8
    if wire == _BYTES:
        size, at = _read_varint(data, at)
    elif wire == _FIXED32:
        size = 4
    elif wire != _FIXED64:
        raise IndexError
    if size > len(data) - at:
        raise IndexError
    return data[at:at + size], at + size


def _scalar(field, raw):
    kind = field.kind
    if kind in _FORMATS:
        return struct.unpack(_FORMATS[kind], raw)[0]
    if kind == "string":
        return bytes(raw).decode("utf-8")
    if kind == "bytes":
        return bytes(raw)
    if kind == "bool":
        return bool(raw)
    if kind in ("sint32", "sint64"):
        return raw >> 1 ^ -(raw & 1)
    if kind in ("uint32", "uint64"):
        return raw
    if kind == "int64":
        return raw - (1 << 64) if raw >> 63 else raw
    raw &= 0xFFFFFFFF
    return raw - (1 << 32) if raw >> 31 else raw


def _restore(name, data):
    return message(name).FromString(data)


def message(name):
    """The class of message |name|, such as "ConfigProto" or "AttrValue.ListValue"."""
    made = _classes.get(name)
    if made is None:
        fields = {f: _Field(f, *row) for f, row in MESSAGES[name].items()}
        body = {"_fields": fields, "_by_number": {f.number: f for f in fields.values()}, "_name": name,
                "__slots__": ("_values", "_parent"), "__doc__": "The message %s." % name}
        made = _classes[name] = type(name.rpartition(".")[2], (Message,), body)
        prefix = name + "."
        for nested in MESSAGES:
            if nested.startswith(prefix) and "." not in nested[len(prefix):] and not nested.endswith("Entry"):
                setattr(made, nested[len(prefix):], message(nested))
        for enum, values in ENUMS.items():
            if enum.rpartition(".")[0] == name:
                for constant, number in values.items():
                    setattr(made, constant, number)
    return made
