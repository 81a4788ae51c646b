"""The base of layers: an object that owns variables and builds the same nodes each time it is called."""
import re

import sluice as tf
from sluice import _initializers
from sluice._api import export
from sluice._dtypes import as_dtype
from sluice._graph import GraphKeys, Operation, get_default_graph, name_scope
from sluice._shape import TensorShape
from sluice._variable_scope import get_variable, variable_scope

_ACTIVATIONS = {"linear": lambda x: x, "hard_sigmoid": lambda x: tf.clip_by_value(0.2 * x + 0.5, 0.0, 1.0)}


def activation_of(value):
    """A function from a function, the name of one, or None."""
    if value is None or callable(value):
        return value
    found = _ACTIVATIONS.get(value)
    if found is None:
        found = getattr(tf.nn, value, None)
    if found is None:
        raise ValueError("Unknown activation function: %s" % value)
    return found


def initializer_of(value):
    """An initialiser from one, its name, or None."""
    if isinstance(value, str):
        return getattr(tf.initializers, value)()
    return value


def snake_case(name):
    """BatchNormalization -> batch_normalization, Conv2D -> conv2d"""
    inner = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", inner).lower().lstrip("_")


class InputSpec:
    """What a layer asks of its input: its rank, its type, the sizes of axes."""

    def __init__(self, dtype=None, shape=None, ndim=None, max_ndim=None, min_ndim=None, axes=None):
        self.dtype, self.shape, self.axes = dtype, shape, axes or {}
        self.ndim, self.max_ndim, self.min_ndim = len(shape) if shape is not None else ndim, max_ndim, min_ndim


export("layers.InputSpec")(InputSpec)


def _first_tensor(inputs):
    while isinstance(inputs, (list, tuple)):
        inputs = inputs[0]
    return inputs


