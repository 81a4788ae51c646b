"""Rows of tables: tf.nn.embedding_lookup, and the losses that sample classes."""
import sluice as tf
from sluice._api import export
from sluice._clip import clip_by_norm
from sluice._convert import constant, convert_to_tensor
from sluice._graph import Tensor, colocate_with, device, name_scope
from sluice._oplib import apply
from sluice._partitioned import PartitionedVariable
from sluice._random import get_seed
from sluice._resource_variables import ResourceVariable
from sluice._sparse_tensor import SparseTensor


def _list_of(params):
    if params is None:
        raise ValueError("params must be specified")
    params = list(params) if isinstance(params, (list, tuple, PartitionedVariable)) else [params]
    if not params:
        raise ValueError("Length of params is currently 0. Need at least one param.")
    return params


def _clip(values, ids, max_norm):
    if max_norm is None:
        return values
    ranks = ids.shape.ndims, convert_to_tensor(values).shape.ndims
    if all(ranks):
        return clip_by_norm(values, max_norm, axes=list(range(*ranks)))
    return clip_by_norm(values, max_norm, axes=tf.range(ranks[0] or tf.rank(ids), ranks[1] or tf.rank(values)))


@export("nn.embedding_lookup")
def embedding_lookup(params, ids, partition_strategy="mod", name=None, validate_indices=True, max_norm=None):
    """The rows |ids| of a table; it may be in parts, of which |partition_strategy| tells which has a row."""
    params = _list_of(params)
    with name_scope(name, "embedding_lookup", [p for p in params if isinstance(p, Tensor)] + [ids]) as scope:
        if not any(isinstance(p, ResourceVariable) for p in params):
            params = [convert_to_tensor(p, name="params_%d" % i) for i, p in enumerate(params)]
        ids = convert_to_tensor(ids, name="ids")
        if len(params) == 1:
            with colocate_with(params[0]):
                rows = _clip(tf.gather(params[0], ids, name=scope), ids, max_norm)
            return tf.identity(rows)
        return _clip(_from_parts(params, ids, partition_strategy, scope), ids, max_norm)


