"""tensorflow.python.framework.function.Defun: functions of a program with gradients of their own."""
import functools

import sluice as tf
from sluice._api import export
from sluice._graph import name_scope


class _Call:
    """What a gradient function sees of a call: its inputs and outputs."""

    def __init__(self, name, inputs, outputs):
        self.name = self.type = name
        self.inputs, self.outputs = list(inputs), list(outputs)


@export("python.framework.function.Defun")
class Defun:
    """A decorator: the function's operations are built where it is called. |python_grad_func|(op, *grads) replaces their
    gradients, op has inputs and outputs."""

    def __init__(self, *input_types, **kwargs):
        self._types = [tf.as_dtype(t) for t in input_types]
        self._name, self._gradient = kwargs.pop("func_name", None), kwargs.pop("python_grad_func", None)
        self._shapes = kwargs.pop("shape_func", None)
        if kwargs.pop("grad_func", None) is not None:
            raise NotImplementedError("grad_func of Defun is not there: give python_grad_func")

    def __call__(self, func):
        label = self._name or func.__name__

        @functools.wraps(func)
        def call(*args, name=None):
            if self._types and len(args) != len(self._types):
                raise ValueError("The function %s takes %d inputs, got %d" % (label, len(self._types), len(args)))
            with name_scope(name, label, list(args)):
                tensors = [tf.convert_to_tensor(a, dtype=self._types[i] if self._types else None) for i, a in enumerate(args)]
                made = func(*tensors) if self._gradient is None else self._with_gradient(func, label)(*tensors)
                if self._shapes is not None:
                    outputs = list(made) if isinstance(made, (list, tuple)) else [made]
                    for tensor, shape in zip(outputs, self._shapes(_Call(label, tensors, outputs))):
                        tensor.set_shape(shape)
                return made
        return call

    def _with_gradient(self, func, label):
        @tf.custom_gradient
        def wrapped(*inputs):
            outputs = func(*inputs)
            rows = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]

            def gradient(*grads):
                return self._gradient(_Call(label, inputs, rows), *grads)
            return outputs, gradient
        return wrapped
