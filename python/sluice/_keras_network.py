"""tf.keras.Model and Sequential as graphs of layers: their layers, weights, calls."""
import numpy as np
import sluice as tf
from sluice import _keras_backend as backend
from sluice import _nest
from sluice._keras_layer import Input, InputLayer, Layer, tensors_of
from sluice._message import message


def _as_list(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _raw_op(op, mapped, graph):
    """Another operation like |op| whose inputs are what |mapped| has for its own."""
    definition, changed = message("GraphDef")(), {}
    node = definition.node.add()
    node.CopyFrom(op.node_def)
    del node.input[:]
    for i, tensor in enumerate(op.inputs):
        node.input.append("given_%d:0" % i)
        changed["given_%d:0" % i] = mapped.get(tensor, tensor)
    node.name = op.name.replace("/", "_")
    made = tf.import_graph_def(definition, input_map=changed, return_elements=[node.name], name="")[0]
    return made


class Network(Layer):
    """A layer made of layers: of the graph between inputs and outputs, or of its own call()."""

    def __init__(self, *args, **kwargs):
        super().__init__(name=kwargs.pop("name", None), **{k: v for k, v in kwargs.items() if k in ("trainable", "dtype")})
        self._inputs = self._outputs = None
        self._calls = []

    def _set_graph(self, inputs, outputs):
        self._structure = inputs, outputs
        self._inputs, self._outputs = _nest.flatten(inputs), _nest.flatten(outputs)
        calls, ops, seen, todo = {}, {}, set(), list(self._outputs)
        given = {id(t) for t in self._inputs}
        while todo:
            tensor = todo.pop()
            if id(tensor) in seen:
                continue
            seen.add(id(tensor))
            node = getattr(tensor, "_keras_node", None)
            if node is not None:
                calls[node.number] = node
                if id(tensor) not in given:
                    todo += tensors_of(node.inputs) + tensors_of(list(node.kwargs.values()))
            else:
                ops[id(tensor.op)] = tensor.op
                todo += list(tensor.op.inputs)
        missing = [t for t in self._inputs if id(t) not in seen]
        for tensor in missing:
            node = getattr(tensor, "_keras_node", None)
            if node is not None:
                calls[node.number] = node
        self._calls = [calls[number] for number in sorted(calls)]
        self._raw = list(ops.values())
        del self._layers[:]
        for node in self._calls:
            if all(node.layer is not layer for layer in self._layers):
                self._layers.append(node.layer)
        self.built = True

    @property
    def weights(self):
        """The weights of layer after layer."""
        return self._all(self._trainable_weights + self._non_trainable_weights, lambda layer: layer.weights)

    variables = property(lambda self: self.weights)
    inputs = property(lambda self: self._inputs)
    outputs = property(lambda self: self._outputs)
    input = property(lambda self: self._structure[0] if self._inputs else Layer.input.fget(self))
    output = property(lambda self: self._structure[1] if self._outputs else Layer.output.fget(self))
    layers = property(lambda self: [layer for layer in self._layers if not isinstance(layer, InputLayer)
                                    or not isinstance(self, Sequential)])
    input_names = property(lambda self: [t._keras_history[0].name for t in self._inputs])
    output_names = property(lambda self: self._output_names())

    def _output_names(self):
        names = []
        for t in self._outputs:
            name = t._keras_history[0].name if hasattr(t, "_keras_history") else t.op.name
            names.append(name if name not in names else "%s_%d" % (name, names.count(name)))
        return names

    def get_layer(self, name=None, index=None):
        if index is not None:
            return self.layers[index]
        for layer in self._layers:
            if layer.name == name:
                return layer
        raise ValueError("No such layer: %s" % name)

    def call(self, inputs, training=None, mask=None):
        """The layers again, on other inputs."""
        if self._inputs is None:
            raise NotImplementedError("When subclassing the `Model` class, you should implement a `call` method.")
        given = _nest.flatten(inputs)
        if len(given) == len(self._inputs) and all(a is b for a, b in zip(given, self._inputs)):
            return self._structure[1]
        mapped = dict(zip(self._inputs, given))

        def new(value):
            return _nest.map_structure(lambda t: mapped.get(t, t) if isinstance(t, tf.Tensor) else t, value) if isinstance(
                value, (list, tuple, dict)) else mapped.get(value, value) if isinstance(value, tf.Tensor) else value
        pending = list(self._raw)

        def copy_ready():
            for op in list(pending):
                if any(t in mapped for t in op.inputs):
                    waiting = [t for t in op.inputs if t not in mapped and self._depends(t)]
                    if not waiting:
                        made = _raw_op(op, mapped, None)
                        mapped.update(zip(op.outputs, made.outputs))
                        pending.remove(op)
                        return True
            return False
        for node in self._calls:
            if isinstance(node.layer, InputLayer):
                continue
            while copy_ready():
                pass
            kwargs = {k: new(v) for k, v in node.kwargs.items()}
            if node.layer._takes_training and training is not None:
                kwargs["training"] = training
            outputs = node.layer(new(node.inputs), *node.args, **kwargs)
            mapped.update(zip(tensors_of(node.outputs), tensors_of(outputs)))
        while copy_ready():
            pass
        return _nest.pack_sequence_as(self._structure[1], [mapped.get(t, t) for t in self._outputs]) if isinstance(
            self._structure[1], (list, tuple, dict)) else mapped[self._outputs[0]]

    def _depends(self, tensor):
        """Whether a tensor is computed from the inputs."""
        todo, seen = [tensor], set()
        while todo:
            t = todo.pop()
            if id(t) in seen:
                continue
            seen.add(id(t))
            if any(t is i for i in self._inputs):
                return True
            node = getattr(t, "_keras_node", None)
            todo += tensors_of(node.inputs) if node is not None else list(t.op.inputs)
        return False

    # --- Weights in files ---

    def _h5(self, path):
        if str(path).endswith((".h5", ".keras", ".hdf5")):
            raise NotImplementedError("%s: HDF5 files are not there; give a path without .h5 for a checkpoint" % path)

    def save_weights(self, filepath, overwrite=True, save_format=None):
        """A checkpoint of the weights by their names."""
        self._h5(filepath)
        tf.train.Saver(self.weights, max_to_keep=None).save(backend.get_session(), str(filepath), write_meta_graph=False)

    def load_weights(self, filepath, by_name=False):
        self._h5(filepath)
        backend.get_session()
        tf.train.Saver(self.weights).restore(backend.get_session(), str(filepath))

    def save(self, filepath, *args, **kwargs):
        raise NotImplementedError("Model.save: use save_weights, tf.train.Saver or tf.saved_model.simple_save")

    def reset_states(self):
        for layer in self._layers:
            if getattr(layer, "stateful", False):
                layer.reset_states()

    def summary(self, line_length=None, positions=None, print_fn=None):
        """Prints the layers, their shapes and their numbers of weights."""
        write = print_fn or print
        width = line_length or 65
        write('Model: "%s"' % self.name)
        write("_" * width)
        columns = (int(width * 0.45), int(width * 0.85))

        def row(*texts):
            line = ""
            for text, end in zip(texts, (*columns, width)):
                line = (line + text)[:end - 1].ljust(end)
            write(line.rstrip())
        row("Layer (type)", "Output Shape", "Param #")
        write("=" * width)
        for layer in self.layers:
            try:
                shape = str(layer.output_shape)
            except AttributeError:
                shape = "multiple"
            row("%s (%s)" % (layer.name, type(layer).__name__), shape, str(layer.count_params()))
            write("_" * width)
        trainable = sum(int(np.prod(v.shape.as_list())) for v in self.trainable_weights)
        total = self.count_params()
        write("Total params: {:,}".format(total))
        write("Trainable params: {:,}".format(trainable))
        write("Non-trainable params: {:,}".format(total - trainable))
        write("_" * width)


class Sequential(Network):
    """Layers one after the other. The graph is built when the shape of the input is known."""

    def __init__(self, layers=None, name=None):
        super().__init__(name=name)
        self._stack = []
        for layer in layers or []:
            self.add(layer)

    layers = property(lambda self: [layer for layer in self._stack if not isinstance(layer, InputLayer)])

    def add(self, layer):
        """Puts a layer on top."""
        if isinstance(layer, tf.Tensor) and hasattr(layer, "_keras_history"):
            layer = layer._keras_history[0]
        if not isinstance(layer, Layer):
            raise TypeError("The added layer must be an instance of class Layer. Found: %s" % (layer,))
        self._stack.append(layer)
        if self._outputs is not None:
            self._extend(layer)
        elif len(self._stack) == 1:
            if isinstance(layer, InputLayer):
                self._set_graph(layer.output, layer.output)
            elif isinstance(layer, Network) and layer._inputs is not None:
                self._set_graph(layer.input, layer.output)
            elif layer._batch_input_shape is not None:
                self._start(layer._batch_input_shape, layer._dtype)
        if self._outputs is None:
            self._layers[:] = self._stack

    def pop(self):
        if not self._stack:
            raise TypeError("There are no layers in the model.")
        self._stack.pop()
        if self._outputs is not None:
            self._set_graph(self._structure[0], self._stack[-1].output)

    def _start(self, shape, dtype=None):
        """Builds the graph for inputs of this shape."""
        from sluice._keras_layers import Embedding
        kind = dtype or (tf.float32 if not self._stack or not isinstance(self._stack[0], Embedding) else tf.float32)
        first = Input(batch_shape=shape, dtype=kind, name=self._stack[0].name + "_input")
        self._set_graph(first, first)
        for layer in self._stack:
            self._extend(layer)

    def _extend(self, layer):
        if not isinstance(layer, InputLayer):
            self._set_graph(self._structure[0], layer(self._structure[1]))

    def build(self, input_shape=None):
        if self._outputs is None and input_shape is not None:
            self._start(tuple(tf.TensorShape(input_shape).as_list()))
        self.built = True

    def __call__(self, inputs, *args, **kwargs):
        if self._outputs is None and self._stack and isinstance(inputs, (tf.Tensor, tf.Variable, np.ndarray)):
            inputs = tf.convert_to_tensor(inputs)
            if inputs.shape.ndims is not None:
                self._start(tuple([None, *inputs.shape.as_list()[1:]]), inputs.dtype)
        return super().__call__(inputs, *args, **kwargs)
