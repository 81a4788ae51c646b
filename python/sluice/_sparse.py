"""Functions of sparse tensors: tf.sparse and the older tf.sparse_... names."""
import numpy as np

import sluice as tf
from sluice._api import export
from sluice._convert import constant, convert_to_tensor
from sluice._graph import name_scope
from sluice._oplib import apply
from sluice._sparse_tensor import SparseTensor, SparseTensorValue, as_sparse, parts, shape_of_value
from sluice._static import constant_value


def _both(name):
    """The name in tf.sparse and the older one."""
    return export("sparse." + name, "sparse_" + name)


def _sparse(result):
    return SparseTensor(result.output_indices, result.output_values, result.output_shape)


@export("sparse_to_dense")
def sparse_to_dense(sparse_indices, output_shape, sparse_values, default_value=0, validate_indices=True, name=None):
    return apply("SparseToDense", name, sparse_indices=sparse_indices, output_shape=output_shape,
                 sparse_values=sparse_values, default_value=default_value, validate_indices=validate_indices)


@export("sparse.to_dense", "sparse_tensor_to_dense")
def sparse_tensor_to_dense(sp_input, default_value=None, validate_indices=True, name=None):
    sp_input = as_sparse(sp_input)
    if default_value is None:
        default_value = tf.zeros([], dtype=sp_input.dtype.base_dtype)
    return sparse_to_dense(sp_input.indices, sp_input.dense_shape, sp_input.values, default_value, validate_indices, name)


@export("sparse.from_dense", "contrib.layers.dense_to_sparse")
def from_dense(tensor, name=None):
    with name_scope(name, "dense_to_sparse"):
        tensor = convert_to_tensor(tensor)
        indices = tf.where(tf.not_equal(tensor, tf.zeros_like(tensor)))
        values = apply("GatherNd", None, params=tensor, indices=indices)
        return SparseTensor(indices, values, tf.shape(tensor, out_type=tf.int64))


@export("sparse.eye")
def sparse_eye(num_rows, num_columns=None, dtype="float32", name=None):
    with name_scope(name, "eye", [num_rows, num_columns]):
        rows = convert_to_tensor(num_rows, dtype=tf.int64, name="num_rows")
        columns = rows if num_columns is None else convert_to_tensor(num_columns, dtype=tf.int64, name="num_columns")
        size = tf.minimum(rows, columns)
        places = tf.range(size, dtype=tf.int64)
        return SparseTensor(tf.stack([places, places], axis=1), tf.ones(tf.reshape(size, [1]), dtype=dtype), [rows, columns])


@_both("add")
def sparse_add(a, b, threshold=None, thresh=None):
    """The sum of sparse tensors, or a dense one if one of them is dense."""
    threshold = thresh if threshold is None else threshold
    threshold = 0 if threshold is None else threshold
    kinds = (SparseTensor, SparseTensorValue)
    if isinstance(a, kinds) and isinstance(b, kinds):
        a, b = as_sparse(a), as_sparse(b)
        real = {"complex64": tf.float32, "complex128": tf.float64}.get(a.dtype.base_dtype.name, a.dtype.base_dtype)
        threshold = convert_to_tensor(threshold, dtype=real, name="threshold")
        made = apply("SparseAdd", None, a_indices=a.indices, a_values=a.values, a_shape=a.dense_shape,
                     b_indices=b.indices, b_values=b.values, b_shape=b.dense_shape, thresh=threshold)
        shape = a.shape.merge_with(b.shape)
        return SparseTensor(made.sum_indices, made.sum_values,
                            shape.as_list() if shape.is_fully_defined() else made.sum_shape)
    if isinstance(b, kinds):
        a, b = b, a
    if not isinstance(a, kinds):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    return apply("SparseTensorDenseAdd", None, a_indices=a.indices, a_values=a.values, a_shape=a.dense_shape, b=b)


@_both("concat")
def sparse_concat(axis, sp_inputs, name=None, expand_nonconcat_dim=False, concat_dim=None, expand_nonconcat_dims=None):
    axis = concat_dim if axis is None else axis
    inputs = [as_sparse(s) for s in sp_inputs]
    if len(inputs) == 1:
        return inputs[0]
    shapes = [s.dense_shape for s in inputs]
    if expand_nonconcat_dim or expand_nonconcat_dims:
        most = tf.reduce_max(tf.concat([tf.reshape(s, [1, -1]) for s in shapes], 0), 0)
        shapes = [tf.concat([most[:axis], s[-1:] if axis == -1 else s[axis:axis + 1],
                             [] if axis == -1 else most[axis + 1:]], 0) for s in shapes]
    made = apply("SparseConcat", name, indices=[s.indices for s in inputs], values=[s.values for s in inputs], shapes=shapes,
                 concat_dim=axis)
    if all(s.shape.is_fully_defined() for s in inputs) and not (expand_nonconcat_dim or expand_nonconcat_dims):
        sizes = inputs[0].shape.as_list()
        sizes[axis] = sum(s.shape.as_list()[axis] for s in inputs)
        return SparseTensor(made.output_indices, made.output_values, convert_to_tensor(sizes, dtype=tf.int64))
    return _sparse(made)


