"""The base of Keras layers: names, variables, calls that models can repeat."""
import inspect
import itertools

import sluice as tf
from sluice import _keras_backend as backend
from sluice import _nest
from sluice._api import export
from sluice._dtypes import as_dtype
from sluice._graph import name_scope
from sluice._layer import Layer as _Layer
from sluice._layer import initializer_of, snake_case
from sluice._resource_variables import ResourceVariable
from sluice._shape import TensorShape

_numbers = itertools.count()
_calling = []  # the learning phases of the calls in which the program is


class Node:
    """One call of a layer."""

    def __init__(self, layer, inputs, args, kwargs, outputs):
        self.layer, self.inputs, self.args, self.kwargs, self.outputs = layer, inputs, args, kwargs, outputs
        self.number = next(_numbers)

    input_tensors = property(lambda self: self.inputs)
    output_tensors = property(lambda self: self.outputs)


def tensors_of(value):
    return [t for t in _nest.flatten(value) if isinstance(t, tf.Tensor)]


def regularizer_of(value):
    """A function from one, its name, or None."""
    if isinstance(value, str):
        return getattr(tf.keras.regularizers, value)()
    return value


@export("keras.layers.Layer", "keras.engine.Layer")
class Layer(_Layer):
    """A layer. A subclass has build(shape), which makes variables with add_weight(), and call(inputs)."""
    supports_masking = False

    def __new__(cls, *args, **kwargs):
        made = super().__new__(cls)
        made.__dict__["_arguments"] = args, kwargs  # for a copy
        return made

    def _copy(self, **changes):
        """Another layer of the same settings."""
        args, kwargs = self._arguments
        return type(self)(*args, **{**kwargs, **changes})

    def __init__(self, *args, **kwargs):
        given = kwargs.pop("input_shape", None)
        if "input_dim" in kwargs:
            size = kwargs.pop("input_dim")
            given = (size,) if given is None else given
        batch = kwargs.pop("batch_size", None)
        shape = kwargs.pop("batch_input_shape", None)
        self.__dict__["_layers"] = []
        self._batch_input_shape = tuple(shape) if shape is not None else \
            None if given is None else (batch, *(given if isinstance(given, (tuple, list)) else (given,)))
        self._initial_weights = kwargs.pop("weights", None)
        kwargs.pop("dynamic", None)
        if "data_format" in kwargs and kwargs["data_format"] is None:
            kwargs["data_format"] = backend.image_data_format()
        for key in list(kwargs):
            if key.endswith("_regularizer"):
                kwargs[key] = regularizer_of(kwargs[key])
        name = kwargs.pop("name", None)
        super().__init__(*args, **kwargs)
        self._base_name = name or backend.unique_object_name(snake_case(type(self).__name__))
        self._own_losses, self._nodes, self.stateful = [], [], getattr(self, "stateful", False)
        self._takes_training = "training" in inspect.signature(self.call).parameters
        self._takes_mask = "mask" in inspect.signature(self.call).parameters

    def __setattr__(self, name, value):
        if not name.startswith("_nodes") and "_layers" in self.__dict__ and name not in ("_layers", "_inbound"):
            for one in value if isinstance(value, (list, tuple)) else value.values() if isinstance(value, dict) else [value]:
                if isinstance(one, Layer) and all(one is not known for known in self._layers):
                    self._layers.append(one)
                elif isinstance(one, tf.Variable) and not isinstance(self, _NoVariables):
                    self._track(one)
        object.__setattr__(self, name, value)

    def _track(self, variable):
        known = self.__dict__.get("_trainable_weights"), self.__dict__.get("_non_trainable_weights")
        if known[0] is not None and all(variable is not v for v in known[0] + known[1]):
            known[0 if variable.trainable else 1].append(variable)

    # --- Variables and losses ---

    def _all(self, own, of_layer):
        found = list(own)
        for layer in self._layers:
            found += [v for v in of_layer(layer) if all(v is not w for w in found)]
        return found

    @property
    def trainable_weights(self):
        return self._all(self._trainable_weights, lambda layer: layer.trainable_weights) if self.trainable else []

    @property
    def non_trainable_weights(self):
        if not self.trainable:
            return self._all(self._trainable_weights + self._non_trainable_weights, lambda layer: layer.weights)
        return self._all(self._non_trainable_weights, lambda layer: layer.non_trainable_weights)

    trainable_variables = property(lambda self: self.trainable_weights)
    non_trainable_variables = property(lambda self: self.non_trainable_weights)
    weights = variables = property(lambda self: self.trainable_weights + self.non_trainable_weights)
    losses = property(lambda self: self._all(self._own_losses, lambda layer: layer.losses))
    updates = property(lambda self: self._all(self._updates, lambda layer: layer.updates) if self.trainable else [])

    def add_loss(self, losses, inputs=None):
        for loss in losses if isinstance(losses, (list, tuple)) else [losses]:
            loss = loss() if callable(loss) and not hasattr(loss, "op") else loss
            if loss is not None:
                self._own_losses.append(loss)

    def add_weight(self, name=None, shape=None, dtype=None, initializer=None, regularizer=None, trainable=None,
                   constraint=None, partitioner=None, use_resource=None, **kwargs):
        """A variable of the layer."""
        dtype = as_dtype(dtype or self._dtype or backend.floatx())
        initializer = initializer_of(initializer)
        if initializer is None:
            initializer = initializer_of("glorot_uniform" if dtype.is_floating else "zeros")
        shape = TensorShape(() if shape is None else shape)
        made = ResourceVariable(lambda: initializer(shape.as_list(), dtype=dtype), trainable=trainable is not False,
                                name=name or "Variable", dtype=dtype, constraint=constraint)
        regularizer = regularizer_of(regularizer)
        if regularizer is not None:
            with name_scope((name or "Variable") + "/Regularizer"):
                self.add_loss(regularizer(made))
        self._track(made)
        return made

    add_variable = add_weight

    def get_weights(self):
        return backend.batch_get_value(self.weights)

    def set_weights(self, weights):
        own = self.weights
        if len(own) != len(weights):
            raise ValueError('You called `set_weights(weights)` on layer "%s" with a  weight list of length %d, but the layer was '
                             "expecting %d weights." % (self.name, len(weights), len(own)))
        for variable, value in zip(own, weights):
            if tuple(variable.shape.as_list()) != tuple(getattr(value, "shape", ())):
                raise ValueError("Layer weight shape %s not compatible with provided weight shape %s" %
                                 (variable.shape, value.shape))
        backend.batch_set_value(list(zip(own, weights)))

    # --- Calls ---

    def compute_mask(self, inputs, mask=None):
        return mask if self.supports_masking else None

    def __call__(self, inputs, *args, **kwargs):
        inputs = self._converted(inputs)
        masks = [getattr(t, "_keras_mask", None) for t in tensors_of(inputs)]
        mask = masks if isinstance(inputs, (list, tuple)) else masks[0] if masks else None
        if isinstance(mask, list) and not any(m is not None for m in mask):
            mask = None
        recorded = dict(kwargs)
        if self._takes_training and kwargs.get("training") is None:
            kwargs["training"] = _calling[-1] if _calling and _calling[-1] is not None else backend.learning_phase()
        if self._takes_mask and mask is not None and kwargs.get("mask") is None:
            kwargs["mask"] = mask
        _calling.append(kwargs.get("training") if "training" in recorded else _calling[-1] if _calling else None)
        try:
            with name_scope(self.name):
                outputs = self._build_and_call(inputs, *args, **kwargs)
                self._regularize(outputs)
        finally:
            _calling.pop()
        if self._initial_weights is not None:
            self.set_weights(self._initial_weights)
            self._initial_weights = None
        outputs = self._kept(inputs, outputs)
        new_mask = self.compute_mask(inputs, mask)
        if new_mask is not None and isinstance(outputs, tf.Tensor):
            outputs._keras_mask = new_mask
        self._record(inputs, args, recorded, outputs)
        return outputs

    @staticmethod
    def _kept(inputs, outputs):
        """Outputs that are no inputs, so that each tensor has one layer."""
        given = {id(t) for t in tensors_of(inputs)}
        if isinstance(outputs, tf.Tensor):
            return tf.identity(outputs) if id(outputs) in given else outputs
        return outputs

    def _record(self, inputs, args, kwargs, outputs):
        node = Node(self, inputs, args, kwargs, outputs)
        self._nodes.append(node)
        for i, tensor in enumerate(tensors_of(outputs)):
            tensor._keras_history = (self, len(self._nodes) - 1, i)
            tensor._keras_node = node

    def _build_and_call(self, inputs, *args, **kwargs):
        first = tensors_of(inputs)
        if self._dtype is None and first and first[0].dtype.is_floating:
            self._dtype = first[0].dtype.base_dtype
        self._check_input(inputs)
        if not self.built:
            shapes = _nest.map_structure(lambda t: t.shape, inputs) if isinstance(inputs, (list, tuple, dict)) else inputs.shape
            self.build(shapes)
            self.built = True
        return self.call(inputs, *args, **kwargs)

    # --- What a layer tells ---

    def _one(self, part, label):
        if not self._nodes:
            raise AttributeError("Layer %s has no inbound nodes." % self.name if label == "output" else
                                 "Layer %s is not connected, no input to return." % self.name)
        return getattr(self._nodes[0], part)

    input = property(lambda self: self._one("inputs", "input"))
    output = property(lambda self: self._one("outputs", "output"))
    input_shape = property(lambda self: backend.int_shape(self.input) if isinstance(self.input, tf.Tensor) else
                           [backend.int_shape(t) for t in self.input])
    output_shape = property(lambda self: backend.int_shape(self.output) if isinstance(self.output, tf.Tensor) else
                            [backend.int_shape(t) for t in self.output])
    inbound_nodes = property(lambda self: self._nodes)

    def get_input_at(self, node_index):
        return self._nodes[node_index].inputs

    def get_output_at(self, node_index):
        return self._nodes[node_index].outputs

    def count_params(self):
        return sum(v.shape.num_elements() for v in self.weights)

    def get_config(self):
        made = {"name": self.name, "trainable": self.trainable, "dtype": self._dtype.name if self._dtype else "float32"}
        if self._batch_input_shape is not None:
            made["batch_input_shape"] = self._batch_input_shape
        return made

    @classmethod
    def from_config(cls, config):
        return cls(**config)


