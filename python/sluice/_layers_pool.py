"""tf.layers: pooling over one, two and three axes."""
import sluice as tf
from sluice import _nn_conv
from sluice._api import export
from sluice._layer import InputSpec, Layer
from sluice._layers_conv import format_of, output_length, sizes_of


class _Pooling(Layer):
    _rank = _pool = None

    def __init__(self, pool_size, strides, padding="valid", data_format="channels_last", name=None, **kwargs):
        super().__init__(name=name, **kwargs)
        self.pool_size = sizes_of(pool_size, self._rank, "pool_size")
        self.strides = sizes_of(strides, self._rank, "strides")
        self.padding, self.data_format, self._format = padding.lower(), data_format, format_of(data_format, self._rank)
        self.input_spec = InputSpec(ndim=self._rank + 2)

    def call(self, inputs):
        if self._rank == 1:  # as pooling over two axes, of which one has the size 1
            axis = 2 if self.data_format == "channels_last" else 3
            inputs = tf.expand_dims(inputs, axis)
            sizes = [list(v) + [1] for v in (self.pool_size, self.strides)]
            outputs = type(self)._pool(inputs, sizes[0], sizes[1], self.padding.upper(), format_of(self.data_format, 2))
            return tf.squeeze(outputs, axis)
        return type(self)._pool(inputs, self.pool_size, self.strides, self.padding.upper(), self._format)

    def compute_output_shape(self, input_shape):
        sizes = tf.TensorShape(input_shape).as_list()
        first = 2 if self.data_format == "channels_first" else 1
        space = [output_length(sizes[first + i], self.pool_size[i], self.padding, self.strides[i])
                 for i in range(self._rank)]
        return tf.TensorShape(sizes[:first] + space + sizes[first + self._rank:])


def _make(label, function, rank, pool):
    kind = type(label, (_Pooling,), {"_rank": rank, "_pool": staticmethod(pool),
                                     "__doc__": "Pooling over %d axes." % rank})

    def layer(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
        return kind(pool_size, strides, padding, data_format, name, _scope=name).apply(inputs)
    export("layers." + label)(kind)
    export("layers." + function)(layer)


_make("MaxPooling1D", "max_pooling1d", 1, _nn_conv.max_pool)
_make("MaxPooling2D", "max_pooling2d", 2, _nn_conv.max_pool)
_make("MaxPooling3D", "max_pooling3d", 3, _nn_conv.max_pool3d)
_make("AveragePooling1D", "average_pooling1d", 1, _nn_conv.avg_pool)
_make("AveragePooling2D", "average_pooling2d", 2, _nn_conv.avg_pool)
_make("AveragePooling3D", "average_pooling3d", 3, _nn_conv.avg_pool3d)