def _from_parts(params, ids, strategy, scope):
    count, flat = len(params), tf.reshape(ids, [-1])
    places = tf.range(tf.size(flat))
    if strategy == "mod":
        part, row = flat % count, flat // count
    elif strategy == "div":
        sizes = [p.shape.as_list()[0] for p in params]
        if None in sizes:
            raise NotImplementedError("partition_strategy=\"div\" with parts of unknown size is not there yet")
        total = constant(sum(sizes), dtype=flat.dtype)
        each, extra = total // count, total % count
        part = tf.maximum(flat // (each + 1), (flat - extra) // each)
        row = tf.where(part < extra, flat % (each + 1), (flat - extra) % each)
    else:
        raise ValueError("Unrecognized partition strategy: %s.Must be one of either `mod` or `div`." % strategy)
    part = tf.cast(part, tf.int32)
    rows = apply("DynamicPartition", None, data=row, partitions=part, num_partitions=count)
    places = apply("DynamicPartition", None, data=places, partitions=part, num_partitions=count)
    found = []
    for one, wanted in zip(params, rows):
        with device(None), colocate_with(one):
            found.append(tf.gather(one, wanted))
    made = apply("ParallelDynamicStitch", scope, indices=places, data=found)
    inner = params[0].shape[1:]
    for one in params[1:]:
        inner = inner.merge_with(one.shape[1:])
    if not inner.is_fully_defined():
        raise ValueError("The rows of a table in parts must have a known shape, but it is %s" % inner)
    made = tf.reshape(made, tf.concat([tf.shape(ids), inner.as_list()], 0))
    made.set_shape(ids.shape.concatenate(inner))
    return made


@export("nn.embedding_lookup_sparse")
def embedding_lookup_sparse(params, sp_ids, sp_weights, partition_strategy="mod", name=None, combiner=None, max_norm=None):
    """For each row of |sp_ids|, the rows of the table, combined: their sum, mean, or sum by the root of the weights."""
    combiner = combiner or "mean"
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError("combiner must be one of 'mean', 'sqrtn' or 'sum', got %s" % combiner)
    params = _list_of(params)
    if not isinstance(sp_ids, SparseTensor):
        raise TypeError("sp_ids must be SparseTensor, got %s" % type(sp_ids))
    if sp_weights is not None and not isinstance(sp_weights, SparseTensor):
        raise TypeError("sp_weights must be either None or SparseTensor,got %s" % type(sp_weights))
    with name_scope(name, "embedding_lookup_sparse", [sp_ids.values]) as scope:
        segments = sp_ids.indices[:, 0]
        unique = apply("Unique", None, x=sp_ids.values)
        table = embedding_lookup(params, unique.y, partition_strategy=partition_strategy, max_norm=max_norm)
        segments = tf.cast(segments, tf.int32)
        if sp_weights is None:
            op = {"sum": "SparseSegmentSum", "mean": "SparseSegmentMean", "sqrtn": "SparseSegmentSqrtN"}[combiner]
            return apply(op, scope, data=table, indices=unique.idx, segment_ids=segments)
        return _weighted(table, unique.idx, segments, sp_weights.values, combiner, scope)


def _weighted(table, index, segments, weights, combiner, scope):
    rows = tf.gather(table, index)
    weights = tf.cast(weights, rows.dtype.base_dtype)
    more = tf.ones(tf.expand_dims(tf.rank(rows) - 1, 0), dtype=tf.int32)
    known = weights.shape
    weights = tf.reshape(weights, tf.concat([tf.shape(weights), more], 0))
    if rows.shape.ndims is not None:
        weights.set_shape(known.concatenate([1] * (rows.shape.ndims - 1)))
    rows *= weights

    def total(x, name=None):
        return apply("SegmentSum", name, data=x, segment_ids=segments)
    if combiner == "sum":
        return total(rows, scope)
    rows = total(rows)
    by = total(weights) if combiner == "mean" else tf.sqrt(total(tf.pow(weights, 2)))
    return tf.math.divide_no_nan(rows, by, name=scope)


@export("nn.safe_embedding_lookup_sparse", "contrib.layers.safe_embedding_lookup_sparse")
def safe_embedding_lookup_sparse(embedding_weights, sparse_ids, sparse_weights=None, combiner="mean", default_id=None,
                                 name=None, partition_strategy="div", max_norm=None):
    """As embedding_lookup_sparse, but rows without ids and ids below 0 are allowed: zeros, or the row |default_id|."""
    with name_scope(name, "embedding_lookup", [sparse_ids.values]) as scope:
        shape = sparse_ids.shape
        rank = tf.size(sparse_ids.dense_shape) if shape.ndims is None else shape.ndims
        sparse_ids = tf.sparse_reshape(sparse_ids, [
            tf.reduce_prod(tf.slice(sparse_ids.dense_shape, [0], [rank - 1])), tf.gather(sparse_ids.dense_shape, rank - 1)])
        sparse_ids, sparse_weights = _valid(sparse_ids, sparse_weights, combiner)
        sparse_ids, empty = tf.sparse_fill_empty_rows(sparse_ids, default_id or 0)
        if sparse_weights is not None:
            sparse_weights, _ = tf.sparse_fill_empty_rows(sparse_weights, 1.0)
        result = embedding_lookup_sparse(embedding_weights, sparse_ids, sparse_weights, partition_strategy,
                                         None if default_id is None else scope, combiner, max_norm)
        if default_id is None:
            empty = tf.tile(tf.reshape(empty, [-1, 1]), tf.stack([1, tf.shape(result)[1]]))
            result = tf.where(empty, tf.zeros_like(result), result, name=scope)
        return result


def _valid(ids, weights, combiner):
    """The ids from 0 on with their weights, which are above 0 unless they are added up."""
    if weights is None:
        return tf.sparse_retain(ids, tf.greater_equal(ids.values, 0)), None
    weights = tf.SparseTensor(ids.indices, weights.values, ids.dense_shape)
    valid = tf.logical_and(tf.greater_equal(ids.values, 0), tf.ones_like(weights.values, dtype=tf.bool))
    ids, weights = tf.sparse_retain(ids, valid), tf.sparse_retain(weights, valid)
    if combiner != "sum":
        valid = tf.greater(weights.values, 0)
        ids, weights = tf.sparse_retain(ids, valid), tf.sparse_retain(weights, valid)
    return ids, weights


# --- Samples of classes ---

def _sampler(op, label):
    def call(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
        seed, seed2 = get_seed(seed)
        return apply(op, name, true_classes=true_classes, num_true=num_true, num_sampled=num_sampled, unique=unique,
                     range_max=range_max, seed=seed, seed2=seed2)
    return export("nn." + label, "random." + label)(call)


log_uniform_candidate_sampler = _sampler("LogUniformCandidateSampler", "log_uniform_candidate_sampler")
uniform_candidate_sampler = _sampler("UniformCandidateSampler", "uniform_candidate_sampler")
learned_unigram_candidate_sampler = _sampler("LearnedUnigramCandidateSampler", "learned_unigram_candidate_sampler")


@export("nn.fixed_unigram_candidate_sampler", "random.fixed_unigram_candidate_sampler")
def fixed_unigram_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, vocab_file="", distortion=1.0,
                                    num_reserved_ids=0, num_shards=1, shard=0, unigrams=(), seed=None, name=None):
    seed, seed2 = get_seed(seed)
    return apply("FixedUnigramCandidateSampler", name, true_classes=true_classes, num_true=num_true,
                 num_sampled=num_sampled, unique=unique, range_max=range_max, vocab_file=vocab_file, distortion=distortion,
                 num_reserved_ids=num_reserved_ids, num_shards=num_shards, shard=shard, unigrams=list(unigrams), seed=seed,
                 seed2=seed2)


@export("nn.all_candidate_sampler", "random.all_candidate_sampler")
def all_candidate_sampler(true_classes, num_true, num_sampled, unique, seed=None, name=None):
    seed, seed2 = get_seed(seed)
    return apply("AllCandidateSampler", name, true_classes=true_classes, num_true=num_true, num_sampled=num_sampled,
                 unique=unique, seed=seed, seed2=seed2)


@export("nn.compute_accidental_hits")
def compute_accidental_hits(true_classes, sampled_candidates, num_true, seed=None, name=None):
    """Samples that are true classes."""
    seed, seed2 = get_seed(seed)
    return apply("ComputeAccidentalHits", name, true_classes=true_classes, sampled_candidates=sampled_candidates,
                 num_true=num_true, seed=seed, seed2=seed2)


def _sum_rows(x):
    columns = tf.shape(x)[1]
    ones = tf.ones(tf.stack([columns, 1]), x.dtype.base_dtype)
    return tf.reshape(tf.matmul(x, ones), [-1])


def _sampled_logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, subtract_log_q,
                    remove_accidental_hits, partition_strategy, name, seed):
    """(logits, labels) of the true classes and of the samples"""
    weights = _list_of(weights)
    with name_scope(name, "compute_sampled_logits", [inputs, labels]):
        labels = tf.cast(labels, tf.int64)
        flat = tf.reshape(labels, [-1])
        if sampled_values is None:
            sampled_values = log_uniform_candidate_sampler(labels, num_true, num_sampled, True, num_classes, seed)
        sampled, true_count, sampled_count = (tf.stop_gradient(s) for s in sampled_values)
        sampled = tf.cast(sampled, tf.int64)
        ids = tf.concat([flat, sampled], 0)
        dtype = inputs.dtype.base_dtype
        all_w = tf.cast(embedding_lookup(weights, ids, partition_strategy=partition_strategy), dtype)
        true_w = tf.slice(all_w, [0, 0], tf.stack([tf.shape(flat)[0], -1]))
        sampled_w = tf.slice(all_w, tf.stack([tf.shape(flat)[0], 0]), [-1, -1])
        sampled_logits = tf.matmul(inputs, sampled_w, transpose_b=True)
        all_b = tf.cast(embedding_lookup(biases, ids, partition_strategy=partition_strategy), dtype)
        true_b = tf.slice(all_b, [0], tf.shape(flat))
        sampled_b = tf.slice(all_b, tf.shape(flat), [-1])
        dim = tf.shape(true_w)[1:2]
        shape = tf.concat([[-1, num_true], dim], 0)
        products = tf.multiply(tf.expand_dims(inputs, 1), tf.reshape(true_w, shape))
        products = tf.reshape(products, tf.concat([[-1], dim], 0))
        true_logits = tf.reshape(_sum_rows(products), [-1, num_true])
        true_b = tf.reshape(true_b, [-1, num_true])
        true_logits += true_b
        sampled_logits += sampled_b
        if remove_accidental_hits:
            sampled_logits += _hits(labels, sampled, num_true, num_sampled, dtype)
        if subtract_log_q:
            true_logits -= tf.log(true_count)
            sampled_logits -= tf.log(sampled_count)
        logits = tf.concat([true_logits, sampled_logits], 1)
        return logits, tf.concat([tf.ones_like(true_logits) / num_true, tf.zeros_like(sampled_logits)], 1)


