#!/usr/bin/env python3
"""Records golden cases of feature crosses (cases/crosses) and of dense and anonymous lookup tables (cases/dense_tables)
as TensorFlow runs them."""
import tensorflow.compat.v1 as tf
from make_cases import Case

raw = tf.raw_ops


def column(values, indices, shape):
    return (tf.constant(indices, tf.int64, [len(indices), 2]), values, tf.constant(shape, tf.int64))


def crosses():
    case = Case("crosses")
    with case.graph.as_default():
        record_crosses(case)
    case.write()


def record_crosses(case):
    words = column(["a", "bb", "", "ccc"], [[0, 0], [0, 1], [1, 0], [3, 0]], [4, 2])
    more = column(["x", "y", "z", "w"], [[0, 0], [1, 0], [1, 1], [3, 1]], [4, 2])
    numbers = column(tf.constant([1, -2, 1 << 40, 7], tf.int64), [[0, 0], [1, 0], [1, 1], [2, 0]], [4, 2])
    empty = column(tf.constant([], tf.string), [], [4, 2])
    dense = tf.constant([["p", "q"], ["r", "s"], ["t", "u"], ["v", "w"]])
    dense_numbers = tf.constant([[1], [2], [-3], [1 << 62]], tf.int64)

    def parts(columns):
        return dict(indices=[c[0] for c in columns], values=[c[1] for c in columns], shapes=[c[2] for c in columns])

    inputs = [([words], []), ([words, more], []), ([words, numbers], []), ([words], [dense]), ([], [dense]),
              ([], [dense, dense_numbers]), ([words, more, numbers], [dense, dense_numbers]), ([empty, words], []),
              ([numbers], []), ([numbers], [dense_numbers])]
    for columns, denses in inputs:
        for buckets in (0, 100):
            for key in (0, 956888297470):
                case.run(lambda: list(raw.SparseCross(dense_inputs=denses, hashed_output=True, num_buckets=buckets, hash_key=key,
                                                      out_type=tf.int64, internal_type=tf.int64, **parts(columns))))
            for strong in (False, True):
                if strong and any(d is dense_numbers for d in denses):
                    continue  # TensorFlow crashes
                case.run(lambda: list(raw.SparseCrossHashed(dense_inputs=denses, num_buckets=tf.constant(buckets, tf.int64),
                                                            strong_hash=strong, salt=tf.constant([137, -5], tf.int64),
                                                            **parts(columns))))
        case.run(lambda: list(raw.SparseCrossV2(dense_inputs=denses, sep="_Y_", **parts(columns))))
        case.run(lambda: list(raw.SparseCross(dense_inputs=denses, hashed_output=False, num_buckets=0, hash_key=1,
                                              out_type=tf.string, internal_type=tf.string, **parts(columns))))
    bad = [([column(["a"], [[0, 0]], [4, 2]), column(["a"], [[0, 0]], [3, 2])], []),
           ([column(["a", "b"], [[0, 0]], [4, 2])], []), ([column(["a"], [[0, 0]], [4])], []),
           ([words], [tf.constant([["a"]])]), ([words], [tf.constant(["a"])])]
    for columns, denses in bad:
        hide = lambda x: tf.placeholder_with_default(x, None)
        case.run(lambda: list(raw.SparseCrossV2(dense_inputs=[hide(d) for d in denses], sep="", indices=[hide(c[0]) for c in columns],
                                                values=[hide(c[1]) for c in columns], shapes=[hide(c[2]) for c in columns])))


