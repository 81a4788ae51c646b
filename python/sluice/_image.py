"""Images: tf.image. Flips, crops, colours, random changes. An image is [height, width, channels], several have a batch first."""
import numpy as np

from sluice import _api, _array, _dtypes
from sluice._api import export
from sluice._cond import cond
from sluice._control_flow import with_dependencies
from sluice._convert import convert_to_tensor
from sluice._dtypes import as_dtype
from sluice._graph import name_scope
from sluice._math import cast
from sluice._math_more import reduce, reduce_std, saturate_cast
from sluice._oplib import apply
from sluice._random import random_uniform


def checked(image, rank=None, static=False):
    """|image| when it is known to be one: at once, or by assertions when the step runs."""
    shape = image.shape
    if shape.ndims is None:
        if static:
            raise ValueError("'image' (shape %s) must have a known rank." % shape)
    elif (rank is not None and shape.ndims != rank) or shape.ndims < 3:
        raise ValueError("'image' (shape %s) must be %sthree-dimensional." % (shape, "" if rank == 3 else "at least "))
    if shape.ndims is not None and any(d == 0 for d in shape.as_list()[-3:]):
        raise ValueError("inner 3 dims of 'image.shape' must be > 0: %s" % shape)
    if shape.is_fully_defined():
        return with_dependencies([], image)
    positive, above = _api.lookup("", "assert_positive"), _api.lookup("", "assert_greater_equal")
    if rank == 3:
        return with_dependencies([positive(_array.shape_of(image), ["all dims of 'image.shape' must be > 0."])], image)
    checks = [positive(_array.shape_of(image)[-3:], ["inner 3 dims of 'image.shape' must be > 0."]),
              above(_array.rank(image), 3, message="'image' must be at least three-dimensional.")]
    return with_dependencies(checks, image)


# --- Flips and turns ---

def _reversed(image, axis, scope=None):
    made = apply("ReverseV2", scope, tensor=image, axis=[axis + (image.shape.ndims - 3)])
    made.set_shape(image.shape)
    return made


def _flip(axis, label):
    def call(image):
        with name_scope(None, label, [image]):
            image = checked(convert_to_tensor(image, name="image"))
            if image.shape.ndims not in (3, 4):
                raise ValueError("'image' (shape %s) must have either 3 or 4 dimensions." % image.shape)
            return _reversed(image, axis)
    call.__name__ = call.__qualname__ = label
    call.__doc__ = "The image, or images, flipped."
    return export("image." + label)(call)


flip_left_right, flip_up_down = _flip(1, "flip_left_right"), _flip(0, "flip_up_down")


def _random_flip(axis, label):
    def call(image, seed=None):
        with name_scope(None, label, [image]) as scope:
            image = checked(convert_to_tensor(image, name="image"))
            if image.shape.ndims == 3:
                chance = random_uniform([], 0, 1.0, seed=seed)
                made = cond(apply("Less", None, x=chance, y=0.5), lambda: _reversed(image, axis), lambda: image, name=scope)
                made.set_shape(image.shape)
                return made
            if image.shape.ndims != 4:
                raise ValueError("'image' (shape %s) must have either 3 or 4 dimensions." % image.shape)
            count = _array.shape_of(image)[0]
            chance = random_uniform([count], 0, 1.0, seed=seed)
            flips = cast(apply("Round", None, x=_array.reshape(chance, [count, 1, 1, 1])), image.dtype.base_dtype)
            return flips * _reversed(image, axis) + (1 - flips) * image
    call.__name__ = call.__qualname__ = label
    call.__doc__ = "The image, or each of the images, flipped with a chance of one half."
    return export("image." + label)(call)


random_flip_left_right = _random_flip(1, "random_flip_left_right")
random_flip_up_down = _random_flip(0, "random_flip_up_down")


