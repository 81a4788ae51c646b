"""tf.TensorArray: an array of tensors that a loop writes and reads."""
import contextlib

from sluice._api import export
from sluice._convert import convert_to_tensor
from sluice._dtypes import as_dtype, int32, int64
from sluice._graph import Tensor, control_dependencies, get_default_graph, name_scope
from sluice._oplib import apply
from sluice._shape import TensorShape


@export("TensorArray")
class TensorArray:
    """|flow| is a scalar that orders reads after writes: use the array that write(), unstack() … return."""

    def __init__(self, dtype, size=None, dynamic_size=None, clear_after_read=None, tensor_array_name=None, handle=None,
                 flow=None, infer_shape=True, element_shape=None, colocate_with_first_write_call=True, name=None):
        self._check_arguments(size, dynamic_size, clear_after_read, tensor_array_name, handle, flow, element_shape)
        self._dynamic_size, self._dtype = dynamic_size or False, as_dtype(dtype).base_dtype
        self._colocate_with_first_write_call = colocate_with_first_write_call
        self._colocate_with = [] if colocate_with_first_write_call else None
        self._element_shape = [TensorShape(element_shape)]  # shared by the arrays that follow from this one
        self._infer_shape, self._size = infer_shape, size
        with name_scope(name, "TensorArray", [handle, size, flow]) as scope:
            if handle is not None:
                self._handle, self._flow = handle, flow
                return
            graph = get_default_graph()
            with contextlib.ExitStack() as stack:
                if colocate_with_first_write_call:
                    stack.enter_context(graph.device(None))
                    stack.enter_context(graph.colocate_with(None, ignore_existing=True))
                self._handle, self._flow = apply(
                    "TensorArrayV3", scope, size=size, dtype=dtype, element_shape=element_shape,
                    identical_element_shapes=infer_shape, dynamic_size=self._dynamic_size,
                    clear_after_read=clear_after_read is None or clear_after_read, tensor_array_name=tensor_array_name)

    @staticmethod
    def _check_arguments(size, dynamic_size, clear_after_read, tensor_array_name, handle, flow, element_shape):
        if handle is None:
            if size is None:
                raise ValueError("Argument `size` must be provided if handle is not provided.")
            return
        if not isinstance(handle, Tensor):
            raise TypeError("Expected `handle` to be a Tensor, but got `%s` of type `%s` instead." % (handle, type(handle)))
        for value, what in ((tensor_array_name or None, "`tensor_array_name`"), (size, "`size`"),
                            (element_shape, "`element_shape`"), (dynamic_size, "`dynamic_size`"),
                            (clear_after_read, "`clear_after_read`")):
            if value is not None:
                raise ValueError("Cannot provide both `handle` and %s arguments at the same time." % what)
        if flow is None:
            raise ValueError("flow must not be None if handle is not None.")

    flow = property(lambda self: self._flow)
    dtype = property(lambda self: self._dtype)
    handle = property(lambda self: self._handle)
    element_shape = property(lambda self: self._element_shape[0])
    dynamic_size = property(lambda self: self._dynamic_size)

    def _check_element_shape(self, shape):
        if not shape.is_compatible_with(self.element_shape):
            raise ValueError("Inconsistent shapes: saw %s but expected %s " % (shape, self.element_shape))
        if self._infer_shape:
            self._element_shape[0] = self.element_shape.merge_with(shape)

    def _beside(self, value):
        """The scope of writes: beside the first value that was written."""
        if not self._colocate_with_first_write_call:
            return contextlib.nullcontext()
        if not self._colocate_with:
            self._colocate_with.append(value)
        return get_default_graph().colocate_with(self._colocate_with[0])

    def _value(self, value):
        value = convert_to_tensor(value, preferred_dtype=self._dtype, name="value")
        if value.dtype.base_dtype != self._dtype:
            raise TypeError("TensorArray of type %s cannot hold a value of type %s: %s" %
                            (self._dtype.name, value.dtype.name, value))
        return value

    def identity(self):
        return build_ta_with_new_flow(self, apply("Identity", None, input=self._flow))

    def grad(self, source, flow=None, name=None):
        """The array of gradients for |source|."""
        flow = self._flow if flow is None else flow
        with name_scope(name, "TensorArrayGrad", [self._handle]):
            with get_default_graph().colocate_with(self._handle):
                handle, _ = apply("TensorArrayGradV3", name, handle=self._handle, source=source, flow_in=flow)
                with control_dependencies([handle]):
                    flow = apply("Identity", "gradient_flow", input=flow)
                made = TensorArray(self._dtype, handle=handle, flow=flow, infer_shape=self._infer_shape,
                                   colocate_with_first_write_call=False)
                made._element_shape = self._element_shape
                return made

    def read(self, index, name=None):
        value = apply("TensorArrayReadV3", name, handle=self._handle, index=index, flow_in=self._flow, dtype=self._dtype)
        value.set_shape(self.element_shape)
        return value

    def write(self, index, value, name=None):
        with name_scope(name, "TensorArrayWrite", [self._handle, index, value]):
            value = self._value(value)
            self._check_element_shape(value.shape)
            with self._beside(value):
                flow = apply("TensorArrayWriteV3", name, handle=self._handle, index=index, value=value, flow_in=self._flow)
            return build_ta_with_new_flow(self, flow)

    def stack(self, name=None):
        """All elements as one tensor."""
        from sluice._range import range_of
        from sluice._static import constant_value
        with get_default_graph().colocate_with(self._handle):
            with name_scope(name, "TensorArrayStack", [self._handle]):
                value = self.gather(range_of(0, self.size()), name)
                if self.element_shape.ndims is not None and not self._dynamic_size and self._size is not None:
                    size = constant_value(self._size) if isinstance(self._size, Tensor) else self._size
                    value.set_shape([size] + self.element_shape.as_list())
                return value

    def gather(self, indices, name=None):
        value = apply("TensorArrayGatherV3", name, handle=self._handle, indices=indices, flow_in=self._flow,
                      dtype=self._dtype, element_shape=self.element_shape)
        if self.element_shape.ndims is not None:
            value.set_shape([None] + self.element_shape.as_list())
        return value

    def concat(self, name=None):
        """All elements, one after the other along their first dimension."""
        from sluice._static import constant_value
        shape = self.element_shape
        value, _ = apply("TensorArrayConcatV3", name, handle=self._handle, flow_in=self._flow, dtype=self._dtype,
                         element_shape_except0=shape[1:])
        if shape.ndims is not None:
            rows = None
            if self._infer_shape:
                size = constant_value(self.size())
                rows = None if size is None or shape.as_list()[0] is None else int(size) * shape.as_list()[0]
            value.set_shape([rows] + shape.as_list()[1:])
        return value

    def unstack(self, value, name=None):
        """Writes the rows of |value|."""
        from sluice._array import shape_of
        from sluice._range import range_of
        with name_scope(name, "TensorArrayUnstack", [self._handle, value]):
            count = shape_of(value)[0]
            return self.scatter(range_of(0, count), value, name)

    def scatter(self, indices, value, name=None):
        with name_scope(name, "TensorArrayScatter", [self._handle, value, indices]):
            value = self._value(value)
            self._check_element_shape(value.shape[1:])
            with self._beside(value):
                flow = apply("TensorArrayScatterV3", name, handle=self._handle, indices=indices, value=value,
                             flow_in=self._flow)
            return build_ta_with_new_flow(self, flow)

    def split(self, value, lengths, name=None):
        """Writes |lengths| rows of |value| each time."""
        from sluice._math import cast
        from sluice._static import constant_value
        with name_scope(name, "TensorArraySplit", [self._handle, value, lengths]):
            value = convert_to_tensor(value, dtype=self._dtype, name="value")
            with self._beside(value):
                lengths = cast(lengths, int64)
                known = constant_value(lengths)
                if value.shape.ndims is not None and known is not None and known.shape and known.max() == known.min():
                    self._check_element_shape(TensorShape([int(known[0])]).concatenate(value.shape[1:]))
                flow = apply("TensorArraySplitV3", name, handle=self._handle, value=value, lengths=lengths,
                             flow_in=self._flow)
            return build_ta_with_new_flow(self, flow)

    def size(self, name=None):
        if not self._dynamic_size and self._size is not None:
            return convert_to_tensor(self._size, dtype=int32)
        return apply("TensorArraySizeV3", name, handle=self._handle, flow_in=self._flow)

    def close(self, name=None):
        return apply("TensorArrayCloseV3", name, handle=self._handle)


def build_ta_with_new_flow(old_ta, flow):
    """The same array after what |flow| waits for."""
    made = TensorArray(old_ta.dtype, handle=old_ta.handle, flow=flow, infer_shape=old_ta._infer_shape,
                       colocate_with_first_write_call=old_ta._colocate_with_first_write_call)
    made._dynamic_size, made._size = old_ta._dynamic_size, old_ta._size
    made._colocate_with, made._element_shape = old_ta._colocate_with, old_ta._element_shape
    return made
