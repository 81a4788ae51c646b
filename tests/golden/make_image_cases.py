#!/usr/bin/env python3
"""Records golden cases of image ops (cases/images_...) as TensorFlow runs them. Small image files are made here."""
import base64
import struct
import sys
import zlib

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.ops import gen_image_ops as ops

from make_cases import Case

# 13 x 9 pixels of CMYK: plain, as Adobe writes it, and as YCCK. TensorFlow cannot make such files.
CMYK = [base64.b64decode(text) for text in (
    b"/9j/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxOUlNSMj5aYVpQYEpRUk//"
    b"wAAUCAAJAA0EQxEATREAWREASxEA/8QAFwABAQEBAAAAAAAAAAAAAAAABQcGAP/EACQQAAECAwgDAAAAAAAAAAAAAAAEBQIy"
    b"QgMGFiIjNGOhMTNB/9oADgRDAE0AWQBLAAA/AMzdmgNwZxdADS1y5SepYfBVWjaHYM4ujYomvRlFrGHISq7NBTQxppDEvwqr"
    b"RtDjYovSLWMh/9k=",
    b"/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwANCQoLCggNCwoLDg4NDxMgFRMSEhMnHB4XIC4pMTAuKS0sMzpKPjM2RjcsLUBXQUZM"
    b"TlJTUjI+WmFaUGBKUVJP/8AAFAgACQANBEMRAE0RAFkRAEsRAP/EABcAAQEBAQAAAAAAAAAAAAAAAAUHBgD/xAAkEAABAgMI"
    b"AwAAAAAAAAAAAAAABAUCMkIDBhYiIzRjoTEzQf/aAA4EQwBNAFkASwAAPwDM3ZoDcGcXQA0tcuUnqWHwVVo2h2DOLo2KJr0Z"
    b"RaxhyEquzQU0MaaQxL8Kq0bQ42KL0i1jIf/Z",
    b"/9j/7gAOQWRvYmUAZAAAAAAC/9sAQwANCQoLCggNCwoLDg4NDxMgFRMSEhMnHB4XIC4pMTAuKS0sMzpKPjM2RjcsLUBXQUZM"
    b"TlJTUjI+WmFaUGBKUVJP/9sAQwEODg4TERMmFRUmTzUtNU9PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09P"
    b"T09PT09PT09PT09P/8AAFAgACQANBAEiAAIRAQMRAQQiAP/EABUAAQEAAAAAAAAAAAAAAAAAAAUH/8QAHxAAAQEJAQAAAAAA"
    b"AAAAAAAAAAQCAwYiIzEyQaEz/8QAFQEBAQAAAAAAAAAAAAAAAAAAAgP/xAAYEQADAQEAAAAAAAAAAAAAAAAAAwUCEv/aAA4E"
    b"AQACEQMRBAAAPwBldEF5+gCiIKmfQ1dsAU+g2qyWqTU9E9Ss2FnLMgYl0LOcD//Z")]


def picture(height, width, channels, kind=np.uint8, seed=7):
    """Smooth colours with some noise."""
    y, x, c = np.mgrid[0:height, 0:width, 0:channels]
    noise = np.random.RandomState(seed).randint(0, 20, [height, width, channels])
    values = (x * 255 // max(width, 1) * (c + 1) + y * 200 // max(height, 1) * (3 - c) + noise) % 256
    return (values * (257 if kind == np.uint16 else 1) + (noise if kind == np.uint16 else 0)).astype(kind)


# --- Files that TensorFlow cannot write --------------------------------------------------------------


def png_chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, depth, color, rows, extra=b"", interlace=0):
    """rows: bytes of each scan line, without its filter."""
    return (b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlace))
            + extra + png_chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows))) + png_chunk(b"IEND", b""))


PALETTE = png_chunk(b"PLTE", bytes([255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 99, 199]))
TRANSPARENCY = png_chunk(b"tRNS", bytes([255, 100, 0]))


def adam7(width, height, rows):
    """The scan lines of an interlaced image with one byte a pixel."""
    for x0, y0, dx, dy in ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)):
        for y in range(y0, height, dy):
            if x0 < width:
                yield rows[y][x0::dx]


def gif_pixels(pixels):
    """LZW without compression: a clear code before the table grows."""
    bits = []

    def put(code):
        bits.extend((code >> i) & 1 for i in range(9))
    for i, pixel in enumerate(pixels):
        if i % 100 == 0:
            put(256)
        put(pixel)
    put(257)
    data = bytes(sum(bit << i for i, bit in enumerate(bits[at:at + 8])) for at in range(0, len(bits), 8))
    blocks = b"".join(bytes([len(data[at:at + 255])]) + data[at:at + 255] for at in range(0, len(data), 255))
    return b"\x08" + blocks + b"\0"


def gif(frames, width=6, height=5, colors=256, flags=0):
    """frames: (left, top, width, height, pixels, transparent or None)."""
    table = bytes((i * k) % 256 for i in range(256) for k in (3, 5, 7))
    size = colors.bit_length() - 2
    out = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80 | size, 0, 0) + table[:3 * colors]
    for left, top, w, h, pixels, transparent in frames:
        if transparent is not None:
            out += b"\x21\xf9\x04" + struct.pack("<BHB", 1, 10, transparent) + b"\0"
        out += b"\x2c" + struct.pack("<HHHHB", left, top, w, h, flags) + gif_pixels(pixels)
    return out + b"\x3b"