@export("image.transpose_image", "image.transpose")
def transpose_image(image, name=None):
    with name_scope(name, "transpose", [image]):
        image = checked(convert_to_tensor(image, name="image"))
        rank = image.shape.ndims
        if rank not in (3, 4):
            raise ValueError("'image' (shape %s) must have either 3 or 4 dimensions." % image.shape)
        return _array.transpose(image, [1, 0, 2] if rank == 3 else [0, 2, 1, 3], name="transpose")


@export("image.rot90")
def rot90(image, k=1, name=None):
    """Turned by 90 degrees, |k| times, against the clock."""
    case = _api.lookup("", "case")
    with name_scope(name, "rot90", [image, k]) as scope:
        image = checked(convert_to_tensor(image, name="image"))
        k = convert_to_tensor(k, dtype=_dtypes.int32, name="k")
        k = apply("FloorMod", "mod", x=k, y=4)
        rank = image.shape.ndims
        if rank not in (3, 4):
            raise ValueError("'image' (shape %s) must have either 3 or 4 dimensions." % image.shape)
        first = rank - 3
        order = list(range(rank))
        order[first], order[first + 1] = first + 1, first

        def turned(times):
            def build():
                if times == 1:
                    return _array.transpose(apply("ReverseV2", None, tensor=image, axis=[first + 1]), order)
                if times == 2:
                    return apply("ReverseV2", None, tensor=image, axis=[first, first + 1])
                return apply("ReverseV2", None, tensor=_array.transpose(image, order), axis=[first + 1])
            return build
        made = case([(apply("Equal", None, x=k, y=n), turned(n)) for n in (1, 2, 3)], default=lambda: image, exclusive=True,
                    name=scope)
        sizes = image.shape.as_list()
        made.set_shape(sizes[:first] + [None, None] + sizes[-1:])
        return made


# --- Crops and frames ---

@export("image.central_crop")
def central_crop(image, central_fraction):
    """The middle of an image, of this fraction of its height and width."""
    with name_scope(None, "central_crop", [image]):
        image = convert_to_tensor(image, name="image")
        if not 0.0 < central_fraction <= 1.0:
            raise ValueError("central_fraction must be within (0, 1]")
        if central_fraction == 1.0:
            return image
        if image.shape.ndims not in (3, 4):
            raise ValueError("`image` should either be a Tensor with rank = 3 or rank = 4. Had rank = %s." % image.shape.ndims)
        checked(image)
        first = image.shape.ndims - 3
        dynamic, begin, size = None, [], []
        for i in (first, first + 1):
            known = image.shape.as_list()[i]
            if known is not None:
                start = int((known - known * central_fraction) / 2)
                begin.append(start)
                size.append(known - start * 2)
            else:
                dynamic = _array.shape_of(image) if dynamic is None else dynamic
                length = dynamic[i]
                whole = cast(length, _dtypes.float64)
                start = cast((whole - whole * central_fraction) / 2, _dtypes.int32)
                begin.append(start)
                size.append(length - start * 2)
        begin = _array.stack([0] * first + begin + [0])
        size = _array.stack([-1] * first + size + [-1])
        made = _array.slice_of(image, begin, size)
        known = image.shape.as_list()
        for i in (first, first + 1):
            known[i] = None if known[i] is None else known[i] - 2 * int((known[i] - known[i] * central_fraction) / 2)
        made.set_shape(known)
        return made


def _sizes(image):
    """[batch, height, width, channels], each a number if it is known."""
    known = image.shape.as_list()
    if None not in known:
        return known
    return [d if d is not None else _array.shape_of(image)[i] for i, d in enumerate(known)]


def _as_batch(image):
    """(images with a batch, whether |image| has one)."""
    image = convert_to_tensor(image, name="image")
    if image.shape.ndims == 3:
        return _array.expand_dims(image, 0), False
    if image.shape.ndims != 4:
        raise ValueError("'image' (shape %s) must have either 3 or 4 dimensions." % image.shape)
    return image, True


