#!/usr/bin/env python3
"""Records golden cases of lists and maps of tensors (cases/tensor_lists) and of gradients through them
(loop_gradients/tensor_lists, list_in_while) as TensorFlow runs them."""
import os

import tensorflow.compat.v1 as tf
from make_cases import HERE, Case
from tensorflow.python.ops import gen_list_ops as lists
from tensorflow.python.ops import gen_map_ops as maps


def hidden(value, dtype=None):
    """A constant of a shape that the graph does not tell."""
    return tf.placeholder_with_default(tf.constant(value, dtype), None)


def shape(value):
    return tf.constant(value, tf.int32)


def of_rows(value, element=None):
    value = tf.constant(value) if isinstance(value, list) else value
    return lists.tensor_list_from_tensor(value, shape(-1) if element is None else element)


def reserved(count, element, dtype=tf.float32):
    return lists.tensor_list_reserve(element, count, dtype)


def stacked(handle, dtype=tf.float32, element=-1, **more):
    return lists.tensor_list_stack(handle, element if isinstance(element, tf.Tensor) else shape(element), dtype, **more)


MATRIX = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


def tensor_lists():
    case = Case("tensor_lists")

    def good(build):
        case.run(lambda: tf.nest.flatten(build()))

    # Values of every kind of element.
    for value in (MATRIX, [1, 2, 3], ["a", "", "ccc" * 20], [True, False], [1j, 2 + 3j]):
        good(lambda v=value: [stacked(of_rows(v), tf.constant(v).dtype), lists.tensor_list_length(of_rows(v)),
                              lists.tensor_list_element_shape(of_rows(v), tf.int64),
                              lists.tensor_list_element_shape(of_rows(v, shape([-1] * (tf.constant(v).shape.rank - 1))),
                                                              tf.int32)])
    good(lambda: stacked(of_rows(hidden(MATRIX), hidden([2]))))
    good(lambda: stacked(of_rows(tf.zeros([0, 3]), shape([3]))))
    good(lambda: stacked(of_rows(tf.zeros([0, 3])), element=hidden([3])))

    # One element at a time.
    def pushed(count, limit=-1, element=(2,)):
        handle = lists.empty_tensor_list(shape(list(element)), limit, tf.float32)
        for i in range(count):
            handle = lists.tensor_list_push_back(handle, tf.constant([1.0 + i, 2.0]))
        return handle

    good(lambda: stacked(pushed(3)))
    good(lambda: lists.tensor_list_length(pushed(0)))
    good(lambda: [lists.tensor_list_pop_back(pushed(2), shape([2]), tf.float32)[1],
                  stacked(lists.tensor_list_pop_back(pushed(2), shape([2]), tf.float32)[0])])
    good(lambda: stacked(pushed(3, 2)))
    good(lambda: lists.tensor_list_pop_back(pushed(0), shape([2]), tf.float32)[1])
    good(lambda: lists.tensor_list_pop_back(reserved(1, shape([2])), shape([-1]), tf.float32)[1])
    good(lambda: lists.tensor_list_pop_back(reserved(1, shape(-1)), hidden([-1]), tf.float32)[1])
    for index in (0, 2, 3, -1):
        good(lambda i=index: lists.tensor_list_get_item(of_rows(MATRIX), i, shape(-1), tf.float32))
        good(lambda i=index: stacked(lists.tensor_list_set_item(of_rows(MATRIX), i, tf.constant([9.0, 8.0]))))
        if index >= 0:  # else TensorFlow crashes
            good(lambda i=index: lists.tensor_list_length(lists.tensor_list_set_item(
                of_rows(MATRIX), i, tf.constant([9.0, 8.0]), resize_if_index_out_of_bounds=True)))
    good(lambda: lists.tensor_list_get_item(reserved(2, shape([2])), 1, shape(-1), tf.float32))
    good(lambda: lists.tensor_list_get_item(reserved(2, shape(-1)), 1, hidden([3]), tf.float32))
    good(lambda: lists.tensor_list_get_item(reserved(2, shape(-1)), 1, hidden(-1), tf.float32))
    good(lambda: lists.tensor_list_get_item(reserved(2, shape(-1)), 1, hidden(5), tf.float32))
    good(lambda: lists.tensor_list_get_item(
        lists.tensor_list_set_item(reserved(2, shape(-1)), 0, tf.constant([1.0, 2.0])), 1, hidden(-1), tf.float32))
    good(lambda: lists.tensor_list_length(lists.tensor_list_set_item(of_rows(MATRIX, shape([2])), 0, hidden([1.0]))))
    good(lambda: lists.tensor_list_length(lists.tensor_list_push_back(of_rows(MATRIX, shape([2])), hidden([1.0]))))
    for size in (0, 2, 5, -1):
        good(lambda n=size: stacked(lists.tensor_list_resize(of_rows(MATRIX, shape([2])), n)))
    good(lambda: stacked(reserved(3, shape([2, 2]))))
    good(lambda: stacked(reserved(3, hidden([2, -1]))))
    good(lambda: stacked(reserved(hidden(-3), shape([2, 2]))))
    good(lambda: stacked(reserved(2, shape([2]), tf.string), tf.string))
    good(lambda: stacked(of_rows(MATRIX), element=hidden([3])))
    good(lambda: stacked(of_rows(MATRIX), element=hidden([2, 2])))
    good(lambda: stacked(of_rows(MATRIX), num_elements=3))
    good(lambda: stacked(of_rows(MATRIX), num_elements=2))
    good(lambda: stacked(lists.tensor_list_push_back(of_rows(MATRIX), tf.constant([1.0]))))

    # Several elements.
    for indices in ([0], [2, 0, 0], [], [3], [-1]):
        good(lambda x=indices: lists.tensor_list_gather(of_rows(MATRIX), tf.constant(x, tf.int32), shape([2]), tf.float32))
    good(lambda: lists.tensor_list_gather(of_rows(MATRIX), tf.constant([], tf.int32), hidden(-1), tf.float32))
    good(lambda: lists.tensor_list_gather(reserved(3, shape([2])), [1], shape(-1), tf.float32))
    good(lambda: lists.tensor_list_gather(reserved(3, shape([-1])), [1], hidden(-1), tf.float32))
    for indices, count in (([0, 2, 1], 3), ([1, 4, 2], 6), ([1, 4, 2], 3), ([0, 0, 1], -1), ([-1, 0, 1], 3), ([0, 1], 3),
                           ([0, 1, 2], -2)):
        good(lambda x=indices, n=count: stacked(lists.tensor_list_scatter_v2(tf.constant(MATRIX), x, shape([2]), n)))
    good(lambda: stacked(lists.tensor_list_scatter(tf.constant(MATRIX), [2, 0, 4], shape([2]))))
    good(lambda: stacked(lists.tensor_list_scatter_into_existing_list(reserved(3, shape([2])), tf.constant(MATRIX), [2, 0, 1])))
    good(lambda: stacked(lists.tensor_list_scatter_into_existing_list(reserved(3, shape([2])), tf.constant(MATRIX), hidden([2, 0]))))
    good(lambda: stacked(lists.tensor_list_scatter_into_existing_list(of_rows(MATRIX), tf.constant([[7.0, 8.0]]), [1])))

    # Rows of different numbers.
    def split(lengths, element=(-1, 2)):
        return lists.tensor_list_split(tf.constant(MATRIX), hidden(list(element), tf.int32), hidden(lengths, tf.int64))

    for lengths in ([1, 2], [0, 3], [3], [1, 1], [2, 2], [4], [-1, 4]):
        good(lambda x=lengths: list(lists.tensor_list_concat_v2(split(x), shape([-1, 2]), tf.constant([], tf.int64), tf.float32)))
        good(lambda x=lengths: list(lists.tensor_list_concat(split(x), tf.float32)))
    good(lambda: lists.tensor_list_length(split([1, 2], (-1, 3))))
    good(lambda: lists.tensor_list_length(split([1, 2], ())))
    good(lambda: list(lists.tensor_list_concat_v2(reserved(2, shape([-1, 2])), shape([-1, 2]), tf.constant([1, 2], tf.int64), tf.float32)))
    good(lambda: list(lists.tensor_list_concat_v2(reserved(2, shape([-1, 2])), shape([-1, 2]), tf.constant([1], tf.int64), tf.float32)))
    good(lambda: list(lists.tensor_list_concat_v2(reserved(2, shape([3, 2])), shape([-1, 2]), tf.constant([], tf.int64), tf.float32)))
    good(lambda: list(lists.tensor_list_concat(reserved(2, shape([3, 2])), tf.float32, element_shape=[None, 2])))
    good(lambda: list(lists.tensor_list_concat_v2(of_rows(MATRIX), hidden([3]), tf.constant([], tf.int64), tf.float32)))
    good(lambda: list(lists.tensor_list_concat_v2(of_rows([1.0, 2.0]), hidden(-1), tf.constant([], tf.int64), tf.float32)))
    good(lambda: list(lists.tensor_list_concat_v2(lists.empty_tensor_list(shape([]), -1, tf.float32), shape(-1), tf.constant([], tf.int64), tf.float32)))
    one_set = lambda count, element=-1: lists.tensor_list_set_item(reserved(count, shape(element)), 1, tf.constant(MATRIX))
    good(lambda: list(lists.tensor_list_concat_v2(one_set(3), shape(-1), tf.constant([], tf.int64), tf.float32)))
    good(lambda: list(lists.tensor_list_concat_v2(one_set(3, [-1, 2]), shape(-1), tf.constant([4, 4, 1], tf.int64), tf.float32)))
    good(lambda: list(lists.tensor_list_concat_v2(one_set(3, [3, 2]), shape(-1), tf.constant([4], tf.int64), tf.float32)))

    # Several lists.
    both = lambda: tf.stack([of_rows(MATRIX, shape([2])), of_rows(MATRIX[:1], shape([2]))])
    good(lambda: [stacked(x) for x in tf.unstack(lists.tensor_list_push_back_batch(both(), tf.constant(MATRIX[:2])))])
    good(lambda: [stacked(x) for x in tf.unstack(lists.tensor_list_push_back_batch(both(), hidden(MATRIX)), num=2)])
    good(lambda: [stacked(x) for x in tf.unstack(lists.tensor_list_concat_lists(both(), both(), tf.float32))])
    good(lambda: stacked(lists.tensor_list_concat_lists(of_rows(MATRIX), of_rows(MATRIX, shape([2])), tf.float32)))
    good(lambda: stacked(lists.tensor_list_concat_lists(of_rows(MATRIX), of_rows(MATRIX), tf.float32)))

    # Lists as values.
    good(lambda: stacked(tf.zeros_like(of_rows(MATRIX))))
    good(lambda: stacked(tf.add_n([of_rows(MATRIX), of_rows(MATRIX), of_rows(MATRIX)])))
    good(lambda: stacked(tf.add_n([of_rows(MATRIX, shape([2])), reserved(3, shape([2]))])))
    good(lambda: stacked(tf.add_n([of_rows(MATRIX), of_rows(MATRIX[:1])])))
    good(lambda: stacked(tf.zeros_like(both())[0]))
    good(lambda: stacked(tf.add_n([both(), both()])[0]))
    good(lambda: stacked(lists.tensor_list_get_item(lists.tensor_list_push_back(
        lists.empty_tensor_list(shape([]), -1, tf.variant), of_rows(MATRIX)), 0, shape([]), tf.variant)))
    # A list that is used twice does not change.
    def twice():
        first = of_rows(MATRIX)
        second = lists.tensor_list_set_item(first, 0, tf.constant([0.0, 0.0]))
        third = lists.tensor_list_push_back(second, tf.constant([7.0, 7.0]))
        return [stacked(first), stacked(second), stacked(third)]
    good(twice)

    # As a message.
    for number, handle in enumerate((lambda: of_rows(MATRIX, shape([-1])), lambda: reserved(2, shape(-1)), lambda: of_rows(["a", "b"]),
                   lambda: lists.tensor_list_set_item(reserved(3, shape([2])), 1, tf.constant([1.0, 2.0])))):
        if number == 1:  # the bytes of numbers may be in other fields
            good(lambda h=handle: tf.io.serialize_tensor(h()))
        good(lambda h=handle: lists.tensor_list_length(tf.io.parse_tensor(tf.io.serialize_tensor(h()), tf.variant)))
    good(lambda: stacked(tf.io.parse_tensor(tf.io.serialize_tensor(of_rows(MATRIX)), tf.variant)))
    good(lambda: stacked(lists.tensor_list_set_item(
        tf.io.parse_tensor(tf.io.serialize_tensor(reserved(3, shape([2]))), tf.variant), 1, tf.constant([1.0, 2.0]))))
    good(lambda: stacked(tf.add_n([tf.io.parse_tensor(tf.io.serialize_tensor(of_rows(MATRIX)), tf.variant)] * 2)))

    # Loops.
    def loop():
        start = lists.empty_tensor_list(shape([]), -1, tf.float32)
        _, result = tf.while_loop(lambda i, _: i < 5, lambda i, x: (i + 1, lists.tensor_list_push_back(x, tf.cast(i, tf.float32))),
                                  [tf.constant(0), start])
        return stacked(result)
    good(loop)

    # Gradients.
    def slope(build, *inputs):
        inputs = [tf.placeholder_with_default(tf.constant(x), [None] * tf.constant(x).shape.rank) for x in inputs]
        return tf.gradients(build(*inputs), inputs)

    good(lambda: slope(lambda x: stacked(of_rows(x)) * tf.constant(MATRIX), MATRIX))
    good(lambda: slope(lambda x: lists.tensor_list_get_item(of_rows(x), 1, shape([2]), tf.float32) * tf.constant([2.0, 3.0]), MATRIX))
    good(lambda: slope(lambda x, y: stacked(lists.tensor_list_set_item(of_rows(x), 1, y)) * tf.constant(MATRIX), MATRIX, [1.0, 1.0]))
    good(lambda: slope(lambda x, y: stacked(lists.tensor_list_set_item(of_rows(x), 4, y, resize_if_index_out_of_bounds=True),
                                            element=[2]) * 3.0, MATRIX, [1.0, 1.0]))
    good(lambda: slope(lambda x, y: stacked(lists.tensor_list_push_back(of_rows(x), y)) * tf.constant(MATRIX + [[7.0, 8.0]]), MATRIX, [1.0, 1.0]))
    good(lambda: slope(lambda x: lists.tensor_list_pop_back(of_rows(x), shape([2]), tf.float32)[1] * tf.constant([2.0, 3.0]), MATRIX))
    good(lambda: slope(lambda x: stacked(lists.tensor_list_pop_back(of_rows(x), shape([2]), tf.float32)[0]) * 2.0, MATRIX))
    good(lambda: slope(lambda x: stacked(lists.tensor_list_resize(of_rows(x, shape([2])), 2)) * 5.0, MATRIX))
    good(lambda: slope(lambda x: lists.tensor_list_gather(of_rows(x), [2, 0], shape([2]), tf.float32) * tf.constant(MATRIX[:2]), MATRIX))
    good(lambda: slope(lambda x: stacked(lists.tensor_list_scatter_v2(x, [1, 0, 3], shape([2]), 4)) * tf.constant(MATRIX + [[7.0, 8.0]]), MATRIX))
    good(lambda: slope(lambda x, y: stacked(lists.tensor_list_scatter_into_existing_list(of_rows(y), x, [1, 0])) * tf.constant(MATRIX), MATRIX[:2], MATRIX))
    good(lambda: slope(lambda x: lists.tensor_list_concat_v2(lists.tensor_list_split(x, shape([-1, 2]), tf.constant([1, 2], tf.int64)),
                                                             shape([-1, 2]), tf.constant([], tf.int64), tf.float32)[0] * tf.constant(MATRIX), MATRIX))

    def sum_of_list(x):
        handle = of_rows(x)
        return sum(tf.reduce_sum(lists.tensor_list_get_item(handle, i, shape([2]), tf.float32)) * (i + 1.0) for i in range(3))
    good(lambda: slope(sum_of_list, MATRIX))

    # Maps.
    def filled():
        handle = maps.tensor_map_insert(maps.empty_tensor_map(), tf.constant([1, 2]), tf.constant(3.0))
        return maps.tensor_map_insert(handle, tf.constant("a"), tf.constant([4.0, 5.0]))

    good(lambda: [maps.tensor_map_size(maps.empty_tensor_map()), maps.tensor_map_size(filled())])
    for key in ([1, 2], [2, 1], [[1, 2]], "a", "b", 1.0):
        good(lambda k=key: maps.tensor_map_has_key(filled(), tf.constant(k)))
        good(lambda k=key: maps.tensor_map_lookup(filled(), tf.constant(k), tf.float32))
        good(lambda k=key: maps.tensor_map_size(maps.tensor_map_erase(filled(), tf.constant(k), tf.float32)))
        good(lambda k=key: maps.tensor_map_size(maps.tensor_map_insert(filled(), tf.constant(k), tf.constant(1))))
    good(lambda: maps.tensor_map_lookup(maps.tensor_map_insert(filled(), tf.constant("a"), tf.constant(7)), tf.constant("a"), tf.int32))
    good(lambda: maps.tensor_map_stack_keys(filled(), tf.int32))
    good(lambda: maps.tensor_map_stack_keys(maps.empty_tensor_map(), tf.int32))
    good(lambda: maps.tensor_map_stack_keys(maps.tensor_map_erase(filled(), tf.constant("a"), tf.float32), tf.int32))
    good(lambda: maps.tensor_map_lookup(tf.zeros_like(filled()), tf.constant("a"), tf.float32))
    good(lambda: maps.tensor_map_lookup(tf.add_n([filled(), filled(), filled()]), tf.constant("a"), tf.float32))
    good(lambda: maps.tensor_map_lookup(tf.io.parse_tensor(tf.io.serialize_tensor(filled()), tf.variant), tf.constant("a"), tf.float32))
    good(lambda: maps.tensor_map_size(of_rows(MATRIX)))
    good(lambda: lists.tensor_list_length(filled()))
    good(lambda: maps.tensor_map_size(tf.stack([filled(), filled()])))
    case.write()