def bmp(width, height, channels, top_down=False, extra=0):
    pixels = picture(height, width, channels)
    row = b"".join(line.tobytes().ljust((width * channels + 3) // 4 * 4, b"\0") for line in pixels)
    head = struct.pack("<2sIHHI", b"BM", 54 + len(row), 0, 0, 54)
    head += struct.pack("<IiiHHIIiiII", 40, width, -height if top_down else height, 1, channels * 8, 0, len(row), 0, 0, 0, 0)
    return head + row + b"\0" * extra


def files(case):
    """Image files by name, of every kind."""
    with tf.Session(graph=tf.Graph()) as session:
        def encode(function, *args, **options):
            return session.run(function(*args, **options))
        rgb, gray = picture(19, 27, 3), picture(10, 9, 1)
        found = {
            "jpeg": encode(ops.encode_jpeg, rgb, quality=80),
            "jpeg_444": encode(ops.encode_jpeg, rgb, chroma_downsampling=False),
            "jpeg_gray": encode(ops.encode_jpeg, gray),
            "jpeg_progressive": encode(ops.encode_jpeg, rgb, progressive=True, optimize_size=True),
            "png": encode(ops.encode_png, rgb),
            "png_gray": encode(ops.encode_png, gray),
            "png_gray_alpha": encode(ops.encode_png, picture(5, 4, 2)),
            "png_rgba": encode(ops.encode_png, picture(5, 4, 4)),
            "png16": encode(ops.encode_png, picture(5, 4, 3, np.uint16)),
            "png16_gray_alpha": encode(ops.encode_png, picture(5, 4, 2, np.uint16)),
        }
    found.update({"cmyk%d" % i: data for i, data in enumerate(CMYK)})
    found["png_palette"] = png(5, 2, 2, 3, [b"\x1b\x40", b"\xe4\x00"], PALETTE)
    found["png_palette_alpha"] = png(5, 2, 2, 3, [b"\x1b\x40", b"\xe4\x00"], PALETTE + TRANSPARENCY)
    found["png_gray1"] = png(9, 2, 1, 0, [b"\xa5\x80", b"\x3c\x00"])
    found["png_gray4_key"] = png(3, 2, 4, 0, [b"\x1f\x20", b"\xe4\x50"], png_chunk(b"tRNS", b"\0\x04"))
    found["png_rgb_key"] = png(1, 2, 8, 2, [b"\1\2\3", b"\4\5\6"], png_chunk(b"tRNS", b"\0\1\0\2\0\3"))
    lines = [bytes(range(y * 10, y * 10 + 9)) for y in range(11)]
    found["png_interlaced"] = png(9, 11, 8, 0, list(adam7(9, 11, lines)), interlace=1)
    first = (0, 0, 6, 5, list(range(30)), None)
    found["gif"] = gif([first])
    found["gif_frames"] = gif([first, (2, 1, 3, 2, [90, 91, 92, 93, 94, 95], None), (4, 3, 6, 5, list(range(60, 90)), 70)])
    found["gif_transparent"] = gif([(0, 0, 6, 5, list(range(30)), 7), (0, 0, 6, 5, list(range(5, 35)), 9)])
    found["gif_small_first"] = gif([(1, 1, 2, 2, [5, 6, 7, 8], None), first])
    found["gif_offset"] = gif([(1, 1, 2, 2, [5, 6, 7, 8], None)])
    found["gif_bad_color"] = gif([(0, 0, 2, 2, [5, 6, 7, 8], None)], colors=4)
    found["gif_cut_frame"] = gif([first, first])[:-40]
    found["gif_interlaced"] = gif([(0, 0, 6, 11, list(range(66)), None)], height=11, flags=0x40)
    found["gif_without_frames"] = gif([])
    found["gif_empty_frame"] = gif([first, (0, 0, 0, 5, [], None)])
    for channels in (1, 3, 4):
        found["bmp%d" % channels] = bmp(5, 3, channels)
    found["bmp_top_down"] = bmp(5, 3, 3, top_down=True)
    return found


def decode():
    case = Case("images_decode")
    found = files(case)
    with case.graph.as_default():
        fed = tf.placeholder(tf.string, [], name="file")
        any_rank = tf.placeholder(tf.string, None, name="any")
        decoders = [ops.decode_jpeg(fed), ops.decode_jpeg(fed, channels=1), ops.decode_jpeg(fed, channels=3),
                    ops.decode_png(fed), ops.decode_png(fed, channels=1), ops.decode_png(fed, channels=3),
                    ops.decode_png(fed, channels=4), ops.decode_png(fed, dtype=tf.uint16),
                    ops.decode_png(fed, channels=4, dtype=tf.uint16), ops.decode_gif(fed), ops.decode_bmp(fed),
                    ops.decode_bmp(fed, channels=3), ops.decode_bmp(fed, channels=4), ops.decode_image(fed),
                    ops.decode_image(fed, channels=3, expand_animations=False), ops.decode_image(fed, dtype=tf.uint16),
                    ops.decode_image(fed, channels=3, dtype=tf.float32), ops.extract_jpeg_shape(fed),
                    ops.extract_jpeg_shape(fed, output_type=tf.int64)]
        other = ops.decode_jpeg(any_rank)
    for name in sorted(found):
        for decoder in decoders:
            if name in ("bmp_top_down",) and decoder.dtype != tf.uint8:
                continue  # TensorFlow computes a negative size
            case.again([decoder], {fed: found[name]})
    # What is damaged, cut short or something else.
    for name in ("jpeg", "jpeg_progressive", "png", "gif_frames", "bmp3"):
        data = found[name]
        for bad in (data[:20], data[:len(data) // 2], data[:-3], data + b"more", data[:60] + b"\0\1\2\3" + data[64:]):
            case.again([decoders[13]], {fed: bad})
    for size in range(780, len(found["gif_frames"]), 9):
        case.again([decoders[9]], {fed: found["gif_frames"][:size]})
    case.again([decoders[9]], {fed: found["gif_frames"][:-1]})
    for data in (b"", b"abc", b"BM", b"GIF89a", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n"):
        for decoder in decoders[0], decoders[3], decoders[9], decoders[10], decoders[13], decoders[17]:
            case.again([decoder], {fed: data})
    case.again([other], {any_rank: [b"a"]})

    # The options of JPEG.
    jpeg, gray = found["jpeg"], found["jpeg_gray"]
    with case.graph.as_default():
        options = [ops.decode_jpeg(fed, ratio=2), ops.decode_jpeg(fed, ratio=4, channels=1), ops.decode_jpeg(fed, ratio=8),
                   ops.decode_jpeg(fed, fancy_upscaling=False), ops.decode_jpeg(fed, dct_method="INTEGER_ACCURATE"),
                   ops.decode_jpeg(fed, dct_method="INTEGER_FAST", fancy_upscaling=False, ratio=2),
                   ops.decode_jpeg(fed, try_recover_truncated=True), ops.decode_jpeg(fed, acceptable_fraction=0.3),
                   ops.decode_jpeg(fed, try_recover_truncated=True, acceptable_fraction=0.3)]
        window = tf.placeholder(tf.int32, None, name="window")
        crops = [ops.decode_and_crop_jpeg(fed, window), ops.decode_and_crop_jpeg(fed, window, channels=1),
                 ops.decode_and_crop_jpeg(fed, window, ratio=2)]
        ops.decode_and_crop_jpeg(fed, [1, 2, 3, 4], channels=3, name="known")
        wrong = [ops.decode_jpeg(fed, channels=2), ops.decode_jpeg(fed, channels=4), ops.decode_jpeg(fed, ratio=3),
                 ops.decode_jpeg(fed, dct_method="x")]
    for data in (jpeg, gray, found["jpeg_progressive"], found["cmyk1"], jpeg[:len(jpeg) // 2], jpeg[:-2], jpeg[:300],
                 found["jpeg_progressive"][:400]):
        for option in options:
            case.again([option], {fed: data})
    for box in ([0, 0, 1, 1], [3, 5, 7, 11], [18, 26, 1, 1], [0, 0, 19, 27], [1, 16, 2, 3], [0, 0, 20, 1], [-1, 0, 2, 2],
                [0, 0, 0, 1], [1, 2, 3], [[1, 2, 3, 4]]):
        for data in (jpeg, found["cmyk0"], found["png"], found["gif"], found["bmp3"]):
            for crop in crops:
                case.again([crop], {fed: data, window: box})
    for decoder in wrong:
        case.again([decoder], {fed: jpeg})
    case.write()


def encode():
    case = Case("images_encode")
    for image in (picture(7, 11, 3), picture(16, 8, 1), picture(1, 1, 3)):
        for options in ({}, {"quality": 20}, {"progressive": True}, {"optimize_size": True}, {"chroma_downsampling": False},
                        {"density_unit": "cm", "x_density": 72, "y_density": 100}, {"xmp_metadata": "<x>some text</x>"},
                        {"format": "rgb"}, {"format": "grayscale"}, {"quality": 101}, {"quality": -1}):
            case.run(lambda i=image, o=options: [ops.encode_jpeg(i, **o)])
        for quality in (0, 50, 100, 101, -1):
            case.run(lambda i=image, q=quality: [ops.encode_jpeg_variable_quality(i, q)])
    case.run(lambda: [ops.encode_jpeg(picture(4, 4, 4))])
    with case.graph.as_default():
        image = tf.placeholder(tf.uint8, None, name="image")
        encoders = [ops.encode_jpeg(image), ops.encode_jpeg_variable_quality(image, [90, 80]), ops.encode_png(image)]
    for encoder in encoders:
        for value in (picture(3, 4, 3), picture(3, 4, 3)[0], picture(3, 4, 3)[None], picture(2, 3, 5)):
            case.again([encoder], {image: value})
    for kind in (np.uint8, np.uint16):
        for channels in (1, 2, 3, 4):
            for level in (-1, 0, 9):
                case.run(lambda c=channels, k=kind, l=level: [ops.encode_png(picture(6, 5, c, k), compression=l)])
        case.run(lambda k=kind: [ops.encode_png(np.stack([[picture(3, 2, 3, k, seed=s) for s in range(3)]] * 2))])
    case.run(lambda: [ops.encode_png(picture(40, 50, 3))])
    case.run(lambda: [ops.encode_png(np.zeros([0, 3, 4, 3], np.uint8))])
    case.run(lambda: [ops.encode_png(picture(3, 3, 3), compression=10)])
    # Summaries of images are PNG files.
    for channels in (1, 3, 4):
        case.run(lambda: [tf.summary.image("tag", np.stack([picture(5, 6, channels), picture(5, 6, channels, seed=1)])),
                          tf.summary.image("float", np.stack([picture(5, 6, channels)]).astype(np.float32) / 100, max_outputs=1),
                          tf.summary.image("signed", np.stack([picture(5, 6, channels)]).astype(np.float32) / 100 - 1)])
    case.write()


# --- Resizing ---------------------------------------------------------------------------------------

SIZES = [(1, 1), (2, 3), (5, 7), (8, 4), (16, 21), (3, 1)]
MODES = [{}, {"align_corners": True}, {"half_pixel_centers": True}]
RESIZERS = [ops.resize_bilinear, ops.resize_nearest_neighbor, ops.resize_bicubic]


def batch(kind, shape=(2, 5, 7, 3), seed=3):
    values = np.random.RandomState(seed).uniform(-100 if np.dtype(kind).kind != "u" else 0, 120, shape)
    return values.astype(kind)


def resize():
    case = Case("images_resize", absolute=1e-4)
    for kind in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64, np.float16, np.float32, np.float64):
        for resizer in RESIZERS:
            for mode in MODES if kind in (np.float32, np.uint8) else MODES[2:]:
                for size in SIZES if kind in (np.float32, np.uint8) else SIZES[:3]:
                    case.run(lambda: [resizer(case.constant(batch(kind)), size, **mode)])
        case.run(lambda: [ops.resize_area(case.constant(batch(kind)), (3, 4)), ops.resize_area(case.constant(batch(kind)), (2, 16), align_corners=True)])
    for resizer in RESIZERS:
        case.run(lambda: [resizer(tf.cast(batch(np.float32), tf.bfloat16), (3, 4))])
    for channels in (1, 2, 4):
        for resizer in RESIZERS + [ops.resize_area]:
            case.run(lambda: [resizer(case.constant(batch(np.float32, (1, 6, 5, channels))), size) for size in SIZES])
    for size in SIZES:
        case.run(lambda: [ops.resize_area(case.constant(batch(np.float32)), size), ops.resize_area(case.constant(batch(np.float32)), size, align_corners=True)])
    # A plain surface keeps its value.
    case.run(lambda: [tf.cast(ops.resize_bilinear(np.full([1, 9, 9, 3], 255, np.uint8), (31, 17), half_pixel_centers=True), tf.uint8)])
    # Gradients, of known and of unknown shapes.
    for kind in (np.float32, np.float64, np.float16):
        for resizer in RESIZERS:
            for mode in MODES:
                for size in SIZES[:5]:
                    def gradients(known):
                        x = case.constant(batch(kind)) if known else tf.placeholder_with_default(case.constant(batch(kind)), None)
                        y = resizer(x, size, **mode)
                        weights = batch(np.float32, (2,) + size + (3,), seed=5).astype(y.dtype.as_numpy_dtype) / 100
                        found = tf.gradients(y, x, case.constant(weights))
                        return [g for g in found if g is not None]
                    if kind == np.float16 and resizer == ops.resize_bicubic:
                        continue
                    case.run(lambda: gradients(True))
                    if kind == np.float32:
                        case.run(lambda: gradients(False))
    for kind in (np.int8, np.uint8, np.int32):
        case.run(lambda: [ops.resize_nearest_neighbor_grad(case.constant(batch(kind)), (2, 3)), ops.resize_nearest_neighbor_grad(case.constant(batch(kind)), (8, 9))])
    # What is refused.
    with case.graph.as_default():
        image, size = tf.placeholder(tf.float32, None), tf.placeholder(tf.int32, None)
        for resizer in RESIZERS + [ops.resize_area, ops.resize_nearest_neighbor_grad]:
            fetch = resizer(image, size)
            for bad in ((batch(np.float32)[0], [2, 2]), (batch(np.float32), [2]), (batch(np.float32), [[2, 2]]),
                        (batch(np.float32), [0, 2]), (batch(np.float32), [2, -1]), (batch(np.float32)[:, :0], [2, 2]),
                        (batch(np.float32)[:0], [2, 2])):
                case.again([fetch], {image: bad[0], size: bad[1]})
        original = tf.placeholder(tf.float32, None)
        for gradient in (ops.resize_bilinear_grad, ops.resize_bicubic_grad):
            fetch = gradient(image, original)
            for a, b in (((2, 5, 7, 3), (5, 7, 3)), ((5, 7, 3), (2, 5, 7, 3)), ((2, 0, 7, 3), (2, 5, 7, 3)),
                         ((2, 5, 7, 3), (2, 5, 0, 3))):
                case.again([fetch], {image: batch(np.float32, a), original: batch(np.float32, b)})
    for resizer in RESIZERS:
        case.run(lambda: [resizer(batch(np.float32), [2, 2], align_corners=True, half_pixel_centers=True)])
    with case.graph.as_default():
        for known in ([None, 3, 4, 2], None, [3, 4, 5, 6]):
            for resizer in RESIZERS + [ops.resize_area]:
                resizer(tf.placeholder(tf.float32, known), [5, 6])
                resizer(tf.placeholder(tf.float32, known), tf.placeholder(tf.int32, [2]))
                resizer(tf.placeholder(tf.float32, known), [2, -1])
    case.write()


BOXES = np.array([[0, 0, 1, 1], [0.1, 0.2, 0.8, 0.7], [0.9, 0.9, 0.1, 0.3], [-0.5, 0.2, 0.5, 1.4], [0.3, 0.3, 0.3, 0.3],
                  [0, 1, 1, 0], [1.5, 1.5, 2, 2]], np.float32)
INDICES = np.array([0, 1, 1, 0, 1, 0, 0], np.int32)


def crop():
    case = Case("images_crop", absolute=1e-4)
    for kind in (np.uint8, np.uint16, np.int8, np.int16, np.int32, np.int64, np.float16, np.float32, np.float64):
        for method in ("bilinear", "nearest"):
            for size in ((1, 1), (4, 3), (9, 12)) if kind == np.float32 else ((4, 3),):
                def crops():
                    x, boxes = case.constant(batch(kind)), case.constant(BOXES)
                    y = ops.crop_and_resize(x, boxes, INDICES, size, method=method, extrapolation_value=-7)
                    fetches = [y]
                    if method == "bilinear" or kind in (np.float16, np.float32, np.float64):
                        weights = case.constant(batch(np.float32, (len(BOXES),) + size + (3,), seed=6) / 100)
                        if kind in (np.float16, np.float32, np.float64):
                            fetches += tf.gradients(y, [x], weights)
                        fetches += tf.gradients(y, [boxes], weights)
                    return fetches
                case.run(crops)
    unknown = lambda value: tf.placeholder_with_default(case.constant(np.array(value, np.int32) if isinstance(value, list) else value), None)
    def unknown_crops():
        x, boxes = unknown(batch(np.float32)), unknown(BOXES)
        y = ops.crop_and_resize(x, boxes, unknown(INDICES), unknown([3, 2]))
        return [y] + tf.gradients(y, [x, boxes])
    case.run(unknown_crops)
    image, boxes, few = batch(np.float32), BOXES, INDICES
    for args in ((image[0], boxes, few, [2, 2]), (image, boxes[0], few, [2, 2]), (image, boxes[:, :3], few, [2, 2]),
                 (image, boxes, few[None], [2, 2]), (image, boxes, few[:2], [2, 2]), (image, boxes, few, [2]),
                 (image, boxes, few, [[2, 2]]), (image, boxes, few, [0, 2]), (image, boxes, few + 1, [2, 2]),
                 (image, boxes, few - 1, [2, 2]), (image[:, :0], boxes, few, [2, 2]), (image, boxes * np.nan, few, [2, 2]),
                 (image, boxes[:0], few[:0], [2, 2]), (image[:0], boxes[:0], few[:0], [2, 2]), (image[:0], boxes, few, [2, 2])):
        case.run(lambda: [ops.crop_and_resize(*[unknown(arg) for arg in args])])
    grads = batch(np.float32, (7, 2, 2, 3))
    for args in ((grads[0], boxes, few, [2, 5, 7, 3]), (grads, boxes, few, [2, 5, 7]), (grads, boxes, few, [[2, 5, 7, 3]]),
                 (grads, boxes, few, [2, 5, 7, 4]), (grads, boxes, few, [2, 0, 7, 3]), (grads, boxes, few + 1, [2, 5, 7, 3]),
                 (grads[:3], boxes, few, [2, 5, 7, 3]), (grads[:, :0], boxes, few, [2, 5, 7, 3]), (grads, boxes[0], few, [2, 5, 7, 3]),
                 (grads[:0], boxes[:0], few[:0], [2, 5, 7, 3])):
        case.run(lambda: [ops.crop_and_resize_grad_image(*[unknown(arg) for arg in args], T=tf.float32)])
    for args in ((grads[0], image, boxes, few), (grads, image[0], boxes, few), (grads, image, boxes, few + 1),
                 (grads[..., :2], image, boxes, few), (grads[:3], image, boxes, few), (grads[:, :0], image, boxes, few),
                 (grads, image[:, :0], boxes, few)):
        case.run(lambda: [ops.crop_and_resize_grad_boxes(*[unknown(arg) for arg in args])])
    with case.graph.as_default():
        p = tf.placeholder
        ops.crop_and_resize(p(tf.float32, [2, 3, 4, 5]), p(tf.float32, [7, 4]), p(tf.int32, [7]), [8, 9])
        ops.crop_and_resize(p(tf.float32), p(tf.float32), p(tf.int32), p(tf.int32))
        ops.crop_and_resize_grad_image(p(tf.float32), p(tf.float32), p(tf.int32), [8, 9, 3, 4], T=tf.float32)
        ops.crop_and_resize_grad_image(p(tf.float32), p(tf.float32), p(tf.int32), p(tf.int32), T=tf.float32)
        ops.crop_and_resize_grad_boxes(p(tf.float32), p(tf.float32), p(tf.float32, [7, 4]), p(tf.int32))
    case.write()


def scale():
    case = Case("images_scale", absolute=1e-4)
    unknown = lambda value: tf.placeholder_with_default(case.constant(np.array(value, np.int32) if isinstance(value, list) else value), None)
    for name in ("lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic", "x"):
        for antialias in (True, False):
            for size, factor, offset in (((5, 7), (1, 1), (0, 0)), ((9, 13), (1.8, 1.9), (0, 0)), ((2, 3), (0.4, 0.43), (0.1, -0.1)),
                                         ((6, 6), (1.3, 0.6), (-2, 1.5)), ((3, 3), (5, 5), (40, -40))):
                def scaled():
                    x = case.constant(batch(np.float32))
                    y = ops.scale_and_translate(x, size, np.float32(factor), np.float32(offset), kernel_type=name, antialias=antialias)
                    return [y] + tf.gradients(y, x, case.constant(batch(np.float32, (2,) + size + (3,), seed=6) / 100))
                case.run(scaled)
    for kind in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64, np.float16, np.float64):
        case.run(lambda: [ops.scale_and_translate(batch(kind), (3, 4), [0.6, 0.6], [0.2, 0.1])])
    image, one, zero = batch(np.float32), np.ones(2, np.float32), np.zeros(2, np.float32)
    for args in ((image[0], [2, 2], one, zero), (image, [2], one, zero), (image, [[2, 2]], one, zero), (image, [2, 2], one[:1], zero),
                 (image, [2, 2], one[None], zero), (image, [2, 2], zero, zero), (image, [2, 2], -one, zero), (image, [2, 2], one, zero[:1]),
                 (image, [0, 2], one, zero), (image[:, :0], [2, 2], one, zero), (image[:0], [2, 2], one, zero), (image[..., :0], [2, 2], one, zero)):
        case.run(lambda: [ops.scale_and_translate(*[unknown(arg) for arg in args])])
    for args in ((image[0], image, one, zero), (image, image[0], one, zero), (image, image, one[:1], zero), (image, image, zero, zero)):
        case.run(lambda: [ops.scale_and_translate_grad(*[unknown(arg) for arg in args])])
    case.write()


# --- Colours, boxes, windows ----------------------------------------------------------------------------


def feeder(case):
    """Gives constants whose shape the graph does not know."""
    def unknown(value):
        return tf.placeholder_with_default(case.constant(np.array(value, np.int32) if isinstance(value, list) else value), None)
    return unknown


def color():
    case = Case("images_color")
    unknown = feeder(case)
    f = np.float32
    image = batch(np.uint8, (2, 4, 5, 3)).astype(f) / 120
    plain = np.array([[0, 0, 0], [1, 1, 1], [0.5, 0.5, 0.2], [0.2, 0.5, 0.5], [0.5, 0.2, 0.5], [0, 0.3, 0], [1, 0, 0]], f)
    image[0, 0, :5] = plain[:5]
    for factor in (0, 0.5, 1, 2, -1):
        case.run(lambda: [ops.adjust_contrastv2(case.constant(x), f(factor)) for x in (image, image[0], image[..., :2], image[:, :0])])
    for delta in (0, 0.1, 0.5, 1, -0.3, 2.7, -1):
        case.run(lambda: [ops.adjust_hue(case.constant(x), f(delta)) for x in (image, plain[None])])
    for scale in (0, 0.5, 1, 1.7, 10, -1):
        case.run(lambda: [ops.adjust_saturation(case.constant(x), f(scale)) for x in (image, plain[None], -image)])
    for op in (ops.adjust_contrastv2, ops.adjust_hue, ops.adjust_saturation):
        for args in ((image[0, 0], f(1)), (image, np.ones(1, f)), (image[..., :2], f(1))):
            case.run(lambda: [op(*[unknown(x) for x in args])])
    for kind in (np.float32, np.float64, np.float16):
        def convert(values):
            x = case.constant(values.astype(kind))
            hsv = ops.rgb_to_hsv(x)
            weights = case.constant((batch(np.float64, values.shape, seed=5) / 100).astype(kind))
            return [hsv, ops.hsv_to_rgb(x), ops.hsv_to_rgb(hsv)] + (tf.gradients(hsv, x, weights) if kind == np.float32 and len(values) > 3 or kind == np.float64 and values is image else [])
        for values in (image, image[0, 0], image[0, 0, 0], plain, image[:0]):
            case.run(lambda: convert(values))
    for op in (ops.rgb_to_hsv, ops.hsv_to_rgb):
        for bad in (f(1), image[..., :2]):
            case.run(lambda: [op(unknown(bad))])
        with case.graph.as_default():
            op(tf.placeholder(tf.float32, [5, None, None]))
            op(tf.placeholder(tf.float32))
    case.write()


def boxes():
    case = Case("images_boxes")
    unknown = feeder(case)
    f = np.float32
    image = batch(np.float32, (2, 9, 11, 3))
    drawn = np.array([[[0.1, 0.2, 0.8, 0.7], [0, 0, 1, 1], [-0.5, 0.3, 0.5, 0.6]], [[0.9, 0.9, 0.1, 0.1], [0.4, -3, 0.6, 5], [2, 2, 3, 3]]], f)
    colors = np.array([[9, 8, 7, 6], [5, 4, 3, 2]], f)
    for channels in (1, 3, 4):
        for kind in (np.float32, np.float16):
            x = batch(kind, (2, 9, 11, channels))
            case.run(lambda: [ops.draw_bounding_boxes(case.constant(x), drawn), ops.draw_bounding_boxes_v2(case.constant(x), drawn, colors),
                              ops.draw_bounding_boxes_v2(case.constant(x), drawn, colors[:0]),
                              ops.draw_bounding_boxes(case.constant(x), np.tile(drawn, [1, 4, 1]) * np.linspace(0.5, 1, 12, dtype=f)[None, :, None])])
    for args in ((image, drawn[0]), (image, drawn[:1]), (image[..., :2], drawn), (image, drawn[..., :3]), (image[:0], drawn[:0])):
        case.run(lambda: [ops.draw_bounding_boxes(*[unknown(x) for x in args])])
    for bad in (colors[0], colors[:, :2]):
        case.run(lambda: [ops.draw_bounding_boxes_v2(image, drawn, unknown(bad))])

    # Suppression. No two scores are equal.
    random = np.random.RandomState(4)
    corners = random.uniform(0, 1, [30, 2]).astype(f)
    rectangles = np.concatenate([corners, corners + random.uniform(0, 0.5, [30, 2])], axis=1).astype(f)
    rectangles[::3] = rectangles[::3, [2, 3, 0, 1]]
    scores = random.permutation(np.linspace(0.05, 0.95, 30)).astype(f)
    for iou in (0, 0.2, 0.5, 1):
        for most in (0, 3, 50):
            for floor in (0, 0.4, 2):
                def suppressed(kind):
                    r, s, i, t = (case.constant(x.astype(kind)) for x in (rectangles, scores, f(iou), f(floor)))
                    found = [ops.non_max_suppression_v2(r, s, most, i), ops.non_max_suppression_v3(r, s, most, i, t)]
                    for pad in (False, True):
                        found += ops.non_max_suppression_v4(r, s, most, i, t, pad_to_max_output_size=pad)
                        for sigma in (0, 0.5):
                            found += ops.non_max_suppression_v5(r, s, most, i, t, case.constant(np.array(sigma, kind)), pad_to_max_output_size=pad)
                    return found
                case.run(lambda: suppressed(np.float32))
            case.run(lambda: [ops.non_max_suppression(rectangles, scores, most, iou_threshold=iou)])
    case.run(lambda: [ops.non_max_suppression_v3(case.constant(rectangles.astype(np.float16)), case.constant(scores.astype(np.float16)), 20, f(0.3), f(0.1))])
    case.run(lambda: [ops.non_max_suppression_v3(rectangles[:0], scores[:0], 20, f(0.3), f(0.1))])
    case.run(lambda: [ops.non_max_suppression_v3(rectangles, np.full([30], 0.5, f), 20, f(0.3), f(0.1))])
    overlaps = random.uniform(0, 1, [30, 30]).astype(f)
    for limit in (0.3, 0.9, 2):
        case.run(lambda: [ops.non_max_suppression_with_overlaps(overlaps, scores, most, limit, f(0.2)) for most in (0, 5, 40)])
    for args in ((rectangles[0], scores, np.int32(2), f(0.5), f(0)), (rectangles[:, :3], scores, np.int32(2), f(0.5), f(0)),
                 (rectangles, scores[:2], np.int32(2), f(0.5), f(0)), (rectangles, scores[None], np.int32(2), f(0.5), f(0)),
                 (rectangles, scores, [2], f(0.5), f(0)), (rectangles, scores, np.int32(-2), f(0.5), f(0)),
                 (rectangles, scores, np.int32(2), np.ones(1, f), f(0)), (rectangles, scores, np.int32(2), f(1.5), f(0)),
                 (rectangles, scores, np.int32(2), f(0.5), np.ones(1, f))):
        case.run(lambda: [ops.non_max_suppression_v3(*[unknown(x) for x in args])])
    for args in ((overlaps[0], scores), (overlaps[:2], scores), (overlaps, scores[:2])):
        case.run(lambda: [ops.non_max_suppression_with_overlaps(*[unknown(x) for x in args], 2, f(0.5), f(0))])
    with case.graph.as_default():
        p = tf.placeholder
        for pad in (False, True):
            ops.non_max_suppression_v4(p(tf.float32, [3, 4]), p(tf.float32), 2, 0.5, 0.0, pad_to_max_output_size=pad)
            ops.non_max_suppression_v5(p(tf.float32), p(tf.float32), 2, 0.5, 0.0, 0.0, pad_to_max_output_size=pad)
            for most, total in ((2, 7), (p(tf.int32, []), 7), (2, p(tf.int32, []))):
                ops.combined_non_max_suppression(p(tf.float32, [2, 3, 1, 4]), p(tf.float32, [2, 3, 5]), most, total, 0.5, 0.0, pad_per_class=pad)
            ops.combined_non_max_suppression(p(tf.float32), p(tf.float32), 2, 7, 0.5, 0.0, pad_per_class=pad)

    # All classes together.
    many = np.stack([rectangles[:10], rectangles[10:20]])[:, :, None] * 1.2 - 0.1
    of_classes = np.tile(many, [1, 1, 3, 1]) + random.uniform(-0.1, 0.1, [2, 10, 3, 4]).astype(f)
    class_scores = random.permutation(np.linspace(0, 1, 60)).reshape([2, 10, 3]).astype(f)
    for which in (many, of_classes):
        for per_class, total in ((2, 4), (5, 20), (20, 9), (1, 50)):
            for pad in (False, True):
                for clip in (False, True):
                    case.run(lambda: list(ops.combined_non_max_suppression(which.astype(f), class_scores, per_class, total, f(0.3), f(0.2),
                                                                            pad_per_class=pad, clip_boxes=clip)))
    for args in ((many[0], class_scores, np.int32(2), np.int32(3), f(0.5), f(0)), (many, class_scores[0], np.int32(2), np.int32(3), f(0.5), f(0)),
                 (of_classes[:, :, :2], class_scores, np.int32(2), np.int32(3), f(0.5), f(0)), (many[..., :3], class_scores, np.int32(2), np.int32(3), f(0.5), f(0)),
                 (many, class_scores[:, :3], np.int32(2), np.int32(3), f(0.5), f(0)), (many[:1], class_scores, np.int32(2), np.int32(3), f(0.5), f(0)),
                 (many, class_scores, [2], np.int32(3), f(0.5), f(0)), (many, class_scores, np.int32(0), np.int32(3), f(0.5), f(0)),
                 (many, class_scores, np.int32(2), [3], f(0.5), f(0)), (many, class_scores, np.int32(2), np.int32(0), f(0.5), f(0)),
                 (many, class_scores, np.int32(2), np.int32(3), np.ones(1, f), f(0)), (many, class_scores, np.int32(2), np.int32(3), f(1.5), f(0)),
                 (many, class_scores, np.int32(2), np.int32(3), f(0.5), np.ones(1, f))):
        case.run(lambda: list(ops.combined_non_max_suppression(*[unknown(x.astype(f) if x is many else x) for x in args]))[:1])
    case.write()


def windows():
    case = Case("images_windows")
    unknown = feeder(case)
    f = np.float32
    sampled = np.array([[[0.1, 0.2, 0.6, 0.9], [0.5, 0.5, 0.7, 0.7]]], f)
    for size in ([40, 50, 3], [7, 5, 1], [1, 1, 3], [300, 20, 3]):
        for options in ({}, {"aspect_ratio_range": [0.5, 2]}, {"area_range": [0.3, 0.5]}, {"max_attempts": 2},
                        {"aspect_ratio_range": [0.01, 100], "area_range": [0.9, 1]}):
            for covered in (0, 0.1, 0.9):
                case.run(lambda: list(ops.sample_distorted_bounding_box(size, sampled, seed=3, seed2=5, min_object_covered=covered, **options)))
                case.run(lambda: list(ops.sample_distorted_bounding_box_v2(size, sampled, f(covered), seed=7, **options)))
                case.run(lambda: list(ops.stateless_sample_distorted_bounding_box(size, sampled, f(covered), [3, 4], **options)))
    with case.graph.as_default():
        again = list(ops.sample_distorted_bounding_box_v2([100, 90, 3], sampled, f(0.2), seed=11, seed2=2))
        image = ops.sample_distorted_bounding_box_v2([100, 90, 3], np.zeros([1, 0, 4], f), f(0.2), seed=1, use_image_if_no_bounding_boxes=True)
    for _ in range(5):
        case.again(again)
    case.again(list(image))
    for kind in (np.uint8, np.int8, np.int16, np.int64):
        case.run(lambda: list(ops.sample_distorted_bounding_box_v2(np.array([100, 90, 3], kind), sampled, f(0.2), seed=11)))
    for seed in (np.array([1 << 40, -1]), np.array([0, 0])):
        case.run(lambda: list(ops.stateless_sample_distorted_bounding_box([100, 90, 3], sampled, f(0.2), case.constant(seed))))
    for args in (([[40, 50, 3]], sampled, f(0.1)), ([40, 50], sampled, f(0.1)), ([40, 50, 3], sampled[0], f(0.1)), ([40, 50, 3], sampled[..., :3], f(0.1)),
                 ([40, 50, 3], sampled, np.ones(1, f)), ([40, 50, 3], sampled, f(-1)), ([40, 50, 3], sampled * 2, f(0.1)),
                 ([40, 50, 3], sampled[:, :0], f(0.1)), ([-4, 5, 3], sampled, f(0.1))):
        case.run(lambda: list(ops.sample_distorted_bounding_box_v2(*[unknown(x) for x in args]))[:1])
    for options in ({"aspect_ratio_range": [0.5]}, {"aspect_ratio_range": [-0.5, 1]}, {"area_range": [0.5]}, {"area_range": [0, 1]},
                    {"area_range": [0.5, 1.5]}, {"max_attempts": 0}):
        case.run(lambda: list(ops.sample_distorted_bounding_box_v2([40, 50, 3], sampled, f(0.1), **options))[:1])
    case.run(lambda: list(ops.sample_distorted_bounding_box([40, 50, 3], sampled, min_object_covered=-1))[:1])
    case.run(lambda: list(ops.stateless_sample_distorted_bounding_box([40, 50, 3], sampled, f(0.1), unknown([1])))[:1])

    # Glimpses; noise cannot be compared.
    image = batch(np.float32, (3, 6, 7, 2))
    for op in (ops.extract_glimpse, ops.extract_glimpse_v2):
        for centered in (False, True):
            for normalized in (False, True):
                for size in ([2, 3], [5, 5], [9, 8], [0, 2]):
                    for scale in (0, 0.3, 1, 3, -0.7):
                        offsets = np.array([[1, 1], [0.4, -0.8], [-1, 0.5]], f) * f(scale)
                        case.run(lambda: [op(case.constant(image), size, case.constant(offsets), centered=centered, normalized=normalized,
                                             noise="zero", uniform_noise=False)])
        case.run(lambda: [op(case.constant(image), [2, 3], case.constant(np.zeros([3, 2], f)))])
        zero = np.zeros([3, 2], f)
        for args in ((image[0], [2, 2], zero), (image, [2], zero), (image, [2, 2], zero[0]), (image, [2, 2], zero[:1]), (image, [2, 2], zero[:, :1]), (image, [-1, 2], zero)):
            case.run(lambda: [op(*[unknown(x) for x in args])])
        case.run(lambda: [op(image, [2, 2], zero, noise="x", uniform_noise=False)])
        with case.graph.as_default():
            p = tf.placeholder
            op(p(tf.float32, [None, 6, 2, 3]), [7, 8], p(tf.float32, [5, 2]))
            op(p(tf.float32), p(tf.int32, [2]), p(tf.float32))

    # Transforms.
    moves = np.array([[1, 0, 0, 0, 1, 0, 0, 0], [0.8, 0.3, -1.2, -0.2, 1.1, 0.7, 0.01, -0.02], [2, 0, 5, 0, 2, -3, 0, 0]], f)
    for kind in (np.uint8, np.int32, np.int64, np.float16, np.float32, np.float64):
        for interpolation in ("NEAREST", "BILINEAR"):
            for mode in ("CONSTANT", "REFLECT", "WRAP", "NEAREST"):
                def moved():
                    x = case.constant(batch(kind, (3, 6, 7, 2)))
                    found = [ops.image_projective_transform_v2(x, moves, [6, 7], interpolation=interpolation, fill_mode=mode),
                             ops.image_projective_transform_v2(x, moves[1:2], [4, 9], interpolation=interpolation, fill_mode=mode),
                             ops.image_projective_transform_v3(x, moves, [6, 7], f(7.7), interpolation=interpolation, fill_mode=mode)]
                    if kind in (np.float32, np.float64):
                        found += tf.gradients(found[0], x) + tf.gradients(found[1:], x)
                    return found
                case.run(moved)
    for args in ((image[0], moves, [2, 2], f(0)), (image, moves[0], [2, 2], f(0)), (image, moves[:, :7], [2, 2], f(0)), (image, moves[:2], [2, 2], f(0)),
                 (image, moves, [2], f(0)), (image, moves, [[2, 2]], f(0)), (image, moves, [0, 2], f(0)), (image, moves, [2, 2], np.zeros(1, f))):
        case.run(lambda: [ops.image_projective_transform_v3(*[unknown(x) for x in args], interpolation="NEAREST")])
    case.write()


CASES = {"decode": decode, "encode": encode, "resize": resize, "crop": crop, "scale": scale, "color": color, "boxes": boxes, "windows": windows}

if __name__ == "__main__":
    for chosen in sys.argv[1:] or CASES:
        CASES[chosen]()
