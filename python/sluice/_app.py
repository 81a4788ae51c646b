"""Flags and the start of a program, as tf.app and tf.flags."""
import argparse
import sys

from sluice._api import export, export_value


class _Flags:
    """The values of the flags. The command line is read at the first use."""

    def __init__(self):
        object.__setattr__(self, "_values", {})
        object.__setattr__(self, "_rows", {})
        object.__setattr__(self, "_parsed", False)

    def _define(self, name, default, help, kind):  # noqa: A002
        self._rows[name] = (kind, help)
        self._values[name] = default

    def _parse(self, argv=None):
        object.__setattr__(self, "_parsed", True)
        parser = argparse.ArgumentParser(allow_abbrev=False)
        for name, (kind, text) in self._rows.items():
            text = (text or "").replace("%", "%%")
            if kind is bool:
                parser.add_argument("--" + name, nargs="?", const=True, type=_bool, help=text, default=argparse.SUPPRESS)
                parser.add_argument("--no" + name, dest=name, action="store_false", default=argparse.SUPPRESS)
            elif kind is list:
                parser.add_argument("--" + name, type=lambda s: [v.strip() for v in s.split(",")], help=text,
                                    default=argparse.SUPPRESS)
            else:
                parser.add_argument("--" + name, type=kind, help=text, default=argparse.SUPPRESS)
        given, rest = parser.parse_known_args(sys.argv[1:] if argv is None else argv[1:])
        self._values.update(vars(given))
        return rest

    def __call__(self, argv):
        return [argv[0]] + self._parse(argv)

    def __getattr__(self, name):
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


def _definer(kind):
    def define(name, default, help, **unused):  # noqa: A002
        FLAGS._define(name, default, help, kind)
    return define


for _name, _kind in (("string", str), ("integer", int), ("float", float), ("boolean", bool), ("bool", bool), ("list", list)):
    export("flags.DEFINE_" + _name, "app.flags.DEFINE_" + _name)(_definer(_kind))


@export("app.run")
def run(main=None, argv=None):
    """Parses the flags, calls main(argv) and exits."""
    rest = FLAGS._parse(argv)
    main = main or sys.modules["__main__"].main
    sys.exit(main([sys.argv[0]] + rest))