@export("layers.Layer")
class Layer:
    """A layer. A subclass has build(shape), which makes variables with add_weight(), and call(inputs)."""

    def __init__(self, trainable=True, name=None, dtype=None, activity_regularizer=None, **kwargs):
        scope, self._reuse = kwargs.pop("_scope", None), kwargs.pop("_reuse", None)
        if kwargs:
            raise TypeError("Keyword argument not understood: %s" % next(iter(kwargs)))
        self.trainable, self.built, self.input_spec = trainable, False, None
        self._dtype = None if dtype is None else as_dtype(dtype).base_dtype
        self._base_name = name if isinstance(name, str) and name else snake_case(type(self).__name__)
        self._trainable_weights, self._non_trainable_weights = [], []
        self._updates, self._losses, self._activity_regularizer = [], [], activity_regularizer
        self._scope = self._current = None
        if scope:
            with variable_scope(scope) as captured:
                self._scope = captured

    name = property(lambda self: self._base_name)
    graph = property(lambda self: get_default_graph())
    activity_regularizer = property(lambda self: self._activity_regularizer)
    updates = property(lambda self: list(self._updates))
    losses = property(lambda self: list(self._losses))
    trainable_weights = trainable_variables = property(lambda self: list(self._trainable_weights) if self.trainable else [])
    non_trainable_weights = non_trainable_variables = property(
        lambda self: list(self._non_trainable_weights) if self.trainable else
        self._trainable_weights + self._non_trainable_weights)
    weights = variables = property(lambda self: self._trainable_weights + self._non_trainable_weights)

    @property
    def dtype(self):
        return self._dtype

    @property
    def scope_name(self):
        if not self._scope:
            raise ValueError('No name available for layer scope because the layer "%s" has not been used yet. The scope name '
                             "is determined the first time the layer instance is called. You must therefore call the layer "
                             "before querying `scope_name`." % self.name)
        return self._scope.name

    # --- For subclasses ---

    def build(self, input_shape):
        self.built = True

    def call(self, inputs, *args, **kwargs):
        return inputs

    def compute_output_shape(self, input_shape):
        raise NotImplementedError("%s has no compute_output_shape" % type(self).__name__)

    def add_update(self, updates, inputs=None):
        for update in updates if isinstance(updates, (list, tuple)) else [updates]:
            update = update() if callable(update) and not hasattr(update, "op") else update
            self._updates.append(update if isinstance(update, Operation) else update.op)

    def add_loss(self, losses, inputs=None):
        for loss in losses if isinstance(losses, (list, tuple)) else [losses]:
            loss = loss() if callable(loss) and not hasattr(loss, "op") else loss
            if loss is not None:
                self._losses.append(loss)
                get_default_graph().add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)

    def add_weight(self, name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=None, constraint=None,
                   use_resource=None, synchronization=None, aggregation=None, partitioner=None, **kwargs):
        """The variable |name| in the layer's scope."""
        self._set_scope(None)
        dtype = as_dtype(dtype or self._dtype or tf.float32)
        trainable = trainable is not False
        known = {id(v) for v in tf.global_variables()}
        with variable_scope(self._scope, reuse=True if self.built else self._reuse, auxiliary_name_scope=False) as scope:
            self._current = scope
            with name_scope(scope.original_name_scope):
                initializer = scope.initializer if initializer is None else initializer_of(initializer)
                if initializer is None:
                    initializer = _initializers.GlorotUniform() if dtype.is_floating else _initializers.Zeros()
                made = get_variable(name, shape=None if shape is None else TensorShape(shape), dtype=dtype,
                                    initializer=initializer, trainable=trainable and self.trainable, constraint=constraint,
                                    partitioner=partitioner, use_resource=use_resource)
                parts = list(made) if hasattr(made, "_get_partitions") else [made]
                if regularizer is not None and not any(id(v) in known for v in parts):
                    for part in parts:
                        with name_scope(name + "/Regularizer"):
                            loss = regularizer(part)
                        self.add_loss(loss)
        kept = self._trainable_weights if trainable and parts[0].trainable else self._non_trainable_weights
        kept += [v for v in parts if all(v is not w for w in kept)]
        return made

    add_variable = add_weight

    # --- Calling ---

    def _set_scope(self, scope):
        if self._scope is not None:
            return
        if self._reuse:
            entered = variable_scope(scope if scope is not None else self._base_name)
        else:
            entered = variable_scope(scope, default_name=self._base_name)
        with entered as captured:
            self._scope = captured

    def _check_input(self, inputs):
        spec = self.input_spec
        rank = getattr(getattr(inputs, "shape", None), "ndims", None)
        if spec is None or rank is None:
            return
        where = "Input 0 of layer %s is incompatible with the layer: " % self.name
        if spec.ndim is not None and rank != spec.ndim:
            raise ValueError(where + "expected ndim=%d, found ndim=%d. Full shape received: %s" %
                             (spec.ndim, rank, inputs.shape.as_list()))
        if spec.min_ndim is not None and rank < spec.min_ndim:
            raise ValueError(where + ": expected min_ndim=%d, found ndim=%d. Full shape received: %s" %
                             (spec.min_ndim, rank, inputs.shape.as_list()))
        for axis, size in spec.axes.items():
            found = inputs.shape.as_list()[axis]
            if size is not None and found not in (size, None):
                raise ValueError(where + "expected axis %d of input shape to have value %d but received input with shape %s" %
                                 (axis, size, inputs.shape.as_list()))

    def __call__(self, inputs, *args, **kwargs):
        self._set_scope(kwargs.pop("scope", None))
        with variable_scope(self._scope, reuse=True if self.built else self._reuse, auxiliary_name_scope=False) as scope:
            self._current = scope
            with name_scope(scope.original_name_scope):
                inputs = self._converted(inputs)
                outputs = self._build_and_call(inputs, *args, **kwargs)
                self._regularize(outputs)
        collection = get_default_graph().get_collection_ref(GraphKeys.UPDATE_OPS)
        collection += [u for u in self._updates if u not in collection]
        return outputs

    def _converted(self, inputs):
        if isinstance(inputs, (list, tuple)):
            return type(inputs)(self._converted(i) for i in inputs) if not hasattr(inputs, "_fields") else inputs
        if hasattr(inputs, "dtype") and hasattr(inputs, "op") or isinstance(inputs, tf.SparseTensor):
            return inputs
        return tf.convert_to_tensor(inputs)

    def _build_and_call(self, inputs, *args, **kwargs):
        first = _first_tensor(inputs)
        if self._dtype is None and hasattr(first, "dtype"):
            self._dtype = first.dtype.base_dtype
        self._check_input(inputs)
        if not self.built:
            shapes = [i.shape for i in inputs] if isinstance(inputs, (list, tuple)) else inputs.shape
            self.build(shapes)
            self.built = True
        return self.call(inputs, *args, **kwargs)

    def _regularize(self, outputs):
        if self._activity_regularizer is None:
            return
        for output in outputs if isinstance(outputs, (list, tuple)) else [outputs]:
            with name_scope("ActivityRegularizer"):
                loss = self._activity_regularizer(output)
                size = tf.cast(tf.shape(output)[0], loss.dtype)
                self.add_loss(loss / size)

    def apply(self, inputs, *args, **kwargs):
        return self(inputs, *args, **kwargs)

    def count_params(self):
        return sum(v.shape.num_elements() for v in self.weights)

    def get_config(self):
        return {"name": self.name, "trainable": self.trainable, "dtype": self._dtype and self._dtype.name}
