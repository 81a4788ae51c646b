"""Elements of datasets: structures of tensors, sparse tensors and datasets, and what is known of them.

A structure is a value, or a tuple, a named tuple or a dictionary of structures. Lists are values: they become tensors.
"""
from sluice import _dtypes
from sluice._api import export
from sluice._convert import convert_to_tensor
from sluice._dtypes import as_dtype
from sluice._graph import Tensor, name_scope
from sluice._oplib import apply
from sluice._shape import TensorShape
from sluice._sparse_tensor import SparseTensor, SparseTensorValue, as_sparse


# --- Structures ---

def is_nested(value):
    return isinstance(value, (tuple, dict)) and not isinstance(value, SparseTensorValue)


def flatten(structure):
    """The values of |structure|; those of dictionaries in the order of their keys."""
    if isinstance(structure, dict):
        return [leaf for key in sorted(structure) for leaf in flatten(structure[key])]
    if is_nested(structure):
        return [leaf for item in structure for leaf in flatten(item)]
    return [structure]


def pack_as(structure, leaves):
    """A structure like |structure| with other values."""
    return _packed(structure, iter(leaves))


def _packed(structure, leaves):
    if isinstance(structure, dict):
        made = {key: _packed(structure[key], leaves) for key in sorted(structure)}
        return type(structure)((key, made[key]) for key in structure)
    if is_nested(structure):
        items = [_packed(item, leaves) for item in structure]
        return type(structure)(*items) if hasattr(structure, "_fields") else tuple(items)
    return next(leaves)


def map_structure(function, structure, *others):
    return pack_as(structure, [function(*row) for row in zip(flatten(structure), *[flatten_up_to(structure, o) for o in others])])


def flatten_up_to(shallow, structure):
    """The parts of |structure| where |shallow| has values: lists and shapes below stay whole."""
    if isinstance(shallow, dict):
        if not isinstance(structure, dict) or set(shallow) != set(structure):
            raise ValueError("The two structures don't have the same keys: %s and %s" % (shallow, structure))
        return [leaf for key in sorted(shallow) for leaf in flatten_up_to(shallow[key], structure[key])]
    if is_nested(shallow):
        if not isinstance(structure, (list, tuple)) or len(shallow) != len(structure):
            raise ValueError("The two structures don't have the same number of elements: %s and %s" % (shallow, structure))
        return [leaf for a, b in zip(shallow, structure) for leaf in flatten_up_to(a, b)]
    return [structure]


# --- What is known of a value ---

@export("TensorSpec")
class TensorSpec:
    """The type and the shape of a tensor."""

    def __init__(self, shape, dtype=_dtypes.float32, name=None):
        self._shape, self._dtype, self._name = TensorShape(shape), as_dtype(dtype), name

    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._dtype)
    name = property(lambda self: self._name)

    @classmethod
    def from_spec(cls, spec, name=None):
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor, name=None):
        return cls(tensor.shape, tensor.dtype, name or tensor.op.name)

    def is_compatible_with(self, other):
        return self._dtype.is_compatible_with(other.dtype) and self._shape.is_compatible_with(other.shape)

    value_class = Tensor
    flat_type = property(lambda self: self._dtype.base_dtype)
    flat_shape = property(lambda self: self._shape)

    def to_flat(self, value):
        return convert_to_tensor(value)

    to_batched = to_flat

    def from_flat(self, tensor):
        tensor.set_shape(self._shape)
        return tensor

    def batched(self, size):
        return TensorSpec(TensorShape([size]).concatenate(self._shape), self._dtype)

    def unbatched(self):
        return TensorSpec(self._shape[1:], self._dtype)

    def merged(self, other):
        return TensorSpec(self._shape.most_specific_compatible_shape(other.shape), self._dtype)

    def __eq__(self, other):
        return type(other) is type(self) and self._dtype == other._dtype and self._shape == other._shape

    def __hash__(self):
        return hash((self._dtype, self._shape))

    def __repr__(self):
        return "TensorSpec(shape=%s, dtype=%r, name=%r)" % (self._shape, self._dtype, self._name)


