"""Small parts of tf.contrib that programs use: framework, data, metrics, slim, training, learn."""
import collections

import numpy as np
import sluice as tf
from sluice._api import export, export_value
from sluice._graph import GraphKeys, name_scope
from sluice._layers_core import smart_cond
from sluice._moving_average import assign_moving_average as _moved
from sluice._variable_scope import get_variable, variable_scope

export("python.framework.smart_cond.smart_cond", "contrib.framework.smart_cond")(smart_cond)


@export("contrib.framework.smart_constant_value", "python.framework.smart_cond.smart_constant_value")
def smart_constant_value(pred):
    """True or False if it is known when the graph is built, else None."""
    if isinstance(pred, (bool, int)):
        return bool(pred)
    found = tf.contrib.util.constant_value(pred)
    return None if found is None else bool(found)


@export("python.training.moving_averages.assign_moving_average")
def assign_moving_average(variable, value, decay, zero_debias=True, name=None):
    """variable = decay * variable + (1 - decay) * value; with |zero_debias| corrected for a start at 0."""
    if not zero_debias:
        return _moved(variable, value, decay)
    with variable_scope(variable.op.name), name_scope(name, "AssignMovingAvg", [variable, value, decay]):
        biased = get_variable("biased", variable.shape, variable.dtype.base_dtype, tf.zeros_initializer(), trainable=False)
        step = get_variable("local_step", [], variable.dtype.base_dtype, tf.zeros_initializer(), trainable=False)
        rate = tf.cast(1.0 - decay, variable.dtype.base_dtype)
        new_biased = tf.assign_sub(biased, (biased - value) * rate)
        new_step = tf.assign_add(step, 1.0)
        return tf.assign(variable, new_biased / (1.0 - tf.pow(1.0 - rate, new_step)))


@export("contrib.framework.assign_from_values")
def assign_from_values(var_names_to_values):
    """(operation, feeds): gives variables these values."""
    feeds, ops = {}, []
    known = {v.op.name: v for v in tf.global_variables()}
    for name, value in var_names_to_values.items():
        if name not in known:
            raise ValueError("Variable %s was not found in the graph" % name)
        place = tf.placeholder(known[name].dtype.base_dtype, np.shape(value))
        ops.append(tf.assign(known[name], place))
        feeds[place] = np.asarray(value)
    return tf.group(*ops), feeds


@export("contrib.framework.assign_from_checkpoint")
def assign_from_checkpoint(model_path, var_list, ignore_missing_vars=False):
    """(operation, feeds): gives variables their values in a checkpoint."""
    reader = tf.train.load_checkpoint(model_path)
    pairs = var_list.items() if isinstance(var_list, dict) else [(v.op.name, v) for v in var_list]
    values = {}
    for name, variable in pairs:
        if reader.has_tensor(name):
            values[variable.op.name] = reader.get_tensor(name)
        elif not ignore_missing_vars:
            raise ValueError("Checkpoint is missing variable [%s]" % name)
    return assign_from_values(values)


@export("contrib.framework.add_model_variable")
def add_model_variable(var):
    if var not in tf.get_collection(GraphKeys.MODEL_VARIABLES):
        tf.add_to_collection(GraphKeys.MODEL_VARIABLES, var)


@export("contrib.framework.local_variable")
def local_variable(initial_value, validate_shape=True, name="local_variable", use_resource=None):
    return tf.Variable(initial_value, trainable=False, collections=[GraphKeys.LOCAL_VARIABLES],
                       validate_shape=validate_shape, name=name, use_resource=use_resource)


@export("contrib.framework.filter_variables")
def filter_variables(var_list, include_patterns=None, exclude_patterns=None, reg_search=True):
    """The variables whose names match."""
    import re
    find = re.search if reg_search else re.match
    if include_patterns:
        var_list = [v for v in var_list if any(find(p, v.op.name) for p in include_patterns)]
    return [v for v in var_list if not any(find(p, v.op.name) for p in exclude_patterns or [])]


# --- data ---

@export("contrib.data.batch_and_drop_remainder")
def batch_and_drop_remainder(batch_size):
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


@export("contrib.data.padded_batch_and_drop_remainder")
def padded_batch_and_drop_remainder(batch_size, padded_shapes, padding_values=None):
    return lambda dataset: dataset.padded_batch(batch_size, padded_shapes, padding_values, drop_remainder=True)


@export("contrib.data.assert_element_shape")
def assert_element_shape(expected_shapes):
    def checked(*element):
        for tensor, shape in zip(element, expected_shapes if isinstance(expected_shapes, tuple) else [expected_shapes]):
            tensor.set_shape(shape)
        return element if len(element) > 1 else element[0]
    return lambda dataset: dataset.map(checked)


# --- metrics, layers, slim ---

@export("contrib.metrics.accuracy")
def accuracy(predictions, labels, weights=None, name=None):
    """How many predictions equal their labels, as a tensor of this step."""
    with name_scope(name, "accuracy", [predictions, labels]):
        right = tf.cast(tf.equal(predictions, labels), tf.float32)
        if weights is None:
            return tf.reduce_mean(right)
        weights = tf.broadcast_to(tf.cast(weights, tf.float32), tf.shape(right))
        return tf.reduce_sum(right * weights) / tf.reduce_sum(weights)


