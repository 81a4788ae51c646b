"""Layers of feature columns: tf.feature_column.input_layer and linear_model."""
import sluice as tf
from sluice._api import export
from sluice._feature_column import CategoricalColumn, DenseColumn, FeatureColumn, Features
from sluice._graph import GraphKeys


def _columns(given, kinds, text):
    """The columns, sorted by name."""
    found = [given] if isinstance(given, FeatureColumn) else list(given)
    if not found:
        raise ValueError("feature_columns must not be empty.")
    names = {}
    for column in found:
        if not isinstance(column, kinds):
            raise ValueError("Items of feature_columns must be %s. Given: %s" % (text, column))
        if column.name in names:
            raise ValueError("Duplicate feature column name found for columns: %s and %s. This usually means that these "
                             "columns refer to same base feature." % (column, names[column.name]))
        names[column.name] = column
    return [names[name] for name in sorted(names)]


def _collections(given):
    given = list(given or ())
    return given + [key for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES) if key not in given]


def _flat(column, features, collections, trainable):
    """The dense tensor of |column| as a matrix."""
    tensor = column.dense(features, collections, trainable)
    return tf.reshape(tensor, shape=(tf.shape(tensor)[0], column.variable_shape.num_elements()))


def _variables_here():
    return tf.get_collection(GraphKeys.GLOBAL_VARIABLES, scope=tf.get_variable_scope().name + "/")


@export("feature_column.input_layer")
def input_layer(features, feature_columns, weight_collections=None, trainable=True, cols_to_vars=None,
                cols_to_output_tensors=None):
    """A matrix of all columns side by side."""
    columns = _columns(feature_columns, DenseColumn, "a _DenseColumn. You can wrap a categorical column with an "
                       "embedding_column or indicator_column")
    collections, made = _collections(weight_collections), []
    with tf.variable_scope(None, default_name="input_layer", values=_tensors(features)):
        source = Features(features)
        for column in columns:
            with tf.variable_scope(None, default_name=column.scope_name):
                made.append(_flat(column, source, collections, trainable))
                if cols_to_vars is not None:
                    cols_to_vars[column] = _variables_here()
                if cols_to_output_tensors is not None:
                    cols_to_output_tensors[column] = made[-1]
        return tf.concat(made, 1)


def _tensors(features):
    return [v for v in features.values() if isinstance(v, tf.Tensor)]


def _rows(sparse):
    """|sparse| as a matrix with a row for each example."""
    return tf.sparse_reshape(sparse, [tf.cast(sparse.dense_shape, tf.int32)[0], -1])


def _weighted(column, features, units, combiner, collections, trainable):
    categorical = isinstance(column, CategoricalColumn)
    rows = column.num_buckets if categorical else column.variable_shape.num_elements()
    weights = tf.get_variable("weights", [rows, units], tf.float32, tf.zeros_initializer(), trainable=trainable,
                              collections=collections)
    if not categorical:
        return tf.matmul(_flat(column, features, collections, trainable), weights, name="weighted_sum")
    ids, values = column.sparse(features)
    ids = _rows(ids)
    if values is not None:
        values = _rows(values)
    return tf.nn.safe_embedding_lookup_sparse(weights, ids, values, combiner, name="weighted_sum")


@export("feature_column.linear_model")
def linear_model(features, feature_columns, units=1, sparse_combiner="sum", weight_collections=None, trainable=True,
                 cols_to_vars=None):
    """The weighted sum of all columns, and a bias."""
    columns = _columns(feature_columns, (DenseColumn, CategoricalColumn), "either a _DenseColumn or _CategoricalColumn")
    collections, sums = _collections(weight_collections), []
    with tf.variable_scope(None, default_name="linear_model", values=_tensors(features)):
        source = Features(features)
        for column in columns:
            with tf.variable_scope(None, default_name=column.scope_name):
                sums.append(_weighted(column, source, units, sparse_combiner, collections, trainable))
                if cols_to_vars is not None:
                    cols_to_vars[column] = _variables_here()
        total = tf.add_n(sums, name="weighted_sum_no_bias")
        bias = tf.get_variable("bias_weights", [units], tf.float32, tf.zeros_initializer(), trainable=trainable,
                               collections=collections)
        if cols_to_vars is not None:
            cols_to_vars["bias"] = [bias]
        return tf.nn.bias_add(total, bias, name="weighted_sum")
