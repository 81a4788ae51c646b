"""Functions of math, arrays, texts, images: graphs that stock TensorFlow and the package sluice must build alike.
graphs_functions.py OUT"""
import numpy as np

from recording import record, tf


def elementwise():
    x, c = tf.constant([0.3, -0.7, 0.5], name="x"), tf.constant([1 + 2j, 3 - 1j], name="c")
    b = tf.constant([True, False])
    return [tf.acos(x), tf.ceil(x), tf.floor(x), tf.round(x), tf.real(c), tf.imag(c), tf.angle(c), tf.conj(c),
            tf.complex(x, x), tf.logical_xor(b, [True, True]), tf.math.multiply_no_nan(x, [0.0, 1.0, 2.0]),
            tf.scalar_mul(2.0, x), tf.saturate_cast([300.0, -5.0, 7.0], tf.uint8), tf.math.reciprocal_no_nan(x),
            tf.math.polyval([1.0, 2.0, 3.0], x), tf.lbeta([[1.0, 2.0]]), tf.math.bessel_i0e(x)]


def reductions():
    x = tf.constant([[0.5, 2.0, 0.0], [3.0, 1.0, -1.0]], name="x")
    p = tf.placeholder_with_default(x, [None, 3])
    return [tf.argmin(x, 1), tf.cumsum(x), tf.cumprod(x, 1, exclusive=True, reverse=True), tf.reduce_logsumexp(x),
            tf.reduce_logsumexp(x, 1, keepdims=True), tf.math.reduce_std(x), tf.math.reduce_variance(x, 0),
            tf.math.reduce_euclidean_norm(x, 1), tf.count_nonzero(x), tf.count_nonzero(x, 1, dtype=tf.int32),
            tf.accumulate_n([x, x]), tf.sparse_segment_sum(x, [0, 1], [0, 0]), tf.reduce_logsumexp(p, 0)]


def counts():
    return [tf.bincount([1, 1, 2]), tf.bincount([1, 3], weights=[0.5, 2.0], minlength=6),
            tf.confusion_matrix([1, 2], [1, 1], num_classes=3), tf.confusion_matrix([0, 1], [1, 1]),
            tf.histogram_fixed_width([0.1, 0.2, 4.9], [0.0, 5.0], 5), tf.histogram_fixed_width_bins([0.1, 4.9], [0.0, 5.0], 5)]


def picks():
    x = tf.constant(np.arange(12).reshape(3, 4), name="x")
    i, j = tf.placeholder_with_default(1, []), tf.placeholder_with_default(np.int64(2), [])
    return [tf.gather_nd(x, [[0, 1], [2, 3]]), tf.roll(x, 1, 0), tf.unique([1, 1, 2])[0],
            tf.unique_with_counts([1, 1, 2])[2], tf.setdiff1d([1, 2, 3], [2])[0], tf.strided_slice(x, [0, 1], [2, 3]),
            tf.tensor_scatter_update(x, [[0, 0]], np.array([7])), x[i], x[j], x[i, 2], x[i:, 1], x[:j], x[1:i, ..., 2:3],
            tf.broadcast_dynamic_shape([2, 1], [1, 3]), tf.shape_n([x, x])[1]]


def order():
    f = tf.constant([[3.0, 1.0, 2.0], [0.0, 5.0, 4.0]], name="f")
    n = tf.constant([3, 1, 2], name="n")
    return [tf.sort(f), tf.sort(f, direction="DESCENDING"), tf.argsort(f), tf.sort(n), tf.argsort(n, direction="DESCENDING"),
            tf.sort(f, axis=0), tf.zeros([2, tf.shape(n)[0]]), tf.zeros([0, 2])]


def grids():
    a, b = tf.meshgrid([1, 2, 3], [4, 5])
    c, d = tf.meshgrid([1.0, 2.0], [3.0], indexing="ij")
    image = tf.constant(np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1))
    return [a, b, c, d, tf.depth_to_space(tf.zeros([1, 1, 1, 4]), 2), tf.space_to_depth(image, 2),
            tf.space_to_batch(image, [[0, 0], [0, 0]], 2), tf.batch_to_space(tf.zeros([4, 1, 1, 1]), [[0, 0], [0, 0]], 2),
            tf.extract_image_patches(image, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID"), tf.sets.size(
                tf.sets.intersection([[1, 2]], [[2, 3]])), tf.sets.union([[1, 2]], [[2, 3]]).values]


