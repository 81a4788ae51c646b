"""Variables in parts: partitioners, tf.get_variable with one, and what stands for all parts together."""
import math

from sluice._api import export
from sluice._array import concat, split
from sluice._convert import register_tensor_conversion_function
from sluice._dtypes import as_dtype
from sluice._graph import control_dependencies, name_scope
from sluice._math import OPERATORS
from sluice._oplib import apply
from sluice._shape import TensorShape


class SaveSliceInfo:
    """Which part of the variable |full_name| a variable is."""

    def __init__(self, full_name, full_shape, var_offset, var_shape):
        self.full_name, self.full_shape = full_name, full_shape
        self.var_offset, self.var_shape = var_offset, var_shape

    @property
    def spec(self):
        """As SaveV2 and RestoreV2 want it."""
        sizes = " ".join(str(d) for d in self.full_shape)
        return sizes + " " + ":".join("%d,%d" % pair for pair in zip(self.var_offset, self.var_shape))


class PartitionInfo:
    """What an initialiser learns of the whole variable."""

    def __init__(self, full_shape, var_offset):
        self.full_shape, self.var_offset = full_shape, var_offset

    def single_offset(self, shape):
        axis = self.single_slice_dim(shape)
        return 0 if axis is None else self.var_offset[axis]

    def single_slice_dim(self, shape):
        differing = [i for i, (part, full) in enumerate(zip(shape, self.full_shape)) if part != full]
        return differing[0] if differing else None


class PartitionedVariable:
    """The parts of a variable, in the order of their offsets. As a tensor, all of them together."""

    def __init__(self, name, shape, dtype, variable_list, partitions):
        self._name, self._shape, self._dtype, self._partitions = name, TensorShape(shape), dtype, partitions
        self._parts = sorted(variable_list, key=lambda v: v._get_save_slice_info().var_offset)

    name = property(lambda self: self._name)
    dtype = property(lambda self: self._dtype)
    shape = property(lambda self: self._shape)

    def get_shape(self):
        return self._shape

    def __iter__(self):
        return iter(self._parts)

    def __len__(self):
        return len(self._parts)

    def _get_partitions(self):
        return self._partitions

    def _get_variable_list(self):
        return self._parts

    def _axis(self):
        axes = [i for i, p in enumerate(self._partitions) if p > 1] or [0]
        if len(axes) > 1:
            raise NotImplementedError("Cannot concatenate along more than one dimension: %s.  Multi-axis partition concat is "
                                      "not supported" % axes)
        return axes[0]

    def as_tensor(self):
        with control_dependencies(None):
            if len(self._parts) == 1:
                whole = self._parts[0]
            else:
                axis = self._axis()
                with name_scope(self._name + "/ConcatPartitions/"):
                    whole = concat(self._parts, axis)
            with name_scope(None):
                return apply("Identity", self._name, input=whole)

    def _each(self, change, value):
        axis = self._axis()
        if isinstance(value, PartitionedVariable):
            values = list(value)
        elif isinstance(value, list):
            values = value
        else:
            values = split(value, [v.shape.as_list()[axis] for v in self._parts], axis=axis)
        return [change(v, part) for v, part in zip(self._parts, values)]

    def assign(self, value, use_locking=False, name=None, read_value=True):
        return self._each(lambda v, part: v.assign(part, use_locking, name, read_value), value)

    def assign_add(self, value, use_locking=False, name=None, read_value=True):
        return self._each(lambda v, part: v.assign_add(part, use_locking, name, read_value), value)

    def assign_sub(self, value, use_locking=False, name=None, read_value=True):
        return self._each(lambda v, part: v.assign_sub(part, use_locking, name, read_value), value)


for _name, _function in OPERATORS.items():
    setattr(PartitionedVariable, _name, (lambda f: lambda self, *args: f(self.as_tensor(), *args))(_function))


def _convert(value, dtype=None, name=None, as_ref=False):
    if as_ref:
        raise NotImplementedError("PartitionedVariable doesn't support being used as a reference.")
    if dtype is not None and not as_dtype(dtype).is_compatible_with(value.dtype):
        raise ValueError("Incompatible type conversion requested to type '%s' for variable of type '%s'" %
                         (as_dtype(dtype).name, value.dtype.name))
    return value.as_tensor()


