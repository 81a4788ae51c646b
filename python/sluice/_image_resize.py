"""Images of other sizes, boxes in images, files of images: the rest of tf.image."""
from sluice import _array, _dtypes
from sluice._api import export
from sluice._convert import convert_to_tensor
from sluice._graph import Tensor, name_scope
from sluice._image import _as_batch, _sizes, convert_image_dtype, crop_to_bounding_box, pad_to_bounding_box
from sluice._control_flow import with_dependencies
from sluice._math import cast
from sluice._oplib import apply
from sluice._random import random_uniform
from sluice._static import constant_value


@export("image.ResizeMethod")
class ResizeMethod:
    """How the pixels of a resized image are made."""
    BILINEAR, NEAREST_NEIGHBOR, BICUBIC, AREA = 0, 1, 2, 3


_METHODS = {"bilinear": 0, "nearest": 1, "bicubic": 2, "area": 3}
_OPS = ("ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic", "ResizeArea")


@export("image.resize_images", "image.resize")
def resize_images(images, size, method=ResizeMethod.BILINEAR, align_corners=False, preserve_aspect_ratio=False, name=None):
    """Images of |size|, [height, width]."""
    with name_scope(name, "resize", [images, size]):
        images = convert_to_tensor(images, name="images")
        rank = images.shape.ndims
        if rank is None:
            raise ValueError("'images' contains no shape.")
        if rank not in (3, 4):
            raise ValueError("'images' must have either 3 or 4 dimensions.")
        if rank == 3:
            images = _array.expand_dims(images, 0)
        size = convert_to_tensor(size, dtype=_dtypes.int32, name="size")
        if not size.shape.is_compatible_with([2]):
            raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
        if preserve_aspect_ratio:
            size = _fitting(images, size)
        wanted = constant_value(size)
        known = images.shape.as_list()
        if wanted is not None and None not in known[1:3] and list(wanted) == known[1:3]:
            return _array.squeeze(images, [0]) if rank == 3 else images
        method = _METHODS.get(method, method)
        if method not in (0, 1, 2, 3):
            raise ValueError("Resize method is not implemented: %s" % method)
        options = {} if method == 3 else {"half_pixel_centers": False}
        made = apply(_OPS[method], None, images=images, size=size, align_corners=align_corners, **options)
        made.set_shape([None] + ([None, None] if wanted is None else [int(n) for n in wanted]) + [None])
        return _array.squeeze(made, [0]) if rank == 3 else made


def _fitting(images, size):
    """The largest size within |size| that keeps the proportions."""
    _, height, width, _ = _sizes(images)

    def floats(x):
        return cast(x, _dtypes.float32)
    scale = apply("Minimum", None, x=floats(size[0]) / floats(height), y=floats(size[1]) / floats(width))

    def scaled(length):
        return cast(apply("Round", None, x=scale * floats(length)), _dtypes.int32)
    return convert_to_tensor([scaled(height), scaled(width)], dtype=_dtypes.int32, name="size")


for _name, _op in (("resize_bilinear", _OPS[0]), ("resize_nearest_neighbor", _OPS[1]), ("resize_bicubic", _OPS[2])):
    def _resize(images, size, align_corners=False, name=None, half_pixel_centers=False, op=_op):
        return apply(op, name, images=images, size=size, align_corners=align_corners, half_pixel_centers=half_pixel_centers)
    _resize.__name__ = _resize.__qualname__ = _name
    export("image." + _name)(_resize)