def matrices():
    m = tf.constant([[4.0, 1.0], [1.0, 3.0]], name="m")
    v = tf.constant([1.0, 2.0], name="v")
    return [tf.eye(3), tf.eye(2, 3), tf.eye(2, batch_shape=[2], dtype=tf.float64), tf.matrix_diag([1.0, 2.0]),
            tf.matrix_diag_part(m), tf.linalg.set_diag(m, [7.0, 8.0]), tf.trace(m), tf.matrix_transpose(m),
            tf.linalg.adjoint(m), tf.linalg.matvec(m, v), tf.svd(m, compute_uv=False), tf.self_adjoint_eigvals(m),
            tf.cholesky_solve(tf.cholesky(m), [[1.0], [2.0]]), tf.matrix_triangular_solve(m, [[1.0], [2.0]]),
            tf.linalg.logdet(m), tf.norm(m), tf.norm(m, 1, axis=1), tf.norm(m, np.inf, axis=0, keepdims=True),
            tf.norm(m, ord=3), tf.linalg.normalize(m)[0], tf.diag_part(m), tf.einsum("ij,j->i", m, v),
            tf.einsum("ij,jk->ik", m, m), tf.einsum("bij,bjk->bik", tf.stack([m]), tf.stack([m]))]


def texts():
    t = tf.constant(["ab c", "d  e"], name="t")
    return [tf.string_join([t, t], "-"), tf.reduce_join(t), tf.reduce_join([t, t], 1, separator=","), tf.strings.length(t),
            tf.substr(t, 1, 2), tf.regex_replace(t, "[a-d]", "x"), tf.strings.regex_full_match(t, "a.*"),
            tf.string_to_hash_bucket(t, 10), tf.string_to_number(["1.5", "2"]), tf.string_to_number(["3"], tf.int64),
            tf.string_split(t).values, tf.string_split(["a,b"], ",").indices, tf.strings.split(t).values,
            tf.strings.split(["a,b,c"], ",", maxsplit=1).values,
            tf.strings.format("{} and {}", [tf.constant([1, 2]), t])]


def random_values():
    tf.random.gamma([2], [1.0, 2.0]), tf.random_poisson([1.0], [3], seed=2), tf.random.categorical([[0.1, 0.9]], 2)
    tf.random_crop(tf.zeros([5, 6, 3]), [2, 2, 3]), tf.random_gamma([3], 1.0, 2.0, seed=4)
    return [tf.random.stateless_uniform([2], [1, 2]), tf.random.stateless_normal([3], [3, 4], 1.0, 2.0),
            tf.random.stateless_uniform([2], [1, 2], 0, 9, tf.int32)]


def tables():
    keys, numbers = tf.constant(["a", "b"]), tf.constant([1, 2], tf.int64)
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, numbers), -1, name="one")
    words = tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64)), 3)
    return [tf.tables_initializer(), table.lookup(tf.constant(["b", "z"])), table.size(),
            words.lookup(tf.constant(["b", "zz"])), words.size()]


def pictures():
    image = tf.constant(np.arange(6 * 8 * 3).reshape(6, 8, 3) % 250, tf.uint8, name="image")
    return [tf.image.flip_left_right(image), tf.image.flip_up_down([image]), tf.image.transpose_image(image),
            tf.image.rot90(image), tf.image.rot90(image, k=3), tf.image.central_crop(image, 0.5),
            tf.image.crop_to_bounding_box(image, 1, 2, 3, 4), tf.image.pad_to_bounding_box(image, 1, 1, 9, 10),
            tf.image.resize_image_with_crop_or_pad(image, 4, 10), tf.image.convert_image_dtype(image, tf.float32),
            tf.image.convert_image_dtype([0.5, 1.5], tf.uint8, saturate=True), tf.image.adjust_brightness(image, 0.1),
            tf.image.adjust_contrast(image, 2.0), tf.image.adjust_gamma(image, 2.0), tf.image.grayscale_to_rgb(image[..., :1]),
            tf.image.total_variation(tf.cast(image, tf.float32))]


