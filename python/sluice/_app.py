"""Flags and the start of a program, as tf.app and tf.flags."""
import argparse
import sys

from sluice._api import export, export_value


class _Flag:
    """One flag, as FLAGS["name"] gives it."""

    def __init__(self, flags, name):
        self._flags, self.name = flags, name

    value = property(lambda self: self._flags._values[self.name],
                     lambda self, value: self._flags._values.__setitem__(self.name, value))
    default = property(lambda self: self._flags._rows[self.name][2])
    help = property(lambda self: self._flags._rows[self.name][1])
    present = property(lambda self: int(self.name in self._flags._given))

    def __repr__(self):
        return str(self.value)


class _Flags:
    """The values of the flags. The command line is read at the first use."""

    def __init__(self):
        object.__setattr__(self, "_values", {})
        object.__setattr__(self, "_rows", {})
        object.__setattr__(self, "_given", {})
        object.__setattr__(self, "_checks", [])
        object.__setattr__(self, "_parsed", False)

    def _define(self, name, default, help, kind):  # noqa: A002
        if isinstance(default, str) and kind in (int, float):
            default = kind(default)
        if isinstance(default, str) and kind is bool:
            default = _bool(default)
        if isinstance(default, str) and kind is list:
            default = [v.strip() for v in default.split(",") if v.strip()]
        self._rows[name] = (kind, help, default)
        self._values[name] = default

    def _parse(self, argv=None):
        object.__setattr__(self, "_parsed", True)
        parser = argparse.ArgumentParser(allow_abbrev=False)
        for name, (kind, text, _) in self._rows.items():
            text = (text or "").replace("%", "%%")
            if isinstance(kind, _Many):
                parser.add_argument("--" + name, type=kind.kind, action="append", help=text, default=argparse.SUPPRESS)
            elif kind is bool:
                parser.add_argument("--" + name, nargs="?", const=True, type=_bool, help=text, default=argparse.SUPPRESS)
                parser.add_argument("--no" + name, dest=name, action="store_false", default=argparse.SUPPRESS)
            elif kind is list:
                parser.add_argument("--" + name, type=lambda s: [v.strip() for v in s.split(",")], help=text,
                                    default=argparse.SUPPRESS)
            else:
                parser.add_argument("--" + name, type=kind, help=text, default=argparse.SUPPRESS)
        given, rest = parser.parse_known_args(sys.argv[1:] if argv is None else argv[1:])
        self._given.update(vars(given))
        self._values.update(self._given)
        for check in self._checks:
            check()
        return rest

    def _parse_flags(self, args=None):
        self._parse(None if args is None else [sys.argv[0], *args])

    def is_parsed(self):
        return self._parsed

    def mark_as_parsed(self):
        object.__setattr__(self, "_parsed", True)

    def unparse_flags(self):
        object.__setattr__(self, "_parsed", False)

    def set_default(self, name, value):
        self._rows[name] = (*self._rows[name][:2], value)
        if name not in self._given:
            self._values[name] = value

    def flags_into_string(self):
        return "".join("--%s=%s\n" % (name, value) for name, value in sorted(self._values.items()) if value is not None)

    def key_flags_dict(self):
        return {name: _Flag(self, name) for name in self._rows}

    def __getitem__(self, name):
        if name not in self._rows:
            raise KeyError(name)
        return _Flag(self, name)

    def __delattr__(self, name):
        self._values.pop(name, None)
        self._rows.pop(name, None)

    def __len__(self):
        return len(self._values)

    def __dir__(self):
        return sorted(self._values)

    def __call__(self, argv):
        return [argv[0]] + self._parse(argv)

    def __getattr__(self, name):
        if name == "__flags":
            return {flag: _Flag(self, flag) for flag in self._rows}
        if name.startswith("__"):
            raise AttributeError(name)
        if not self._parsed:
            self._parse()
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name, value):
        self._values[name] = value

    def __contains__(self, name):
        return name in self._values

    def __iter__(self):
        return iter(self._values)

    def flag_values_dict(self):
        if not self._parsed:
            self._parse()
        return dict(self._values)


def _bool(text):
    if text.lower() in ("true", "t", "1", "yes", "y"):
        return True
    if text.lower() in ("false", "f", "0", "no", "n"):
        return False
    raise argparse.ArgumentTypeError("must be true or false, got %r" % text)


FLAGS = export_value(_Flags(), "flags.FLAGS", "app.flags.FLAGS")
export_value(_Flags, "flags.FlagValues", "app.flags.FlagValues")
export_value(_Flag, "flags.Flag", "app.flags.Flag")