def _hits(labels, sampled, num_true, num_sampled, dtype):
    """What makes the logits of samples that are true classes very small."""
    hits = compute_accidental_hits(labels, sampled, num_true=num_true)
    rows = tf.reshape(hits.indices, [-1, 1])
    columns = tf.reshape(tf.cast(hits.ids, tf.int32), [-1, 1])
    places = tf.concat([rows, columns], 1, "sparse_indices")
    shape = tf.concat([tf.shape(labels)[:1], tf.expand_dims(num_sampled, 0)], 0)
    return tf.sparse_to_dense(places, shape, tf.cast(hits.weights, dtype), default_value=0.0, validate_indices=False)


@export("nn.nce_loss")
def nce_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None,
             remove_accidental_hits=False, partition_strategy="mod", name="nce_loss"):
    """The noise-contrastive estimation loss of each example."""
    logits, labels = _sampled_logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
                                     True, remove_accidental_hits, partition_strategy, name, None)
    losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name="sampled_losses")
    return _sum_rows(losses)


@export("nn.sampled_softmax_loss")
def sampled_softmax_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None,
                         remove_accidental_hits=True, partition_strategy="mod", name="sampled_softmax_loss", seed=None):
    """The softmax loss of each example, over its classes and a sample of the others."""
    logits, labels = _sampled_logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
                                     True, remove_accidental_hits, partition_strategy, name, seed)
    labels = tf.stop_gradient(labels, name="labels_stop_gradient")
    return tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