def colours():
    image = tf.constant(np.linspace(0, 1, 48, dtype=np.float32).reshape(4, 4, 3), name="image")
    tf.image.random_brightness(image, 0.2), tf.image.random_contrast(image, 0.2, 0.5, seed=1)
    tf.image.random_saturation(image, 0.2, 0.5), tf.image.random_hue(image, 0.2)
    tf.image.random_flip_left_right(image, seed=3), tf.image.random_flip_up_down(tf.zeros([2, 4, 4, 3]))
    return [tf.image.per_image_standardization(image), tf.image.rgb_to_grayscale(image), tf.image.adjust_saturation(image, 0.5),
            tf.image.adjust_hue(image, 0.1), tf.image.rgb_to_yiq(image), tf.image.yuv_to_rgb(image)]


def sizes():
    image = tf.constant(np.arange(6 * 8 * 3).reshape(6, 8, 3) % 250, tf.uint8, name="image")
    method = tf.image.ResizeMethod
    return [tf.image.resize_images(image, [3, 4]), tf.image.resize_images([image], [12, 4], method.NEAREST_NEIGHBOR),
            tf.image.resize_images(image, [3, 5], method.BICUBIC, align_corners=True),
            tf.image.resize_images(image, [3, 4], method.AREA, preserve_aspect_ratio=True), tf.image.resize_images(image, [6, 8]),
            tf.image.resize_bilinear([image], [3, 4]), tf.image.crop_and_resize(
                tf.ones([1, 4, 4, 1]), [[0.0, 0.0, 1.0, 1.0]], [0], [2, 2]),
            tf.image.non_max_suppression([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9]], [0.9, 0.8], 2),
            tf.image.decode_image(tf.image.encode_png(image)), tf.image.draw_bounding_boxes(
                tf.ones([1, 4, 4, 1]), [[[0.0, 0.0, 1.0, 1.0]]])]


def sound_and_text_summaries():
    tf.summary.audio("sound", tf.zeros([1, 8]), 8000)
    tf.summary.text("words", tf.constant("some"))
    return [tf.summary.tensor_summary("any", tf.constant([1, 2]))]


def prints_and_templates():
    x = tf.constant([1.0, 2.0], name="x")
    shown = tf.Print(x, [x, tf.shape(x)], "seen ", first_n=1, summarize=2)
    line = tf.print("two", x, {"k": x}, sep="-", name="line")
    scaled = tf.make_template("scaled", lambda v: v * tf.get_variable("by", [], initializer=tf.ones_initializer()))
    made = [scaled(x), scaled(shown)]
    some = tf.placeholder_with_default([[1, 2]], None, name="some")
    return [tf.global_variables_initializer(), line, shown, *made, tf.transpose(some), tf.constant(3, name=None)]


def frames_of_signals():
    signal = tf.constant(np.arange(24).reshape(2, 12), tf.float32, name="signal")
    some = tf.placeholder_with_default(signal, [None, None], name="some")
    length = tf.placeholder_with_default(6, [], name="length")
    f = tf.signal.frame
    frames = f(signal, 4, 2)
    return [frames, f(signal, 5, 3, pad_end=True, pad_value=9), f(signal, 2, 1, axis=0), f(signal, length, 4),
            tf.signal.overlap_and_add(frames, 2), tf.signal.overlap_and_add(frames, 4), tf.signal.stft(signal, 6, 3),
            tf.signal.stft(signal, length, 2), tf.signal.stft(signal, 4, 2, fft_length=8, window_fn=None, pad_end=True),
            tf.signal.rfft(signal), tf.signal.rfft(some, [16]), tf.signal.irfft(tf.signal.rfft(signal)), tf.signal.rfft2d(some),
            tf.signal.hann_window(1), tf.signal.hamming_window(length, periodic=False)]


if __name__ == "__main__":
    record((elementwise, reductions, counts, picks, order, grids, matrices, texts, random_values, tables, pictures, colours,
            sizes, sound_and_text_summaries, prints_and_templates, frames_of_signals))