for _where in "contrib.metrics", "contrib.slim.metrics":
    @export(_where + ".aggregate_metric_map")
    def aggregate_metric_map(names_to_tuples):
        """({name: value}, {name: update}) of {name: (value, update)}."""
        return ({name: pair[0] for name, pair in names_to_tuples.items()},
                {name: pair[1] for name, pair in names_to_tuples.items()})

    @export(_where + ".aggregate_metrics")
    def aggregate_metrics(*value_update_tuples):
        return tuple(list(column) for column in zip(*value_update_tuples))


@export("contrib.layers.summarize_tensors")
def summarize_tensors(tensors, summarizer=None):
    return [(summarizer or summarize_tensor)(tensor) for tensor in tensors]


@export("contrib.layers.summarize_tensor", "contrib.layers.summarize_activation")
def summarize_tensor(tensor, tag=None):
    """A summary: of a scalar its value, else a histogram."""
    name = tag or tensor.op.name
    return tf.summary.scalar(name, tensor) if tensor.shape.ndims == 0 else tf.summary.histogram(name, tensor)


@export("contrib.layers.summarize_collection")
def summarize_collection(collection, name_filter=None, summarizer=summarize_tensor):
    import re
    return [summarizer(t) for t in tf.get_collection(collection) if not name_filter or re.match(name_filter, t.op.name)]


@export("contrib.layers.summarize_activations")
def summarize_activations(name_filter=None, summarizer=summarize_tensor):
    return summarize_collection(GraphKeys.ACTIVATIONS, name_filter, summarizer)


def _analyzed(print_info, variables, line):
    total = bytes_ = 0
    for variable in variables:
        count = variable.shape.num_elements() or 0
        total, bytes_ = total + count, bytes_ + count * variable.dtype.base_dtype.size
        if print_info:
            print(line(variable, count, count * variable.dtype.base_dtype.size))
    if print_info:
        print("Total size of variables: %d\nTotal bytes of variables: %d" % (total, bytes_))
    return total, bytes_


@export("contrib.slim.model_analyzer.analyze_vars")
def analyze_vars(variables, print_info=False):
    """(number of values, bytes) of variables; prints them."""
    if print_info:
        print("---------\nVariables: name (type shape) [size]\n---------")
    return _analyzed(print_info, variables, lambda v, count, size: "%s (%s %s) [%d, bytes: %d]" % (
        v.name, v.dtype.name, "x".join(map(str, v.shape.as_list())), count, size))


@export("contrib.slim.model_analyzer.analyze_ops")
def analyze_ops(graph, print_info=False):
    """The number of values that the outputs of all operations hold, as far as it is known."""
    total = 0
    for op in graph.get_operations():
        for tensor in op.outputs:
            count = tensor.shape.num_elements() if tensor.shape.is_fully_defined() else 0
            total += count or 0
            if print_info:
                print("%s\t->\t%s (%s) [%s]" % (op.name, tensor.name, tensor.dtype.name, count))
    return total


# --- the rest ---

@export("python.framework.tensor_shape.scalar")
def scalar_shape():
    return tf.TensorShape([])


export_value(lambda length: tf.TensorShape([length]), "python.framework.tensor_shape.vector")
export_value(lambda rows, cols: tf.TensorShape([rows, cols]), "python.framework.tensor_shape.matrix")
export_value(lambda rank=None: tf.TensorShape(None if rank is None else [None] * rank),
             "python.framework.tensor_shape.unknown_shape")


@export("contrib.eager.num_gpus")
def num_gpus():
    return 0


@export("contrib.learn.ModeKeys")
class ModeKeys:
    TRAIN, EVAL, INFER = "train", "eval", "infer"


Dataset = collections.namedtuple("Dataset", ["data", "target"])
Datasets = collections.namedtuple("Datasets", ["train", "validation", "test"])
for _where in "contrib.learn.datasets.base", "contrib.learn.python.learn.datasets.base":
    export_value(Dataset, _where + ".Dataset")
    export_value(Datasets, _where + ".Datasets")

    @export(_where + ".load_csv_without_header")
    def load_csv_without_header(filename, target_dtype, features_dtype, target_column=-1):
        """The rows of a file of numbers."""
        import csv
        with open(filename, newline="") as file:
            rows = [row for row in csv.reader(file) if row]
        target = np.array([row.pop(target_column) for row in rows], dtype=target_dtype)
        return Dataset(np.array(rows, dtype=features_dtype), target)

    @export(_where + ".load_csv_with_header")
    def load_csv_with_header(filename, target_dtype, features_dtype, target_column=-1):
        import csv
        with open(filename, newline="") as file:
            rows = [row for row in csv.reader(file) if row][1:]
        target = np.array([row.pop(target_column) for row in rows], dtype=target_dtype)
        return Dataset(np.array(rows, dtype=features_dtype), target)

    @export(_where + ".maybe_download")
    def maybe_download(filename, work_directory, source_url):
        """The path of a file, which is not downloaded."""
        import os
        path = os.path.join(work_directory, filename)
        if not os.path.exists(path):
            raise FileNotFoundError("%s is not there, and this package downloads nothing: fetch it from %s" %
                                    (path, source_url))
        return path