class Error(Exception):
    """A flag is wrong."""


export_value(Error, "flags.Error", "app.flags.Error")


class _Many:
    """The type of a flag that may be given more than once."""

    def __init__(self, kind):
        self.kind = kind


def _definer(kind):
    def define(name, default, help=None, lower_bound=None, upper_bound=None, flag_values=None, **unused):  # noqa: A002
        if isinstance(kind, _Many) and default is not None and not isinstance(default, (list, tuple)):
            default = [default]
        FLAGS._define(name, default, help, kind)
        if lower_bound is not None or upper_bound is not None:
            low = -float("inf") if lower_bound is None else lower_bound
            high = float("inf") if upper_bound is None else upper_bound
            register_validator(name, lambda value: value is None or low <= value <= high,
                               "must be between %s and %s" % (low, high))
    return define


def _flags_export(*names):
    return export(*["%s.%s" % (where, name) for name in names for where in ("flags", "app.flags", "python.platform.flags")])


@_flags_export("DEFINE_enum")
def define_enum(name, default, enum_values, help=None, flag_values=None, **unused):  # noqa: A002
    """A flag whose value is one of |enum_values|."""
    def choice(text):
        if text not in enum_values:
            raise argparse.ArgumentTypeError("must be one of <%s>, got %r" % ("|".join(enum_values), text))
        return text
    FLAGS._define(name, default, help, choice)


@_flags_export("DEFINE_alias")
def define_alias(name, original_name, **unused):
    FLAGS._define(name, FLAGS._values.get(original_name), "alias of --" + original_name, str)


@_flags_export("register_validator")
def register_validator(flag_name, checker, message="Flag validation failed", flag_values=None):
    """Flags are refused when they are read and checker(value) is not true."""
    def check():
        value = FLAGS._values.get(flag_name)
        if not checker(value):
            sys.exit("FATAL Flags parsing error: flag --%s=%s: %s" % (flag_name, value, message))
    FLAGS._checks.append(check)


@_flags_export("validator")
def validator(flag_name, message="Flag validation failed", flag_values=None):
    def decorate(function):
        register_validator(flag_name, function, message)
        return function
    return decorate


@_flags_export("mark_flag_as_required")
def mark_flag_as_required(flag_name, flag_values=None):
    register_validator(flag_name, lambda value: value is not None, "Flag must have a value other than None.")


@_flags_export("mark_flags_as_required")
def mark_flags_as_required(flag_names, flag_values=None):
    for name in flag_names:
        mark_flag_as_required(name)


@_flags_export("register_multi_flags_validator")
def register_multi_flags_validator(flag_names, multi_flags_checker, message="Flags validation failed", flag_values=None):
    """Flags are refused when they are read and the checker of a dictionary of their values is not true."""
    def check():
        if not multi_flags_checker({name: FLAGS._values.get(name) for name in flag_names}):
            sys.exit("FATAL Flags parsing error: flags %s: %s" % (", ".join(flag_names), message))
    FLAGS._checks.append(check)


@_flags_export("multi_flags_validator")
def multi_flags_validator(flag_names, message="Flag validation failed", flag_values=None):
    def decorate(function):
        register_multi_flags_validator(flag_names, function, message)
        return function
    return decorate


@_flags_export("text_wrap")
def text_wrap(text, length=None, indent="", firstline_indent=None):
    """|text| in lines of at most |length| characters."""
    import textwrap
    first = indent if firstline_indent is None else firstline_indent
    rows = [textwrap.fill(row, length or 80, initial_indent=first if i == 0 else indent, subsequent_indent=indent)
            for i, row in enumerate(text.splitlines())]
    return "\n".join(rows)


@_flags_export("get_help_width")
def get_help_width():
    return 80


@_flags_export("adopt_module_key_flags", "declare_key_flag", "disclaim_key_flags", "mark_flags_as_mutual_exclusive",
               "mark_bool_flags_as_mutual_exclusive")
def _no_effect(*args, **kwargs):
    """Accepted: all flags are shown by --help."""


for _name, _kind in (("string", str), ("integer", int), ("float", float), ("boolean", bool), ("bool", bool), ("list", list),
                     ("spaceseplist", str.split), ("multi_string", _Many(str)), ("multi_integer", _Many(int)),
                     ("multi_float", _Many(float))):
    _flags_export("DEFINE_" + _name)(_definer(_kind))


@export("app.run")
def run(main=None, argv=None):
    """Parses the flags, calls main(argv) and exits."""
    rest = FLAGS._parse(argv)
    main = main or sys.modules["__main__"].main
    sys.exit(main([sys.argv[0]] + rest))
