"""Reads the text format of messages."""
import ast
import re

from sluice._message import ENUMS, message

_TOKEN = re.compile(r"\s*(?:#[^\n]*\s*)*(\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[-+.\w]+|[{}<>:\[\],;]|$)")


class ParseError(ValueError):
    """The text is not a message of this type."""


class _Reader:
    def __init__(self, text):
        self._text, self._at, self.token = text, 0, None
        self.advance()

    def advance(self):
        found = _TOKEN.match(self._text, self._at)
        if found is None:
            raise ParseError("line %d: cannot read %r" % (self.line(), self._text[self._at:self._at + 20]))
        self._at, before, self.token = found.end(), self.token, found[1]
        return before

    def line(self):
        return self._text.count("\n", 0, self._at) + 1

    def take(self, token):
        if self.token == token:
            self.advance()
            return True
        return False


def parse(text, target):
    """Reads |text| into the message |target|, which is returned."""
    reader = _Reader(text)
    _message(reader, target, "")
    return target


def _message(reader, target, end):
    while reader.token != end:
        if not reader.token:
            raise ParseError("line %d: the text ends inside of a message" % reader.line())
        name = reader.advance()
        field = target._fields.get(name)
        if field is None:
            raise ParseError("line %d: %s has no field %s" % (reader.line(), type(target).__name__, name))
        has_colon = reader.take(":")
        if reader.take("["):
            while not reader.take("]"):
                _value(reader, target, field, has_colon)
                reader.take(",")
        else:
            _value(reader, target, field, has_colon)
        while reader.token in (",", ";"):
            reader.advance()
    reader.advance()


def _value(reader, target, field, has_colon):
    if field.is_message:
        close = {"{": "}", "<": ">"}.get(reader.advance())
        if close is None:
            raise ParseError("line %d: %s is a message, { expected" % (reader.line(), field.name))
        if field.label == "map":
            entry = message(field.kind)()
            _message(reader, entry, close)
            if entry._fields["value"].is_message:
                getattr(target, field.name)[entry.key].CopyFrom(entry.value)
            else:
                getattr(target, field.name)[entry.key] = entry.value
            return
        inner = getattr(target, field.name).add() if field.label == "repeated" else getattr(target, field.name)
        inner._touch()
        _message(reader, inner, close)
        return
    if not has_colon:
        raise ParseError("line %d: %s needs a colon" % (reader.line(), field.name))
    value = _scalar(reader, field)
    if field.label == "repeated":
        getattr(target, field.name).append(value)
    else:
        setattr(target, field.name, value)


def _scalar(reader, field):
    token = reader.advance()
    try:
        if field.kind in ("string", "bytes"):
            made = _unquoted(token)
            while reader.token[:1] in ("'", '"') and reader.token:
                made += _unquoted(reader.advance())
            return made.decode() if field.kind == "string" else made
        if field.kind == "bool":
            return {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}[token.lower()]
        if field.kind in ENUMS and token in ENUMS[field.kind]:
            return ENUMS[field.kind][token]
        if field.kind in ("float", "double"):
            return float(token.rstrip("f") if "inf" not in token else token)
        return int(token, 0)
    except (KeyError, ValueError, SyntaxError, UnicodeError):
        raise ParseError("line %d: %s cannot be %s" % (reader.line(), field.name, token)) from None


def _unquoted(token):
    if token[:1] not in ("'", '"'):
        raise ValueError(token)
    text = "".join(c if ord(c) < 128 else "".join("\\x%02x" % b for b in c.encode()) for c in token)
    return ast.literal_eval("b" + text)
