"""Structures of lists, tuples, named tuples and dictionaries: tf.nest.

A composite, such as IndexedSlices, is a leaf unless a function is told to expand composites.
"""
import collections.abc

from sluice._api import export

_composites = []  # (class, parts of a value, value of the parts)


def register_composite(kind, parts, build):
    """Makes |kind| a composite: parts(value) is a list of tensors, build(value, tensors) a value like the given one."""
    _composites.append((kind, parts, build))


def _composite(value):
    for row in _composites:
        if isinstance(value, row[0]):
            return row
    return None


def is_composite(value):
    return _composite(value) is not None


@export("nest.is_nested", "contrib.framework.nest.is_nested")
def is_nested(structure):
    """Whether |structure| has parts: a list, a tuple or a dictionary."""
    return isinstance(structure, (collections.abc.Sequence, collections.abc.Mapping)) and \
        not isinstance(structure, (str, bytes))


def _keys(mapping):
    try:
        return sorted(mapping)
    except TypeError:
        raise TypeError("nest only supports dicts with sortable keys.") from None


def _parts(structure):
    if isinstance(structure, collections.abc.Mapping):
        return [structure[key] for key in _keys(structure)]
    return list(structure)


def _like(structure, parts):
    """|parts| in a sequence or mapping of the kind of |structure|."""
    if isinstance(structure, collections.abc.Mapping):
        by_key = dict(zip(_keys(structure), parts))
        made = [(key, by_key[key]) for key in structure]
        if isinstance(structure, collections.defaultdict):
            return type(structure)(structure.default_factory, made)
        return type(structure)(made)
    if hasattr(structure, "_fields"):
        return type(structure)(*parts)
    return type(structure)(parts)


@export("nest.flatten", "contrib.framework.nest.flatten")
def flatten(structure, expand_composites=False):
    """The leaves of |structure|, of dictionaries in the order of their keys."""
    if is_nested(structure):
        return [leaf for part in _parts(structure) for leaf in flatten(part, expand_composites)]
    row = _composite(structure) if expand_composites else None
    return [structure] if row is None else row[1](structure)


@export("nest.pack_sequence_as", "contrib.framework.nest.pack_sequence_as")
def pack_sequence_as(structure, flat_sequence, expand_composites=False):
    """|flat_sequence| in the form of |structure|."""
    if not is_nested(flat_sequence):
        raise TypeError("flat_sequence must be a sequence not a %s:\n%s" % (type(flat_sequence), flat_sequence))
    flat_sequence = list(flat_sequence)
    wanted = len(flatten(structure, expand_composites))
    if wanted != len(flat_sequence):
        if not is_nested(structure):
            raise ValueError("Structure is a scalar but len(flat_sequence) == %d > 1" % len(flat_sequence))
        raise ValueError("Could not pack sequence. Structure had %d elements, but flat_sequence had %d elements.  "
                         "Structure: %s, flat_sequence: %s." % (wanted, len(flat_sequence), structure, flat_sequence))
    return _pack(structure, iter(flat_sequence), expand_composites)


def _pack(structure, leaves, expand_composites):
    if is_nested(structure):
        return _like(structure, [_pack(part, leaves, expand_composites) for part in _parts(structure)])
    row = _composite(structure) if expand_composites else None
    if row is None:
        return next(leaves)
    return row[2](structure, [next(leaves) for _ in row[1](structure)])


@export("nest.map_structure", "contrib.framework.nest.map_structure")
def map_structure(func, *structure, **kwargs):
    """func(leaf, …) for each leaf, in the form of the first structure."""
    if not callable(func):
        raise TypeError("func must be callable, got: %s" % func)
    if not structure:
        raise ValueError("Must provide at least one structure")
    check_types = kwargs.pop("check_types", True)
    expand = kwargs.pop("expand_composites", False)
    if kwargs:
        raise ValueError("Only valid keyword arguments are `check_types` and `expand_composites`, not: `%s`" %
                         "`, `".join(kwargs))
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types=check_types, expand_composites=expand)
    rows = zip(*[flatten(one, expand) for one in structure])
    return pack_sequence_as(structure[0], [func(*row) for row in rows], expand)


def _check_same(one, two, check_types, expand):
    if is_nested(one) != is_nested(two):
        raise ValueError("one of them has parts where the other has a value: %s, %s" % (one, two))
    if expand and is_composite(one) != is_composite(two):
        raise ValueError("one of them is a composite tensor: %s, %s" % (one, two))
    if not is_nested(one):
        return
    maps = isinstance(one, collections.abc.Mapping), isinstance(two, collections.abc.Mapping)
    tuples = hasattr(one, "_fields"), hasattr(two, "_fields")
    if check_types and type(one) is not type(two) and not all(maps) and not (
            all(tuples) and one._fields == two._fields and type(one).__name__ == type(two).__name__):
        raise TypeError("The two namedtuples don't have the same sequence type" if all(tuples) else
                        "one is a %s, the other a %s" % (type(one).__name__, type(two).__name__))
    if all(maps) and set(one) != set(two):
        raise ValueError("The two dictionaries don't have the same set of keys: %s, %s" % (list(one), list(two)))
    parts = _parts(one), _parts(two)
    if len(parts[0]) != len(parts[1]):
        raise ValueError("The two structures don't have the same number of elements: %d, %d" %
                         (len(parts[0]), len(parts[1])))
    for first, second in zip(*parts):
        _check_same(first, second, check_types, expand)


@export("nest.assert_same_structure", "contrib.framework.nest.assert_same_structure")
def assert_same_structure(nest1, nest2, check_types=True, expand_composites=False):
    """Raises ValueError or TypeError unless both are nested alike."""
    try:
        _check_same(nest1, nest2, check_types, expand_composites)
    except (ValueError, TypeError) as error:
        raise type(error)("The two structures don't have the same nested structure.\n\nFirst structure: %s\n\nSecond "
                          "structure: %s\n\nMore specifically: %s" % (nest1, nest2, error)) from None