class _NoVariables:
    """For classes whose attributes may be variables that are not the layer's."""


@export("keras.layers.InputLayer")
class InputLayer(Layer):
    """Where a model's input comes from."""

    def __init__(self, input_shape=None, batch_size=None, dtype=None, input_tensor=None, sparse=False, name=None, **kwargs):
        shape = kwargs.pop("batch_input_shape", None)
        name = name or "input_%d" % backend.get_uid("input")
        super().__init__(name=name, dtype=dtype or backend.floatx())
        if input_tensor is None:
            if shape is None:
                sizes = tf.TensorShape(input_shape).as_list() if input_shape is not None else None
                shape = None if sizes is None else [batch_size, *sizes]
            make = tf.sparse_placeholder if sparse else tf.placeholder
            with name_scope(""):
                input_tensor = make(as_dtype(dtype or backend.floatx()), shape, name=self.name)
        self._batch_input_shape = tuple(shape) if shape is not None else None
        self.built = True
        self._record([], (), {}, input_tensor)
        if isinstance(input_tensor, tf.SparseTensor):
            input_tensor._keras_history = (self, 0, 0)


@export("keras.Input", "keras.layers.Input")
def Input(shape=None, batch_size=None, name=None, dtype=None, sparse=False, tensor=None, batch_shape=None, **kwargs):
    """A tensor that Model(inputs, ...) takes."""
    batch_shape = kwargs.pop("batch_input_shape", batch_shape)
    if shape is None and tensor is None and batch_shape is None:
        raise ValueError("Please provide to Input either a `shape` or a `tensor` argument. Note that `shape` does not include the "
                         "batch dimension.")
    if shape is not None and isinstance(shape, int):
        shape = (shape,)
    if name is None:
        name = "input_%d" % backend.get_uid("input")
    layer = InputLayer(shape, batch_size, dtype or (tensor.dtype if tensor is not None else None), tensor, sparse, name,
                       **({"batch_input_shape": batch_shape} if batch_shape is not None else {}))
    return layer.output