def dense_tables():
    case = Case("dense_tables")

    def after(operation, build):
        with tf.control_dependencies([operation]):
            return build()

    def exported(handle, key, value):
        keys, values = raw.LookupTableExportV2(table_handle=handle, Tkeys=key, Tvalues=value)
        return [keys]

    def scenario(make, keys, values, absent, fallback):
        """Inserts, finds, removes and exports, one run each."""
        def find(which):
            return [raw.LookupTableFindV2(table_handle=make(), keys=which, default_value=fallback)]
        def size():
            return [raw.LookupTableSizeV2(table_handle=make())]
        case.run(size)
        case.run(lambda: after(raw.LookupTableInsertV2(table_handle=make(), keys=keys, values=values), size))
        case.run(lambda: find(keys))
        case.run(lambda: find(absent))
        case.run(lambda: exported(make(), keys.dtype, values.dtype))
        case.run(lambda: after(raw.LookupTableRemoveV2(table_handle=make(), keys=keys[:1]), size))
        case.run(lambda: find(keys))
        def again():
            keys_now, values_now = raw.LookupTableExportV2(table_handle=make(), Tkeys=keys.dtype, Tvalues=values.dtype)
            return raw.LookupTableImportV2(table_handle=make(), keys=keys_now, values=values_now)
        case.run(lambda: after(again(), size))
        case.run(lambda: find(keys))

    def dense(name, empty, deleted, value_type, initial_num_buckets=4, **more):
        return lambda: raw.MutableDenseHashTableV2(initial_num_buckets=initial_num_buckets, empty_key=empty, deleted_key=deleted, value_dtype=value_type, shared_name=name,
                                                   **more)

    i64 = lambda x: tf.constant(x, tf.int64)
    with case.graph.as_default():
        scenario(dense("t1", i64(-1), i64(-2), tf.int64), i64([5, 7, 9]), i64([1, 2, 3]), i64([[5, 6], [7, 8]]), i64(-9))
        scenario(dense("t2", "", "del", tf.float32), tf.constant(["a", "b"]), tf.constant([0.5, 1.5]), tf.constant(["z"]), -1.0)
        scenario(dense("t3", i64([0, 0]), i64([0, 1]), tf.float32, value_shape=[]), i64([[1, 2], [3, 4]]), tf.constant([0.5, 1.5]),
                 i64([[1, 3], [3, 4]]), 0.0)
        scenario(dense("t4", tf.constant(0), tf.constant(1), tf.int32), tf.constant([2, 3, 4]), tf.constant([7, 8, 9]),
                 tf.constant([2, 9]), tf.constant(5))
        t5 = dense("t5", i64(-1), i64(-2), tf.float32, value_shape=[2])
        case.run(lambda: after(raw.LookupTableInsertV2(table_handle=t5(), keys=i64([1, 2]), values=tf.constant([[1.0, 2.0], [3.0, 4.0]])),
                               lambda: [raw.LookupTableFindV2(table_handle=t5(), keys=i64([2, 3]), default_value=tf.constant([0.0, 9.0]))]))
        t1 = dense("t1", i64(-1), i64(-2), tf.int64)
        for key in (-1, -2):
            case.run(lambda: after(raw.LookupTableInsertV2(table_handle=t1(), keys=i64([1, key]), values=i64([1, 1])),
                                   lambda: [tf.constant(1)]))
            case.run(lambda: [raw.LookupTableFindV2(table_handle=t1(), keys=i64([key]), default_value=i64(0))])
            case.run(lambda: after(raw.LookupTableRemoveV2(table_handle=t1(), keys=i64([key])), lambda: [tf.constant(1)]))
        t3 = dense("t3", i64([0, 0]), i64([0, 1]), tf.float32)
        case.run(lambda: [raw.LookupTableFindV2(table_handle=t3(), keys=i64([1, 2, 3]), default_value=0.0)])
        case.run(lambda: [raw.LookupTableSizeV2(table_handle=dense("t6", i64(1), i64(1), tf.float32)())])
        case.run(lambda: [raw.LookupTableSizeV2(table_handle=dense("t7", i64(1), i64([1, 2]), tf.float32)())])
        case.run(lambda: [raw.LookupTableSizeV2(table_handle=dense("t8", i64(1), i64(2), tf.float32, initial_num_buckets=7)())])
        case.run(lambda: [raw.LookupTableSizeV2(table_handle=dense("t9", i64(1), i64(2), tf.float32, max_load_factor=1.5)())])

        # Anonymous tables live in one step.
        def anonymous(handle, keys, values, fallback, initialize=False):
            write = (raw.InitializeTableV2 if initialize else raw.LookupTableInsertV2)(table_handle=handle, keys=keys, values=values)
            return after(write, lambda: [raw.LookupTableFindV2(table_handle=handle, keys=keys, default_value=fallback),
                                         raw.LookupTableSizeV2(table_handle=handle)])
        for _ in range(2):
            case.run(lambda: anonymous(raw.AnonymousHashTable(key_dtype=tf.string, value_dtype=tf.int64), ["a", "b"], i64([1, 2]), i64(0), True))
            case.run(lambda: anonymous(raw.AnonymousMutableHashTable(key_dtype=tf.string, value_dtype=tf.int64), ["a", "b"], i64([1, 2]), i64(0)))
            case.run(lambda: anonymous(raw.AnonymousMutableHashTableOfTensors(key_dtype=tf.int64, value_dtype=tf.float32, value_shape=[2]),
                                       i64([4]), [[1.0, 2.0]], [0.0, 0.0]))
            case.run(lambda: anonymous(raw.AnonymousMutableDenseHashTable(empty_key=i64(0), deleted_key=i64(1), value_dtype=tf.float32),
                                       i64([4]), [1.0], 0.0))
    case.write()


if __name__ == "__main__":
    crosses()
    dense_tables()
