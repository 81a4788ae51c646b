"""All ops of the library under their own names, as tf.raw_ops: raw_ops.MatMul(a=x, b=y)."""
from sluice import _oplib


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    try:
        wanted = _oplib.spec(name)
    except Exception:
        raise AttributeError("module 'sluice.raw_ops' has no op %r" % name) from None

    renamed = _oplib.RENAMED.get(name, {})

    def op(**arguments):
        label = arguments.pop("name", None)
        return _oplib.apply(wanted.name, label, **{renamed.get(key, key): value for key, value in arguments.items()})

    op.__name__ = op.__qualname__ = name
    op.__doc__ = "The op %s: %s -> %s." % (
        name, ", ".join([a.name for a in wanted.inputs] + [a.name for a in wanted.explicit]) or "nothing",
        ", ".join(a.name for a in wanted.outputs) or "nothing")
    globals()[name] = op
    return op
