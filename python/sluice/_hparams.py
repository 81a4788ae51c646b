"""tf.contrib.training.HParams: named settings of a model, with their types."""
import json
import re

from sluice._api import export

_ITEM = re.compile(r"\s*(?P<name>[a-zA-Z][\w.]*)(\[\s*(?P<index>\d+)\s*\])?\s*=\s*"
                   r"((?P<value>[^,\[]*)|\[(?P<values>[^\]]*)\])\s*($|,)")


def _cast(name, kind, value):
    """|value| as a |kind|."""
    if value is None or kind is type(None):
        return value
    if kind is bool and isinstance(value, str):
        if value.lower() in ("true", "1"):
            return True
        if value.lower() in ("false", "0"):
            return False
        raise ValueError("Could not parse hparam %s: %r is neither true nor false" % (name, value))
    wrong = isinstance(value, str) != issubclass(kind, (str, bytes)) if not isinstance(value, str) else False
    if wrong or kind is bool and not isinstance(value, bool) or kind is int and isinstance(value, float):
        raise ValueError("Could not cast hparam '%s' of type '%s' from value %r" % (name, kind, value))
    try:
        return kind(value)
    except (TypeError, ValueError):
        raise ValueError("Could not parse hparam %s: %r is no %s" % (name, value, kind.__name__)) from None


@export("contrib.training.HParams", "contrib.training.python.training.hparam.HParams")
class HParams:
    """Settings as attributes. A setting keeps the type of its first value."""

    def __init__(self, hparam_def=None, model_structure=None, **kwargs):
        self._hparam_types, self._model_structure = {}, model_structure
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name, value):
        if getattr(self, name, None) is not None:
            raise ValueError("Hyperparameter name is reserved: %s" % name)
        if isinstance(value, (list, tuple)):
            if not value:
                raise ValueError("Multi-valued hyperparameters cannot be empty: %s" % name)
            self._hparam_types[name] = type(value[0]), True
        else:
            self._hparam_types[name] = type(value), False
        object.__setattr__(self, name, value)

    def set_hparam(self, name, value):
        kind, many = self._hparam_types[name]
        if isinstance(value, list) != many:
            raise ValueError("Must %spass a list for %sparameter: %s." % (
                "" if many else "not ", "multi-valued " if many else "single-valued ", name))
        object.__setattr__(self, name, [_cast(name, kind, v) for v in value] if many else _cast(name, kind, value))

    def del_hparam(self, name):
        if hasattr(self, name):
            delattr(self, name)
            del self._hparam_types[name]

    def parse(self, values):
        """Takes "name=value,name=[value,value],name[1]=value"."""
        at, found = 0, {}
        values = values.strip()
        while at < len(values):
            match = _ITEM.match(values, at)
            if not match:
                raise ValueError("Malformed hyperparameter value: %s" % values[at:])
            at = match.end()
            name = match.group("name")
            if name not in self._hparam_types:
                raise ValueError("Unknown hyperparameter type for %s" % name)
            kind, many = self._hparam_types[name]
            if match.group("index") is not None:
                row = list(found.get(name, getattr(self, name)))
                row[int(match.group("index"))] = _cast(name, kind, match.group("value"))
                found[name] = row
            elif match.group("values") is not None:
                if not many:
                    raise ValueError("Must not pass a list for single-valued parameter: %s" % name)
                found[name] = [_cast(name, kind, v.strip()) for v in match.group("values").split(",") if v.strip()]
            else:
                value = _cast(name, kind, match.group("value").strip())
                found[name] = [value] if many else value
        return self.override_from_dict(found)

    def override_from_dict(self, values_dict):
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def set_model_structure(self, model_structure):
        self._model_structure = model_structure

    def get_model_structure(self):
        return self._model_structure

    def to_json(self, indent=None, separators=None, sort_keys=False):
        return json.dumps({k: v for k, v in self.values().items() if not callable(v)}, indent=indent, separators=separators,
                          sort_keys=sort_keys)

    def parse_json(self, values_json):
        return self.override_from_dict(json.loads(values_json))

    def values(self):
        return {name: getattr(self, name) for name in self._hparam_types}

    def get(self, key, default=None):
        return getattr(self, key) if key in self._hparam_types else default

    def __contains__(self, key):
        return key in self._hparam_types

    def __str__(self):
        return str(sorted(self.values().items()))

    def __repr__(self):
        return "HParams(%s)" % self