@_both("reorder")
def sparse_reorder(sp_input, name=None):
    """The elements in the order of their indices."""
    sp_input = as_sparse(sp_input)
    made = apply("SparseReorder", name, input_indices=sp_input.indices, input_values=sp_input.values,
                 input_shape=sp_input.dense_shape)
    if sp_input.shape.is_fully_defined():
        return SparseTensor(made.output_indices, made.output_values, sp_input.shape.as_list())
    result = SparseTensor(made.output_indices, made.output_values, tf.identity(sp_input.dense_shape))
    result.set_shape(sp_input.shape)
    return result


@_both("reshape")
def sparse_reshape(sp_input, shape, name=None):
    sp_input, shape = as_sparse(sp_input), tf.cast(shape, dtype=tf.int64)
    with name_scope(name, "SparseReshape", [sp_input]) as scope:
        made = apply("SparseReshape", scope, input_indices=sp_input.indices, input_shape=sp_input.dense_shape,
                     new_shape=shape)
        dense_shape, known = made.output_shape, shape_of_value(shape)
        if known.ndims is not None and sp_input.shape.is_fully_defined():
            sizes, total = known.as_list(), sp_input.shape.num_elements()
            if sizes.count(None) == 1 and 0 not in sizes:
                rest = int(np.prod([d for d in sizes if d is not None]))
                sizes[sizes.index(None)] = total // rest
            if None not in sizes:
                if int(np.prod(sizes)) != total:
                    raise ValueError("Cannot reshape a tensor with %d elements to shape %s (%d elements)." %
                                     (total, known.as_list(), int(np.prod(sizes))))
                dense_shape = constant(sizes, dtype=tf.int64)
        return SparseTensor(made.output_indices, tf.identity(sp_input.values), dense_shape)


@_both("split")
def sparse_split(keyword_required=None, sp_input=None, num_split=None, axis=None, name=None, split_dim=None):
    if keyword_required is not None or sp_input is None or num_split is None:
        raise ValueError("Keyword arguments are required for this function: sp_input, num_split, axis")
    sp_input = as_sparse(sp_input)
    made = apply("SparseSplit", name, split_dim=split_dim if axis is None else axis, indices=sp_input.indices,
                 values=sp_input.values, shape=sp_input.dense_shape, num_split=num_split)
    return [SparseTensor(*part) for part in zip(made.output_indices, made.output_values, made.output_shape)]


@_both("slice")
def sparse_slice(sp_input, start, size, name=None):
    sp_input = as_sparse(sp_input)
    start, size = convert_to_tensor(start, dtype=tf.int64), convert_to_tensor(size, dtype=tf.int64)
    with name_scope(name, "SparseSlice", [sp_input]) as scope:
        return _sparse(apply("SparseSlice", scope, indices=sp_input.indices, values=sp_input.values,
                             shape=sp_input.dense_shape, start=start, size=size))


