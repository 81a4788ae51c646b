"""How alike two images are, edges, and resizing with borders: parts of tf.image."""
import numpy as np

import sluice as tf
from sluice._api import export
from sluice._graph import name_scope

_SCALES = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


def _as_float(image, max_val):
    """(image, largest value) as 32-bit floats in the range that a float image has."""
    image = tf.convert_to_tensor(image)
    largest = tf.image.convert_image_dtype(tf.cast(max_val, image.dtype), tf.float32)
    return tf.image.convert_image_dtype(image, tf.float32), largest


def _gauss(size, sigma):
    places = np.arange(size, dtype=np.float32) - (size - 1) / 2.0
    line = -0.5 * np.square(places) / np.square(sigma)
    grid = (line[None, :] + line[:, None]).reshape(-1)
    grid = np.exp(grid - grid.max())
    return (grid / grid.sum()).reshape(size, size, 1, 1).astype(np.float32)


def _ssim(a, b, largest, size, sigma, k1, k2):
    """(similarity, contrast and structure alone) of each channel of each image."""
    kernel = tf.tile(tf.constant(_gauss(size, sigma)), [1, 1, tf.shape(a)[-1], 1])

    def blurred(x):
        rank = tf.shape(x)
        y = tf.nn.depthwise_conv2d(tf.reshape(x, tf.concat([[-1], rank[-3:]], 0)), kernel, [1, 1, 1, 1], "VALID")
        return tf.reshape(y, tf.concat([rank[:-3], tf.shape(y)[1:]], 0))
    c1, c2 = (k1 * largest) ** 2, (k2 * largest) ** 2
    mean_a, mean_b = blurred(a), blurred(b)
    product = mean_a * mean_b * 2.0
    squares = tf.square(mean_a) + tf.square(mean_b)
    luminance = (product + c1) / (squares + c1)
    both = blurred(a * b) * 2.0
    sums = blurred(tf.square(a) + tf.square(b))
    structure = (both - product + c2) / (sums - squares + c2)
    axes = [-3, -2]
    return tf.reduce_mean(luminance * structure, axes), tf.reduce_mean(structure, axes)


@export("image.ssim")
def ssim(img1, img2, max_val, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03):
    """The structural similarity of images, -1 to 1, one number for each image."""
    with name_scope("SSIM"):
        a, largest = _as_float(img1, max_val)
        b, _ = _as_float(img2, max_val)
        return tf.reduce_mean(_ssim(a, b, largest, filter_size, filter_sigma, k1, k2)[0], [-1])


@export("image.ssim_multiscale")
def ssim_multiscale(img1, img2, max_val, power_factors=_SCALES, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03):
    """The structural similarity at several sizes of the images, each half of the one before."""
    with name_scope("MS-SSIM"):
        a, largest = _as_float(img1, max_val)
        b, _ = _as_float(img2, max_val)
        found = []
        for i in range(len(power_factors)):
            if i:
                a, b = [_halved(x) for x in (a, b)]
            whole, structure = _ssim(a, b, largest, filter_size, filter_sigma, k1, k2)
            found.append(tf.nn.relu(whole if i == len(power_factors) - 1 else structure))
        product = tf.reduce_prod(tf.pow(tf.stack(found, axis=-1), tf.constant(power_factors, tf.float32)), [-1])
        return tf.reduce_mean(product, [-1])


def _halved(image):
    shape = tf.shape(image)
    flat = tf.reshape(image, tf.concat([[-1], shape[-3:]], 0))
    odd = tf.stack([[0, 0], [0, shape[-3] % 2], [0, shape[-2] % 2], [0, 0]])
    made = tf.nn.avg_pool(tf.pad(flat, odd, "SYMMETRIC"), [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
    return tf.reshape(made, tf.concat([shape[:-3], tf.shape(made)[1:]], 0))


@export("image.sobel_edges")
def sobel_edges(image):
    """The changes down and to the right: a further dimension of size 2."""
    static = image.shape
    shape = tf.shape(image)
    kernels = np.array([[[-1, -2, -1], [0, 0, 0], [1, 2, 1]], [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]], np.float32)
    kernels = np.transpose(kernels, (1, 2, 0))[:, :, None, :]
    kernel = tf.tile(tf.constant(kernels), [1, 1, shape[-1], 1], name="sobel_filters")
    padded = tf.pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
    made = tf.nn.depthwise_conv2d(padded, kernel, [1, 1, 1, 1], "VALID")
    made = tf.reshape(made, tf.concat([shape, [2]], 0))
    made.set_shape(static.concatenate([2]))
    return made


@export("image.resize_image_with_pad")
def resize_image_with_pad(image, target_height, target_width, method=0, align_corners=False):
    """|image| as large as fits, in the middle of an image of the target's size."""
    with name_scope(None, "resize_image_with_pad", [image]):
        image = tf.convert_to_tensor(image, name="image")
        if image.shape.ndims not in (3, 4):
            raise ValueError("'image' must have either 3 or 4 dimensions, its shape is %s" % image.shape)
        is_one = image.shape.ndims == 3
        image = tf.expand_dims(image, 0) if is_one else image
        if any(isinstance(n, int) and n <= 0 for n in (target_height, target_width)):
            raise ValueError("target_height and target_width must be > 0, got %s and %s" % (target_height, target_width))
        height, width = [tf.cast(tf.shape(image)[i], tf.float32) for i in (1, 2)]
        ratio = tf.maximum(height / tf.cast(target_height, tf.float32), width / tf.cast(target_width, tf.float32))
        sizes = [tf.cast(tf.floor(side / ratio), tf.int32) for side in (height, width)]
        space = [tf.maximum(0, (target - size) // 2) for target, size in zip((target_height, target_width), sizes)]
        resized = tf.image.resize(image, tf.stack(sizes), method, align_corners=align_corners)
        made = tf.image.pad_to_bounding_box(resized, space[0], space[1], target_height, target_width)
        made.set_shape([image.shape.as_list()[0], target_height if isinstance(target_height, int) else None,
                        target_width if isinstance(target_width, int) else None, image.shape.as_list()[3]])
        return tf.squeeze(made, [0]) if is_one else made