register_tensor_conversion_function(PartitionedVariable, _convert, 0)


def make_parts(make, name, shape, dtype, partitions, initializer, arguments):
    """The PartitionedVariable of |name|: make(name=..., ...) makes each part."""
    sizes = shape.as_list()
    if len(partitions) != len(sizes):
        raise ValueError("Partitioner returned a partition list that does not match the Variable's rank: %s vs. %s" %
                         (partitions, shape))
    if any(p < 1 for p in partitions):
        raise ValueError("Partitioner returned zero partitions for some axes: %s" % partitions)
    axes = [i for i, p in enumerate(partitions) if p > 1]
    if len(axes) > 1:
        raise ValueError("Can only slice a variable along one dimension: shape: %s, partitioning: %s" % (shape, partitions))
    axis = axes[0] if axes else 0
    count = partitions[axis]
    base, extra = divmod(sizes[axis], count)
    parts, start = [], 0
    for i in range(count):
        length = base + (1 if i < extra else 0)
        offset, part_shape = [0] * len(sizes), list(sizes)
        offset[axis], part_shape[axis] = start, length
        start += length
        if callable(initializer):
            info = PartitionInfo(sizes, offset)
            first, given = _part_initializer(initializer, info), part_shape
        else:
            from sluice._array import slice_of
            first, given = slice_of(initializer, offset, part_shape), None
        v = make(name="%s/part_%d" % (name, i), shape=given, dtype=dtype, initializer=first, **arguments)
        v._set_save_slice_info(SaveSliceInfo(name, sizes, offset, part_shape))
        parts.append(v)
    return PartitionedVariable(name, shape, dtype, parts, partitions)


def _part_initializer(initializer, info):
    def call(shape, dtype=None, partition_info=None):
        try:
            return initializer(shape, dtype=dtype, partition_info=info)
        except TypeError as error:
            if "partition_info" not in str(error):
                raise
            return initializer(shape, dtype=dtype)
    return call


# --- Partitioners ---

@export("fixed_size_partitioner")
def fixed_size_partitioner(num_shards, axis=0):
    """As many parts as |num_shards|, or fewer if the axis is shorter."""
    def partitioner(shape, **unused):
        parts = [1] * shape.ndims
        parts[axis] = min(num_shards, shape.as_list()[axis])
        return parts
    return partitioner


@export("variable_axis_size_partitioner")
def variable_axis_size_partitioner(max_shard_bytes, axis=0, bytes_per_string_element=16, max_shards=None):
    """So many parts that none is larger than |max_shard_bytes|."""
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError("Both max_shard_bytes and bytes_per_string_element must be positive. Currently, max_shard_bytes is "
                         "%s and bytes_per_string_element is %s" % (max_shard_bytes, bytes_per_string_element))
    if max_shards and max_shards < 1:
        raise ValueError("max_shards must be positive.")

    def partitioner(shape, dtype):
        size = bytes_per_string_element if dtype.base_dtype.name == "string" else dtype.size
        length = shape.as_list()[axis]
        slices = max(1, math.floor(max_shard_bytes / (shape.num_elements() / length * size)))
        count = math.ceil(length / slices)
        parts = [1] * shape.ndims
        parts[axis] = min(max_shards, count) if max_shards else count
        return parts
    return partitioner


@export("min_max_variable_partitioner")
def min_max_variable_partitioner(max_partitions=1, axis=0, min_slice_size=256 << 10, bytes_per_string_element=16):
    """At most |max_partitions| parts, each of at least |min_slice_size| bytes."""
    def partitioner(shape, dtype):
        if axis >= shape.ndims:
            raise ValueError("Cannot partition variable along axis %d when shape is only %s" % (axis, shape))
        size = bytes_per_string_element if dtype.base_dtype.name == "string" else dtype.size
        parts = [1] * shape.ndims
        parts[axis] = max(1, min(shape.as_list()[axis], max_partitions,
                                 math.ceil(shape.num_elements() * size / min_slice_size)))
        return parts
    return partitioner