@export("image.resize_image_with_crop_or_pad", "image.resize_with_crop_or_pad")
def resize_image_with_crop_or_pad(image, target_height, target_width):
    """Cut in the middle where it is too large, with zeros around it where it is too small."""
    with name_scope(None, "resize_image_with_crop_or_pad", [image]):
        image, batched = _as_batch(image)
        image = with_dependencies([], image)

        def largest(x, y):
            return max(x, y) if not isinstance(x, Tensor) and not isinstance(y, Tensor) else \
                apply("Maximum", None, x=x, y=y)

        def smallest(x, y):
            return min(x, y) if not isinstance(x, Tensor) and not isinstance(y, Tensor) else \
                apply("Minimum", None, x=x, y=y)
        _, height, width, _ = _sizes(image)
        wider, taller = target_width - width, target_height - height
        image = crop_to_bounding_box(image, largest(-taller // 2, 0), largest(-wider // 2, 0),
                                     smallest(target_height, height), smallest(target_width, width))
        image = pad_to_bounding_box(image, largest(taller // 2, 0), largest(wider // 2, 0), target_height, target_width)
        image = with_dependencies([], image)
        return image if batched else _array.squeeze(image, [0])


# --- Boxes ---

@export("image.crop_and_resize")
def crop_and_resize(image, boxes, box_ind=None, crop_size=None, method="bilinear", extrapolation_value=0, name=None,
                    box_indices=None):
    return apply("CropAndResize", name, image=image, boxes=boxes, box_ind=box_indices if box_ind is None else box_ind,
                 crop_size=crop_size, method=method, extrapolation_value=extrapolation_value)


@export("image.draw_bounding_boxes")
def draw_bounding_boxes(images, boxes, name=None, colors=None):
    if colors is None:
        return apply("DrawBoundingBoxes", name, images=images, boxes=boxes)
    return apply("DrawBoundingBoxesV2", name, images=images, boxes=boxes, colors=colors)


@export("image.sample_distorted_bounding_box")
def sample_distorted_bounding_box(image_size, bounding_boxes, seed=None, seed2=None, min_object_covered=0.1,
                                  aspect_ratio_range=None, area_range=None, max_attempts=None,
                                  use_image_if_no_bounding_boxes=None, name=None):
    """(begin, size, box): a random part of an image that shows enough of an object."""
    with name_scope(name, "sample_distorted_bounding_box"):
        return apply("SampleDistortedBoundingBoxV2", None, image_size=image_size, bounding_boxes=bounding_boxes, seed=seed,
                     seed2=seed2, min_object_covered=min_object_covered, aspect_ratio_range=aspect_ratio_range,
                     area_range=area_range, max_attempts=max_attempts,
                     use_image_if_no_bounding_boxes=use_image_if_no_bounding_boxes)


@export("image.non_max_suppression")
def non_max_suppression(boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=float("-inf"), name=None):
    """The numbers of the best boxes that do not overlap much."""
    with name_scope(name, "non_max_suppression"):
        iou = convert_to_tensor(iou_threshold, dtype=_dtypes.float32, name="iou_threshold")
        least = convert_to_tensor(score_threshold, dtype=_dtypes.float32, name="score_threshold")
        return apply("NonMaxSuppressionV3", None, boxes=boxes, scores=scores, max_output_size=max_output_size,
                     iou_threshold=iou, score_threshold=least)


@export("image.non_max_suppression_with_scores")
def non_max_suppression_with_scores(boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=float("-inf"),
                                    soft_nms_sigma=0.0, name=None):
    with name_scope(name, "non_max_suppression_with_scores"):
        iou = convert_to_tensor(iou_threshold, dtype=_dtypes.float32, name="iou_threshold")
        least = convert_to_tensor(score_threshold, dtype=_dtypes.float32, name="score_threshold")
        sigma = convert_to_tensor(soft_nms_sigma, dtype=_dtypes.float32, name="soft_nms_sigma")
        made = apply("NonMaxSuppressionV5", None, boxes=boxes, scores=scores, max_output_size=max_output_size,
                     iou_threshold=iou, score_threshold=least, soft_nms_sigma=sigma, pad_to_max_output_size=False)
        return made[0], made[1]


@export("image.non_max_suppression_padded")
def non_max_suppression_padded(boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=float("-inf"),
                               pad_to_max_output_size=False, name=None):
    with name_scope(name, "non_max_suppression_padded"):
        iou = convert_to_tensor(iou_threshold, dtype=_dtypes.float32, name="iou_threshold")
        least = convert_to_tensor(score_threshold, dtype=_dtypes.float32, name="score_threshold")
        return tuple(apply("NonMaxSuppressionV4", None, boxes=boxes, scores=scores, max_output_size=max_output_size,
                           iou_threshold=iou, score_threshold=least, pad_to_max_output_size=pad_to_max_output_size))


@export("image.non_max_suppression_overlaps")
def non_max_suppression_overlaps(overlaps, scores, max_output_size, overlap_threshold=0.5, score_threshold=float("-inf"),
                                 name=None):
    with name_scope(name, "non_max_suppression_overlaps"):
        limit = convert_to_tensor(overlap_threshold, dtype=_dtypes.float32, name="overlap_threshold")
        return apply("NonMaxSuppressionWithOverlaps", None, overlaps=overlaps, scores=scores,
                     max_output_size=max_output_size, overlap_threshold=limit, score_threshold=score_threshold)


@export("image.combined_non_max_suppression")
def combined_non_max_suppression(boxes, scores, max_output_size_per_class, max_total_size, iou_threshold=0.5,
                                 score_threshold=float("-inf"), pad_per_class=False, clip_boxes=True, name=None):
    with name_scope(name, "combined_non_max_suppression"):
        iou = convert_to_tensor(iou_threshold, dtype=_dtypes.float32, name="iou_threshold")
        least = convert_to_tensor(score_threshold, dtype=_dtypes.float32, name="score_threshold")
        return apply("CombinedNonMaxSuppression", None, boxes=boxes, scores=scores,
                     max_output_size_per_class=max_output_size_per_class, max_total_size=max_total_size, iou_threshold=iou,
                     score_threshold=least, pad_per_class=pad_per_class, clip_boxes=clip_boxes)


@export("image.extract_glimpse")
def extract_glimpse(input, size, offsets, centered=True, normalized=True, uniform_noise=True, name=None):  # noqa: A002
    return apply("ExtractGlimpse", name, input=input, size=size, offsets=offsets, centered=centered, normalized=normalized,
                 uniform_noise=uniform_noise)


# --- Files ---

@export("image.decode_image", "io.decode_image")
def decode_image(contents, channels=None, dtype=_dtypes.uint8, name=None, expand_animations=True):
    """An image of a JPEG, PNG, GIF or BMP file."""
    with name_scope(name, "decode_image"):
        return apply("DecodeImage", None, contents=contents, channels=channels or 0, dtype=dtype,
                     expand_animations=expand_animations)


@export("image.encode_png")
def encode_png(image, compression=-1, name=None):
    return apply("EncodePng", name, image=convert_to_tensor(image), compression=compression)


@export("image.is_jpeg", "io.is_jpeg")
def is_jpeg(contents, name=None):
    with name_scope(name, "is_jpeg"):
        return apply("Equal", name, x=apply("Substr", None, input=contents, pos=0, len=3), y=b"\xff\xd8\xff")


@export("image.adjust_jpeg_quality")
def adjust_jpeg_quality(image, jpeg_quality, name=None):
    """The image as it is after a JPEG file of this quality."""
    with name_scope(name, "adjust_jpeg_quality", [image]):
        image = convert_to_tensor(image, name="image")
        original, channels = image.dtype.base_dtype, image.shape.as_list()[-1]
        image = convert_image_dtype(image, _dtypes.uint8, saturate=True)
        quality = convert_to_tensor(jpeg_quality, dtype=_dtypes.int32)
        data = apply("EncodeJpegVariableQuality", None, images=image, quality=quality)
        return convert_image_dtype(apply("DecodeJpeg", None, contents=data, channels=channels), original, saturate=True)


@export("image.random_jpeg_quality")
def random_jpeg_quality(image, min_jpeg_quality, max_jpeg_quality, seed=None):
    if not 0 <= min_jpeg_quality < max_jpeg_quality <= 100:
        raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`, and both between 0 and 100.")
    return adjust_jpeg_quality(image, random_uniform([], min_jpeg_quality, max_jpeg_quality, seed=seed, dtype=_dtypes.int32))
