"""Shapes that may be partly unknown, as tf.TensorShape and tf.Dimension."""


class Dimension:
    """The size of one dimension; its value is None if it is not known."""
    __slots__ = ("_value",)

    def __init__(self, value):
        if isinstance(value, Dimension):
            value = value._value
        elif value is not None:
            try:
                value = value.__index__()
            except AttributeError:
                raise TypeError("Dimension value must be integer or None or have an __index__ method, got value %r with "
                                "type %r" % (value, type(value))) from None
            if value < 0:
                raise ValueError("Dimension %d must be >= 0" % value)
        self._value = value

    value = property(lambda self: self._value)

    def is_compatible_with(self, other):
        other = as_dimension(other)
        return self._value is None or other._value is None or self._value == other._value

    def assert_is_compatible_with(self, other):
        if not self.is_compatible_with(other):
            raise ValueError("Dimensions %s and %s are not compatible" % (self, other))

    def merge_with(self, other):
        other = as_dimension(other)
        self.assert_is_compatible_with(other)
        return Dimension(other._value if self._value is None else self._value)

    def _apply(self, other, function):
        try:
            other = as_dimension(other)
        except (TypeError, ValueError):
            return NotImplemented
        if self._value is None or other._value is None:
            return Dimension(None)
        return Dimension(function(self._value, other._value))

    def __add__(self, other):
        return self._apply(other, lambda a, b: a + b)

    def __sub__(self, other):
        return self._apply(other, lambda a, b: a - b)

    def __rsub__(self, other):
        return self._apply(other, lambda a, b: b - a)

    def __mul__(self, other):
        return self._apply(other, lambda a, b: a * b)

    def __floordiv__(self, other):
        return self._apply(other, lambda a, b: a // b)

    def __rfloordiv__(self, other):
        return self._apply(other, lambda a, b: b // a)

    def __mod__(self, other):
        return self._apply(other, lambda a, b: a % b)

    def __rmod__(self, other):
        return self._apply(other, lambda a, b: b % a)

    __radd__, __rmul__, __div__ = __add__, __mul__, __floordiv__

    def __truediv__(self, other):
        raise TypeError("unsupported operand type(s) for /: 'Dimension' and '%s', please use // instead" %
                        type(other).__name__)

    def _compare(self, other, function):
        other = as_dimension(other)
        return None if self._value is None or other._value is None else function(self._value, other._value)

    def __lt__(self, other):
        return self._compare(other, lambda a, b: a < b)

    def __le__(self, other):
        return self._compare(other, lambda a, b: a <= b)

    def __gt__(self, other):
        return self._compare(other, lambda a, b: a > b)

    def __ge__(self, other):
        return self._compare(other, lambda a, b: a >= b)

    def __eq__(self, other):
        try:
            return self._compare(other, lambda a, b: a == b)
        except (TypeError, ValueError):
            return NotImplemented

    def __ne__(self, other):
        try:
            return self._compare(other, lambda a, b: a != b)
        except (TypeError, ValueError):
            return NotImplemented

    def __bool__(self):
        return bool(self._value)

    def __int__(self):
        return self._value

    __index__ = __int__

    def __hash__(self):
        return hash(self._value)

    def __str__(self):
        return "?" if self._value is None else str(self._value)

    def __repr__(self):
        return "Dimension(%s)" % self._value

    def __reduce__(self):
        return Dimension, (self._value,)


def as_dimension(value):
    return value if isinstance(value, Dimension) else Dimension(value)


def dimension_value(dimension):
    return dimension.value if isinstance(dimension, Dimension) else dimension


class TensorShape:
    """The dimensions of a tensor, or nothing at all."""
    __slots__ = ("_dims",)

    def __init__(self, dims):
        if isinstance(dims, TensorShape):
            self._dims = dims._dims
        elif dims is None:
            self._dims = None
        elif hasattr(dims, "unknown_rank") and hasattr(dims, "dim"):
            self._dims = None if dims.unknown_rank else [Dimension(d.size if d.size >= 0 else None) for d in dims.dim]
        elif isinstance(dims, (str, bytes)):
            raise TypeError("A string has ambiguous TensorShape, please wrap in a list or convert to an int: %s" % dims)
        else:
            try:
                items = iter(dims)
            except TypeError:
                items = [dims]
            self._dims = [Dimension(None if isinstance(d, int) and d == -1 else d) for d in items]

    dims = property(lambda self: self._dims)
    _v2_behavior = False

    @property
    def rank(self):
        return None if self._dims is None else len(self._dims)

    ndims = rank

    def as_list(self):
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return [d.value for d in self._dims]

    def num_elements(self):
        if not self.is_fully_defined():
            return None
        count = 1
        for d in self._dims:
            count *= d.value
        return count

    def is_fully_defined(self):
        return self._dims is not None and all(d.value is not None for d in self._dims)

    def assert_is_fully_defined(self):
        if not self.is_fully_defined():
            raise ValueError("Shape %s is not fully defined" % self)

    def is_compatible_with(self, other):
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return True
        return len(self._dims) == len(other._dims) and all(a.is_compatible_with(b) for a, b in zip(self._dims, other._dims))

    def assert_is_compatible_with(self, other):
        if not self.is_compatible_with(other):
            raise ValueError("Shapes %s and %s are incompatible" % (self, other))

    def assert_same_rank(self, other):
        other = as_shape(other)
        if self.ndims is not None and other.ndims is not None and self.ndims != other.ndims:
            raise ValueError("Shapes %s and %s must have the same rank" % (self, other))

    def assert_has_rank(self, rank):
        if self.ndims not in (None, rank):
            raise ValueError("Shape %s must have rank %d" % (self, rank))

    def with_rank(self, rank):
        return self.merge_with(unknown_shape(rank))

    def with_rank_at_least(self, rank):
        if self.ndims is not None and self.ndims < rank:
            raise ValueError("Shape %s must have rank at least %d" % (self, rank))
        return self

    def with_rank_at_most(self, rank):
        if self.ndims is not None and self.ndims > rank:
            raise ValueError("Shape %s must have rank at most %d" % (self, rank))
        return self

    def merge_with(self, other):
        other = as_shape(other)
        if self._dims is None:
            return other
        if other._dims is None:
            return self
        try:
            self.assert_same_rank(other)
            return TensorShape([a.merge_with(b) for a, b in zip(self._dims, other._dims)])
        except ValueError:
            raise ValueError("Shapes %s and %s are not compatible" % (self, other)) from None

    def most_specific_compatible_shape(self, other):
        other = as_shape(other)
        if self._dims is None or other._dims is None or self.ndims != other.ndims:
            return unknown_shape()
        return TensorShape([a if a.value is not None and a == b else None for a, b in zip(self._dims, other._dims)])

    def concatenate(self, other):
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return unknown_shape()
        return TensorShape(self._dims + other._dims)

    def as_proto(self):
        from sluice._message import message
        proto = message("TensorShapeProto")()
        if self._dims is None:
            proto.unknown_rank = True
        else:
            for d in self._dims:
                proto.dim.add(size=-1 if d.value is None else d.value)
        return proto

    def __add__(self, other):
        return self.concatenate(other)

    def __radd__(self, other):
        return as_shape(other).concatenate(self)

    def __len__(self):
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self):
        return self._dims is not None

    def __iter__(self):
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter(self._dims)

    def __getitem__(self, key):
        if self._dims is not None:
            return TensorShape(self._dims[key]) if isinstance(key, slice) else self._dims[key]
        if not isinstance(key, slice):
            return Dimension(None)
        if key.stop is None or key.stop < 0 or key.step not in (None, 1):
            return unknown_shape()
        return unknown_shape(max(0, key.stop - (key.start or 0)))

    def __eq__(self, other):
        try:
            other = as_shape(other)
        except TypeError:
            return NotImplemented
        if self._dims is None or other._dims is None:
            return self._dims is other._dims
        return self.as_list() == other.as_list()

    def __ne__(self, other):
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def __hash__(self):
        return hash(None if self._dims is None else tuple(self._dims))

    def __str__(self):
        if self._dims is None:
            return "<unknown>"
        return "(%s,)" % self._dims[0] if len(self._dims) == 1 else "(%s)" % ", ".join(str(d) for d in self._dims)

    def __repr__(self):
        return "TensorShape(%s)" % (None if self._dims is None else self._dims)

    def __reduce__(self):
        return TensorShape, (None if self._dims is None else self.as_list(),)


def as_shape(shape):
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def unknown_shape(rank=None):
    return TensorShape(None if rank is None else [None] * rank)


def scalar():
    return TensorShape([])


def vector(length):
    return TensorShape([length])


def matrix(rows, columns):
    return TensorShape([rows, columns])