def _reduction(op):
    def call(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
        axis = reduction_axes if axis is None else axis
        keep = bool(keepdims if keepdims is not None else keep_dims)
        if axis is None:
            rank = sp_input.dense_shape.shape.as_list()[0]
            axis = constant(np.arange(rank), dtype=tf.int32) if rank is not None else \
                tf.range(0, tf.size(sp_input.dense_shape))
        made = apply(op, None, input_indices=sp_input.indices, input_values=sp_input.values,
                     input_shape=sp_input.dense_shape, reduction_axes=axis, keep_dims=keep)
        return _sparse(made) if op.endswith("Sparse") else made
    return call


for _name in ("reduce_sum", "reduce_max", "reduce_sum_sparse", "reduce_max_sparse"):
    _both(_name)(_reduction("Sparse" + "".join(word.capitalize() for word in _name.split("_"))))


@_both("merge")
def sparse_merge(sp_ids, sp_values, vocab_size, name=None, already_sorted=False):
    """|sp_values| at the columns |sp_ids|."""
    if isinstance(sp_ids, (SparseTensor, SparseTensorValue)):
        sp_ids, vocab_size = [sp_ids], [vocab_size]
    if len(sp_ids) != len(vocab_size):
        raise ValueError("sp_ids and vocab_size have to have equal lengths.")
    with name_scope(name, "SparseMerge", [*parts(sp_ids[0]), sp_values.values]):
        sp_ids, sp_values = [as_sparse(s) for s in sp_ids], as_sparse(sp_values)
        ids = [tf.expand_dims(tf.cast(s.values, tf.int64), axis=1) for s in sp_ids]
        vocab_size = [tf.cast(x, tf.int64) for x in vocab_size]
        kept = sp_ids[0].indices[:, :-1]
        indices = tf.concat([kept] + ids, 1)
        shape = tf.concat([sp_ids[0].dense_shape[:-1], vocab_size], 0)
        result = SparseTensor(indices, sp_values.values, shape)
        if already_sorted:
            return result
        ordered = sparse_reorder(result)
        return SparseTensor(ordered.indices, ordered.values, shape)


@_both("to_indicator")
def sparse_to_indicator(sp_input, vocab_size, name=None):
    """A dense tensor that is true at the columns that |sp_input| holds."""
    sp_input = as_sparse(sp_input)
    with name_scope(name, "SparseToIndicator", [sp_input]) as scope:
        count = tf.shape(sp_input.indices)[0]
        values = tf.fill(tf.expand_dims(count, 0), True)
        merged = sparse_merge(sp_input, SparseTensor(sp_input.indices, values, sp_input.dense_shape), vocab_size, scope)
        return sparse_tensor_to_dense(merged, default_value=False, validate_indices=False, name=scope)


@_both("retain")
def sparse_retain(sp_input, to_retain):
    """The elements for which |to_retain| is true."""
    sp_input, to_retain = as_sparse(sp_input), convert_to_tensor(to_retain)
    kept = tf.reshape(tf.where(to_retain), [-1])
    indices, values = tf.gather(sp_input.indices, kept), tf.gather(sp_input.values, kept)
    return SparseTensor(indices, values, tf.identity(sp_input.dense_shape))


@_both("reset_shape")
def sparse_reset_shape(sp_input, new_shape=None):
    """The same elements in a larger shape; without one, in the smallest that holds them."""
    sp_input = as_sparse(sp_input)
    indices, values, shape = (tf.identity(part) for part in parts(sp_input))
    if new_shape is None:
        low = tf.reduce_max(indices, axis=0)
        made = tf.maximum(constant(0, dtype=tf.int64), tf.add(low, tf.ones_like(shape)))
    else:
        made = tf.cast(convert_to_tensor(new_shape), tf.int64)
        known = constant_value(made)
        if known is None or not sp_input.shape.is_fully_defined():
            raise NotImplementedError("sparse_reset_shape to a shape that is not known yet is not there")
        if not np.all(np.array(sp_input.shape.as_list()) <= known):
            raise ValueError("Requested new_shape should have dimension sizes >= sp_input.shape.  Found new_shape (%s), "
                             "sp_input.shape (%s)." % (known, sp_input.shape.as_list()))
        made = known
    return SparseTensor(indices, values, made)


@_both("fill_empty_rows")
def sparse_fill_empty_rows(sp_input, default_value, name=None):
    """(|sp_input| with |default_value| in each row that has none, which rows those are)"""
    sp_input = as_sparse(sp_input)
    with name_scope(name, "SparseFillEmptyRows", [sp_input]):
        default = convert_to_tensor(default_value, dtype=sp_input.values.dtype.base_dtype)
        made = apply("SparseFillEmptyRows", None, indices=sp_input.indices, values=sp_input.values,
                     dense_shape=sp_input.dense_shape, default_value=default)
        return SparseTensor(made.output_indices, made.output_values, sp_input.dense_shape), made.empty_row_indicator


@export("sparse.sparse_dense_matmul", "sparse.matmul", "sparse_tensor_dense_matmul")
def sparse_tensor_dense_matmul(sp_a, b, adjoint_a=False, adjoint_b=False, name=None):
    sp_a = as_sparse(sp_a)
    with name_scope(name, "SparseTensorDenseMatMul", [sp_a.indices, sp_a.values, b]):
        b = convert_to_tensor(b, name="b")
        return apply("SparseTensorDenseMatMul", None, a_indices=sp_a.indices, a_values=sp_a.values,
                     a_shape=sp_a.dense_shape, b=b, adjoint_a=adjoint_a, adjoint_b=adjoint_b)


@_both("softmax")
def sparse_softmax(sp_input, name=None):
    with name_scope(name, "SparseSoftmax", [sp_input.indices, sp_input.values]):
        values = apply("SparseSoftmax", None, sp_indices=sp_input.indices, sp_values=sp_input.values,
                       sp_shape=sp_input.dense_shape)
        return SparseTensor(sp_input.indices, values, sp_input.dense_shape)


def _larger(op):
    def call(sp_a, sp_b, name=None):
        with name_scope(name, op, [sp_a.indices, sp_a.values, sp_b.indices, sp_b.values]) as scope:
            made = apply(op, scope, a_indices=sp_a.indices, a_values=sp_a.values, a_shape=sp_a.dense_shape,
                         b_indices=sp_b.indices, b_values=sp_b.values, b_shape=sp_b.dense_shape)
        return SparseTensor(made.output_indices, made.output_values, sp_a.dense_shape)
    return call


_both("maximum")(_larger("SparseSparseMaximum"))
_both("minimum")(_larger("SparseSparseMinimum"))


@_both("transpose")
def sparse_transpose(sp_input, perm=None, name=None):
    with name_scope(name, "SparseTranspose", [sp_input.indices]):
        if perm is None:
            rank = sp_input.shape.ndims
            if rank is None:
                raise NotImplementedError("sparse_transpose of a tensor of unknown rank needs perm")
            perm = (rank - 1) - np.arange(0, rank, 1)
        indices = tf.transpose(tf.gather(tf.transpose(sp_input.indices), perm))
        convert_to_tensor(perm)
        if sp_input.shape.is_fully_defined():
            sizes = sp_input.shape.as_list()
            shape = [sizes[p] for p in perm]
        else:
            shape = tf.gather(sp_input.dense_shape, perm)
        return sparse_reorder(SparseTensor(indices, sp_input.values, shape))


# --- As strings ---

def _serialize(op):
    def call(sp_input, name=None, out_type="string"):
        sp_input = as_sparse(sp_input)
        return apply(op, name, sparse_indices=sp_input.indices, sparse_values=sp_input.values,
                     sparse_shape=sp_input.dense_shape, out_type=out_type)
    return call


export("serialize_sparse", "io.serialize_sparse")(_serialize("SerializeSparse"))
export("serialize_many_sparse", "io.serialize_many_sparse")(_serialize("SerializeManySparse"))


@export("deserialize_many_sparse", "io.deserialize_many_sparse")
def deserialize_many_sparse(serialized_sparse, dtype, rank=None, name=None):
    made = apply("DeserializeManySparse", name, serialized_sparse=serialized_sparse, dtype=dtype)
    made.sparse_indices.set_shape([None, rank])
    made.sparse_shape.set_shape([rank])
    return SparseTensor(made.sparse_indices, made.sparse_values, made.sparse_shape)


@export("edit_distance")
def edit_distance(hypothesis, truth, normalize=True, name="edit_distance"):
    """How many changes make one sequence the other."""
    hypothesis, truth = as_sparse(hypothesis), as_sparse(truth)
    return apply("EditDistance", name, hypothesis_indices=hypothesis.indices, hypothesis_values=hypothesis.values,
                 hypothesis_shape=hypothesis.dense_shape, truth_indices=truth.indices, truth_values=truth.values,
                 truth_shape=truth.dense_shape, normalize=normalize)


# --- CTC ---

@export("nn.ctc_loss")
def ctc_loss(labels, inputs=None, sequence_length=None, preprocess_collapse_repeated=False, ctc_merge_repeated=True,
             ignore_longer_outputs_than_inputs=False, time_major=True, logits=None):
    if not isinstance(labels, SparseTensor):
        raise TypeError("Expected argument `labels` to be a SparseTensor. Received labels=%s of type: %s" %
                        (labels, type(labels).__name__))
    inputs = convert_to_tensor(logits if inputs is None else inputs, name="logits")
    if not time_major:
        inputs = tf.transpose(inputs, [1, 0, 2])
    dtype = inputs.dtype.base_dtype
    if dtype in (tf.float16, tf.bfloat16):
        inputs = tf.cast(inputs, tf.float32)
    loss = apply("CTCLoss", None, inputs=inputs, labels_indices=labels.indices, labels_values=labels.values,
                 sequence_length=sequence_length, preprocess_collapse_repeated=preprocess_collapse_repeated,
                 ctc_merge_repeated=ctc_merge_repeated,
                 ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs).loss
    return tf.cast(loss, dtype)


@export("nn.ctc_greedy_decoder")
def ctc_greedy_decoder(inputs, sequence_length, merge_repeated=True):
    made = apply("CTCGreedyDecoder", None, inputs=inputs, sequence_length=sequence_length, merge_repeated=merge_repeated)
    return [SparseTensor(made.decoded_indices, made.decoded_values, made.decoded_shape)], made.log_probability


@export("nn.ctc_beam_search_decoder")
def ctc_beam_search_decoder(inputs, sequence_length, beam_width=100, top_paths=1, merge_repeated=True):
    made = apply("CTCBeamSearchDecoder", None, inputs=inputs, sequence_length=sequence_length, beam_width=beam_width,
                 top_paths=top_paths, merge_repeated=merge_repeated)
    return ([SparseTensor(*row) for row in zip(made.decoded_indices, made.decoded_values, made.decoded_shape)],
            made.log_probability)


@export("nn.ctc_beam_search_decoder_v2")
def ctc_beam_search_decoder_v2(inputs, sequence_length, beam_width=100, top_paths=1):
    return ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths, False)