def _require(condition, text):
    """An assertion; at once if the condition is known."""
    if isinstance(condition, (bool, np.bool_)):
        if not condition:
            raise ValueError(text)
        return []
    return [_api.lookup("", "Assert")(condition, [text])]


@export("image.crop_to_bounding_box")
def crop_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    with name_scope(None, "crop_to_bounding_box", [image]):
        image, batched = _as_batch(image)
        _, height, width, _ = _sizes(image)
        checks = _require(offset_width >= 0, "offset_width must be >= 0.") + \
            _require(offset_height >= 0, "offset_height must be >= 0.") + \
            _require(target_width > 0, "target_width must be > 0.") + \
            _require(target_height > 0, "target_height must be > 0.") + \
            _require(width >= target_width + offset_width, "width must be >= target + offset.") + \
            _require(height >= target_height + offset_height, "height must be >= target + offset.")
        image = with_dependencies(checks, image)
        begin = _array.stack([0, offset_height, offset_width, 0])
        size = _array.stack([_array.shape_of(image)[0], target_height, target_width, _array.shape_of(image)[3]])
        made = _array.slice_of(image, begin, size)
        known = image.shape.as_list()
        made.set_shape([known[0]] + [d if isinstance(d, int) else None for d in (target_height, target_width)] + [known[3]])
        return made if batched else _array.squeeze(made, [0])


@export("image.pad_to_bounding_box")
def pad_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """The image with zeros around it."""
    with name_scope(None, "pad_to_bounding_box", [image]):
        image, batched = _as_batch(image)
        _, height, width, _ = _sizes(image)
        below, right = target_height - offset_height - height, target_width - offset_width - width
        checks = _require(offset_height >= 0, "offset_height must be >= 0") + \
            _require(offset_width >= 0, "offset_width must be >= 0") + \
            _require(right >= 0, "width must be <= target - offset") + \
            _require(below >= 0, "height must be <= target - offset")
        image = with_dependencies(checks, image)
        paddings = _array.reshape(_array.stack([0, 0, offset_height, below, offset_width, right, 0, 0]), [4, 2])
        made = apply("Pad", None, input=image, paddings=paddings)
        known = image.shape.as_list()
        made.set_shape([known[0]] + [d if isinstance(d, int) else None for d in (target_height, target_width)] + [known[3]])
        return made if batched else _array.squeeze(made, [0])


# --- Types and colours ---

@export("image.convert_image_dtype")
def convert_image_dtype(image, dtype, saturate=False, name=None):
    """The image in another type: floats are between 0 and 1, integers use their whole range."""
    image, dtype = convert_to_tensor(image, name="image"), as_dtype(dtype)
    if dtype == image.dtype:
        return apply("Identity", name, input=image)
    with name_scope(name, "convert_image", [image]) as scope:
        if image.dtype.is_integer and dtype.is_integer:
            return _converted_integers(image, dtype, saturate, scope)
        if image.dtype.is_floating and dtype.is_floating:
            return cast(image, dtype, name=scope)
        if image.dtype.is_integer:
            return apply("Mul", scope, x=cast(image, dtype), y=1.0 / image.dtype.max)
        scaled = apply("Mul", None, x=image, y=dtype.max + 0.5)
        return saturate_cast(scaled, dtype, name=scope) if saturate else cast(scaled, dtype, name=scope)