@export("SparseTensorSpec")
class SparseTensorSpec(TensorSpec):
    """The type and the shape of a sparse tensor, which is one variant among the tensors of an element."""

    def __init__(self, shape=None, dtype=_dtypes.float32):
        super().__init__(shape, dtype)

    value_class = SparseTensor
    flat_type = property(lambda self: _dtypes.variant)
    flat_shape = property(lambda self: TensorShape(None))

    def to_flat(self, value):
        value = as_sparse(value)
        return apply("SerializeSparse", None, sparse_indices=value.indices, sparse_values=value.values,
                     sparse_shape=value.dense_shape, out_type=_dtypes.variant)

    def to_batched(self, value):
        value = as_sparse(value)
        return apply("SerializeManySparse", None, sparse_indices=value.indices, sparse_values=value.values,
                     sparse_shape=value.dense_shape, out_type=_dtypes.variant)

    def from_flat(self, tensor):
        parts = apply("DeserializeSparse", None, serialized_sparse=tensor, dtype=self._dtype)
        indices, values, shape = parts
        indices.set_shape([None, self._shape.ndims])
        shape.set_shape([self._shape.ndims])
        return SparseTensor(indices, values, _known_shape(shape, self._shape))

    def batched(self, size):
        return SparseTensorSpec(TensorShape([size]).concatenate(self._shape), self._dtype)

    def unbatched(self):
        return SparseTensorSpec(self._shape[1:], self._dtype)

    def merged(self, other):
        return SparseTensorSpec(self._shape.most_specific_compatible_shape(other.shape), self._dtype)

    def __repr__(self):
        return "SparseTensorSpec(%s, %r)" % (self._shape, self._dtype)


def _known_shape(tensor, known):
    """|tensor| with the sizes of |known| in their places."""
    if known.ndims is None or all(d is None for d in known.as_list()):
        return tensor
    if known.is_fully_defined():
        return convert_to_tensor(known.as_list(), dtype=_dtypes.int64, name="shape")
    sizes = apply("Unpack", "unstack", value=tensor, num=known.ndims, axis=0)
    parts = [size if d is None else convert_to_tensor(d, dtype=_dtypes.int64) for size, d in zip(sizes, known.as_list())]
    return apply("Pack", "stack", values=parts, axis=0)


@export("data.DatasetSpec")
class DatasetSpec(TensorSpec):
    """A dataset among the values of an element, such as a window."""

    def __init__(self, element_spec, dataset_shape=()):
        super().__init__(dataset_shape, _dtypes.variant)
        self.element_spec = element_spec

    flat_type = property(lambda self: _dtypes.variant)

    @property
    def value_class(self):
        from sluice._dataset import Dataset
        return Dataset

    def to_flat(self, value):
        return value._variant_tensor

    to_batched = to_flat

    def from_flat(self, tensor):
        from sluice._dataset import Dataset
        return Dataset(tensor, self.element_spec)

    def batched(self, size):
        return DatasetSpec(self.element_spec, TensorShape([size]).concatenate(self._shape))

    def unbatched(self):
        return DatasetSpec(self.element_spec, self._shape[1:])

    def merged(self, other):
        return self

    def __repr__(self):
        return "DatasetSpec(%r, %s)" % (self.element_spec, self._shape)


def spec_of(value):
    """What is known of |value|: a tensor, a sparse tensor, a dataset."""
    if isinstance(value, TensorSpec):
        return value
    if isinstance(value, (SparseTensor, SparseTensorValue)):
        value = as_sparse(value)
        return SparseTensorSpec(value.shape, value.dtype)
    if hasattr(value, "nested_row_splits"):
        from sluice._ragged_spec import spec_of_ragged
        return spec_of_ragged(value)
    if hasattr(value, "_variant_tensor"):
        return DatasetSpec(value.element_spec)
    if hasattr(value, "_optional_variant"):
        return value.value_spec
    value = convert_to_tensor(value)
    return TensorSpec(value.shape, value.dtype)


def normalized(element):
    """|element| with tensors in the place of Python's values, under the scope that TensorFlow gives them."""
    leaves = []
    with name_scope("normalize_element"):
        for i, leaf in enumerate(flatten(element)):
            if isinstance(leaf, SparseTensorValue):
                leaf = as_sparse(leaf)
            elif hasattr(leaf, "nested_row_splits"):
                from sluice._ragged import as_ragged
                leaf = as_ragged(leaf)
            elif not isinstance(leaf, SparseTensor) and not hasattr(leaf, "_variant_tensor"):
                leaf = convert_to_tensor(leaf, name="component_%d" % i)
            leaves.append(leaf)
    return pack_as(element, leaves)


def spec_from(types, shapes, classes=None):
    """The structure of specs of structures of types, shapes and classes."""
    leaves = flatten(types)
    shapes = [TensorShape(None)] * len(leaves) if shapes is None else flatten_up_to(types, shapes)
    classes = [Tensor] * len(leaves) if classes is None else flatten_up_to(types, classes)
    return pack_as(types, [(SparseTensorSpec if c is SparseTensor else TensorSpec)(s, t)
                           for t, s, c in zip(leaves, shapes, classes)])


def flat_types(spec):
    return [s.flat_type for s in flatten(spec)]


def flat_shapes(spec):
    return [s.flat_shape for s in flatten(spec)]


def from_flat(spec, tensors):
    """The element of which |tensors| are the parts."""
    return pack_as(spec, [s.from_flat(t) for s, t in zip(flatten(spec), tensors)])
