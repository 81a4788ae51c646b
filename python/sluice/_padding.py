"""tf.data.Dataset.padded_batch: batches of elements of different sizes."""
from sluice import _dtypes
from sluice._sparse_tensor import shape_of_value
from sluice._convert import convert_to_tensor
from sluice._graph import Tensor
from sluice._shape import TensorShape
from sluice._structure import TensorSpec, flat_shapes, flatten, flatten_up_to, map_structure, pack_as


def _shape_tensor(wanted, known):
    """|wanted| as a vector in which -1 is the largest size of a batch."""
    if isinstance(wanted, Tensor):
        if wanted.dtype.base_dtype != _dtypes.int64:
            raise TypeError("Padded shape %s must be a 1-D tensor of tf.int64 values, but its element type is %s." %
                            (wanted, wanted.dtype.name))
        return wanted
    sizes = TensorShape(wanted).as_list()
    if known.ndims is not None:
        if len(sizes) != known.ndims or any(d is not None and k is not None and k > d
                                            for d, k in zip(sizes, known.as_list())):
            raise ValueError("The padded shape %s is not compatible with the corresponding input component shape %s." %
                             (TensorShape(wanted), known))
    return convert_to_tensor([-1 if d is None else d for d in sizes], dtype=_dtypes.int64)


def _value_tensor(value, dtype):
    if value is None:
        if dtype == _dtypes.string:
            value = ""
        elif dtype in (_dtypes.variant, _dtypes.resource):
            raise TypeError("Unable to create padding for field of type '%s'" % dtype.name)
        else:
            value = dtype.as_numpy_dtype()
    return convert_to_tensor(value, dtype=dtype, name="padding_value")


def padded_batch(dataset, batch_size, padded_shapes, padding_values, drop_remainder):
    from sluice._dataset import Dataset, boolean, int64
    from sluice._oplib import apply
    spec = dataset.element_spec
    leaves = flatten(spec)
    if any(type(s) is not TensorSpec for s in leaves):
        raise TypeError("Batching of padded sparse tensors is not currently supported")
    batch_size = int64(batch_size, "batch_size")
    if padded_shapes is None:
        padded_shapes = dataset.output_shapes
        if any(s.ndims is None for s in flatten(padded_shapes)):
            raise ValueError("You must provide `padded_shapes` argument because component %s has unknown rank." % spec)
    wanted = flatten_up_to(spec, padded_shapes)
    shapes = [_shape_tensor(w, s.shape) for w, s in zip(wanted, leaves)]
    if padding_values is None or isinstance(padding_values, (int, float, str, bytes)):
        padding_values = [padding_values] * len(leaves)
    else:
        padding_values = flatten_up_to(spec, padding_values)
    values = [_value_tensor(v, s.dtype.base_dtype) for v, s in zip(padding_values, leaves)]
    drop = boolean(drop_remainder, "drop_remainder")
    whole = pack_as(spec, [TensorSpec(shape_of_value(t), s.dtype) for t, s in zip(shapes, leaves)])
    made = Dataset(dataset._variant_tensor, whole)._batched(batch_size, drop)
    return Dataset(apply("PaddedBatchDatasetV2", None, input_dataset=dataset._variant_tensor, batch_size=batch_size,
                         padded_shapes=shapes, padding_values=values, drop_remainder=drop, output_shapes=flat_shapes(made)),
                   map_structure(lambda s: s, made))