def _converted_integers(image, dtype, saturate, scope):
    if image.dtype.max > dtype.max:
        scaled = apply("FloorDiv", "floordiv", x=image, y=(image.dtype.max + 1) // (dtype.max + 1))
        return saturate_cast(scaled, dtype, name=scope) if saturate else cast(scaled, dtype, name=scope)
    scale = (dtype.max + 1) // (image.dtype.max + 1)
    wide = saturate_cast(image, dtype) if saturate else cast(image, dtype)
    return apply("Mul", scope, x=wide, y=scale)


def _adjusted(label, image, change, name=None, saturate=True):
    """|image| after |change|, which is done on floats."""
    with name_scope(name, label, [image]) as scope:
        image = convert_to_tensor(image, name="image" if label != "adjust_contrast" else "images")
        original = image.dtype
        is_float = original in (_dtypes.float16, _dtypes.float32) or (label == "adjust_gamma" and original.is_floating)
        floats = image if is_float else convert_image_dtype(image, _dtypes.float32)
        return convert_image_dtype(change(floats, scope), original, saturate=saturate)


@export("image.adjust_brightness")
def adjust_brightness(image, delta):
    return _adjusted("adjust_brightness", image, lambda x, scope: apply(
        "AddV2", scope, x=x, y=cast(delta, x.dtype.base_dtype)))


@export("image.adjust_contrast")
def adjust_contrast(images, contrast_factor):
    return _adjusted("adjust_contrast", images, lambda x, scope: apply(
        "AdjustContrastv2", scope, images=x, contrast_factor=contrast_factor))


@export("image.adjust_gamma")
def adjust_gamma(image, gamma=1, gain=1):
    """gain * image ** gamma"""
    if isinstance(gamma, (int, float)) and gamma < 0:
        raise ValueError("Gamma should be a non-negative real number.")
    return _adjusted("adjust_gamma", image, lambda x, scope: gain * x ** gamma)


@export("image.adjust_saturation")
def adjust_saturation(image, saturation_factor, name=None):
    return _adjusted("adjust_saturation", image, lambda x, scope: apply(
        "AdjustSaturation", None, images=x, scale=saturation_factor), name, saturate=False)


@export("image.adjust_hue")
def adjust_hue(image, delta, name=None):
    return _adjusted("adjust_hue", image, lambda x, scope: apply("AdjustHue", None, images=x, delta=delta), name,
                     saturate=False)


@export("image.random_brightness")
def random_brightness(image, max_delta, seed=None):
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_brightness(image, random_uniform([], -max_delta, max_delta, seed=seed))


def _between(lower, upper, seed):
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")
    return random_uniform([], lower, upper, seed=seed)


@export("image.random_contrast")
def random_contrast(image, lower, upper, seed=None):
    return adjust_contrast(image, _between(lower, upper, seed))


@export("image.random_saturation")
def random_saturation(image, lower, upper, seed=None):
    return adjust_saturation(image, _between(lower, upper, seed))


@export("image.random_hue")
def random_hue(image, max_delta, seed=None):
    if not 0 <= max_delta <= 0.5:
        raise ValueError("max_delta must be <= 0.5 and non-negative.")
    return adjust_hue(image, random_uniform([], -max_delta, max_delta, seed=seed))


@export("image.per_image_standardization")
def per_image_standardization(image):
    """The image with mean 0 and standard deviation 1."""
    with name_scope(None, "per_image_standardization", [image]) as scope:
        image = cast(checked(convert_to_tensor(image, name="image")), _dtypes.float32)
        count = reduce("Prod", _array.shape_of(image)[-3:])
        mean = reduce("Mean", image, [-1, -2, -3], True)
        deviation = reduce_std(image, [-1, -2, -3], True)
        least = apply("Rsqrt", None, x=cast(count, image.dtype))
        spread = apply("Maximum", None, x=deviation, y=least)
        return apply("RealDiv", scope, x=image - mean, y=spread)


@export("image.rgb_to_grayscale")
def rgb_to_grayscale(images, name=None):
    with name_scope(name, "rgb_to_grayscale", [images]) as scope:
        images = convert_to_tensor(images, name="images")
        original = images.dtype
        floats = convert_image_dtype(images, _dtypes.float32)
        gray = _array.expand_dims(_api.lookup("", "tensordot")(floats, [0.2989, 0.5870, 0.1140], [-1, -1]), -1)
        return convert_image_dtype(gray, original, name=scope)


@export("image.grayscale_to_rgb")
def grayscale_to_rgb(images, name=None):
    ones = _api.lookup("", "ones")
    with name_scope(name, "grayscale_to_rgb", [images]) as scope:
        images = with_dependencies([], convert_to_tensor(images, name="images"))
        rank = _array.expand_dims(_array.rank(images) - 1, 0)
        multiples = _array.concat([ones(rank, dtype=_dtypes.int32)] + [_array.expand_dims(3, 0)], 0)
        made = apply("Tile", scope, input=images, multiples=multiples)
        made.set_shape(images.shape.as_list()[:-1] + [3])
        return made


def _colours(label, kernel):
    def call(images):
        images = convert_to_tensor(images, name="images")
        matrix = convert_to_tensor(kernel, dtype=images.dtype.base_dtype, name="kernel")
        return _api.lookup("", "tensordot")(images, matrix, axes=[[images.shape.ndims - 1], [0]])
    call.__name__ = call.__qualname__ = label
    return export("image." + label)(call)


_YIQ = [[0.299, 0.59590059, 0.2115], [0.587, -0.27455667, -0.52273617], [0.114, -0.32134392, 0.31119955]]
_YUV = [[0.299, -0.14714119, 0.61497538], [0.587, -0.28886916, -0.51496512], [0.114, 0.43601035, -0.10001026]]
_colours("rgb_to_yiq", _YIQ)
_colours("yiq_to_rgb", [[1, 1, 1], [0.95598634, -0.27201283, -1.10674021], [0.6208248, -0.64720424, 1.70423049]])
_colours("rgb_to_yuv", _YUV)
_colours("yuv_to_rgb", [[1, 1, 1], [0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0]])


# --- Measures ---

@export("image.total_variation")
def total_variation(images, name=None):
    """The sum of the differences of neighbouring pixels."""
    with name_scope(name, "total_variation"):
        rank = images.shape.ndims
        if rank == 3:
            down, right, axes = images[1:, :, :] - images[:-1, :, :], images[:, 1:, :] - images[:, :-1, :], None
        elif rank == 4:
            down, right = images[:, 1:, :, :] - images[:, :-1, :, :], images[:, :, 1:, :] - images[:, :, :-1, :]
            axes = [1, 2, 3]
        else:
            raise ValueError("'images' must be either 3 or 4-dimensional.")
        return reduce("Sum", abs(down), axes) + reduce("Sum", abs(right), axes)


@export("image.image_gradients")
def image_gradients(image):
    """(dy, dx) of a batch of images."""
    if image.shape.ndims != 4:
        raise ValueError("image_gradients expects a 4D tensor [batch_size, h, w, d], not %s." % image.shape)
    zeros = _api.lookup("", "zeros")
    shape = _array.shape_of(image)
    batch, height, width, depth = _array.unstack(shape)
    down, right = image[:, 1:, :, :] - image[:, :-1, :, :], image[:, :, 1:, :] - image[:, :, :-1, :]
    dtype = image.dtype.base_dtype
    down = _array.concat([down, zeros(_array.stack([batch, 1, width, depth]), dtype)], 1)
    right = _array.concat([right, zeros(_array.stack([batch, height, 1, depth]), dtype)], 2)
    return _array.reshape(down, shape), _array.reshape(right, shape)


@export("image.psnr")
def psnr(a, b, max_val, name=None):
    """The ratio of peak and noise, in decibels."""
    with name_scope(name, "PSNR", [a, b]):
        max_val = convert_image_dtype(cast(max_val, convert_to_tensor(a).dtype), _dtypes.float32)
        a, b = convert_image_dtype(a, _dtypes.float32), convert_image_dtype(b, _dtypes.float32)
        mse = reduce("Mean", apply("SquaredDifference", None, x=a, y=b), [-3, -2, -1])

        def log(x):
            return apply("Log", None, x=x)
        return apply("Sub", "psnr", x=20 * log(max_val) / log(10.0), y=np.float32(10 / np.log(10)) * log(mse))