def record_gradients(name, build):
    """A case of ../loop_gradients: build() returns (ys, xs, feeds)."""
    case = Case(name)
    case.folder = os.path.join(HERE, "loop_gradients", name)
    with case.graph.as_default():
        ys, xs, feeds = build()
        graph_def = case.graph.as_graph_def()
        slopes = [tf.convert_to_tensor(slope) for slope in tf.gradients(ys, xs)]
    lines = ["case " + name, "ys " + " ".join(y.name for y in ys), "xs " + " ".join(x.name for x in xs), "run"]
    for tensor, value in feeds.items():
        lines.append("feed %s %s" % (tensor.name, case.place(value)))
    for i, value in enumerate(case.session.run(slopes, feeds)):
        lines.append("gradient %d %s 1e-05 1e-06" % (i, case.place(value)))
    lines.append("end")
    os.makedirs(case.folder, exist_ok=True)
    with open(os.path.join(case.folder, "graph.pb"), "wb") as out:
        out.write(graph_def.SerializeToString(deterministic=True))
    with open(os.path.join(case.folder, "tensors.bin"), "wb") as out:
        out.write(case.blob)
    with open(os.path.join(case.folder, "manifest.txt"), "w") as out:
        out.write("\n".join(lines) + "\n")


def list_gradients():
    """Every op on lists that has a gradient, each with weights of its own."""
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    item = tf.placeholder(tf.float32, [2], name="item")
    handle = of_rows(x)
    empty = tf.constant([], tf.int64)
    parts = [stacked(handle), lists.tensor_list_get_item(handle, 1, shape([2]), tf.float32),
             stacked(lists.tensor_list_set_item(handle, 1, item)),
             stacked(lists.tensor_list_set_item(handle, 4, item, resize_if_index_out_of_bounds=True), element=[2]),
             stacked(lists.tensor_list_push_back(handle, item)),
             lists.tensor_list_pop_back(handle, shape([2]), tf.float32)[1],
             stacked(lists.tensor_list_pop_back(handle, shape([2]), tf.float32)[0]),
             stacked(lists.tensor_list_resize(handle, 2)),
             lists.tensor_list_gather(handle, [2, 0], shape([2]), tf.float32),
             stacked(lists.tensor_list_scatter(x, [1, 0, 3], shape([2]))),
             stacked(lists.tensor_list_scatter_v2(x, [1, 0, 3], shape([2]), 5)),
             stacked(lists.tensor_list_scatter_into_existing_list(handle, x[1:], [1, 0])),
             lists.tensor_list_concat_v2(lists.tensor_list_split(x, shape([-1, 2]), tf.constant([1, 2], tf.int64)),
                                         shape([-1, 2]), empty, tf.float32)[0],
             lists.tensor_list_concat(lists.tensor_list_split(x, shape([-1, 2]), tf.constant([2, 1], tf.int64)),
                                      tf.float32)[0]]
    y = sum(tf.reduce_sum(tf.cos((i + 1.0) * part)) for i, part in enumerate(parts))
    return [y], [x, item], {x: MATRIX, item: [0.5, -0.25]}


def list_in_while():
    """A loop that appends to a list."""
    x = tf.placeholder(tf.float32, [4, 2], name="x")
    w = tf.placeholder(tf.float32, [2], name="w")

    def body(i, result):
        return i + 1, lists.tensor_list_push_back(result, tf.sin(tf.gather(x, i) * w))

    start = lists.empty_tensor_list(shape([2]), -1, tf.float32)
    _, result = tf.while_loop(lambda i, _: i < 4, body, [tf.constant(0), start])
    return [tf.reduce_sum(tf.square(stacked(result, element=[2])))], [x, w], {x: MATRIX + [[7.0, 8.0]], w: [0.5, -0.25]}


if __name__ == "__main__":
    tensor_lists()
    record_gradients("tensor_lists", list_gradients)
    record_gradients("list_in_while", list_in_while)
