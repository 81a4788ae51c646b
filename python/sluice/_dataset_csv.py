"""Datasets of tables in files, samples of a wanted distribution, and groups of options: parts of tf.data.experimental."""
import csv

import sluice as tf
from sluice._api import export
from sluice._dataset import _Group


def _names_of(files, field_delim, use_quote_delim):
    """The first line of the first file; the others must have the same."""
    found = None
    for path in files:
        with tf.gfile.GFile(path) as text:
            names = next(csv.reader(text, delimiter=field_delim,
                                    quoting=csv.QUOTE_MINIMAL if use_quote_delim else csv.QUOTE_NONE), None)
        if found is not None and names != found:
            raise ValueError("All input CSV files must have the same column names; %s has %s instead of %s" %
                             (path, names, found))
        found = names
    return found


def _type_of(texts, na_value):
    """The narrowest of the types in which all |texts| can be read."""
    for dtype, read in ((tf.int32, int), (tf.int64, int), (tf.float32, float), (tf.float64, float)):
        try:
            values = [read(t) for t in texts if t not in ("", na_value)]
        except ValueError:
            continue
        if values and (not dtype.is_integer or all(dtype.min <= v <= dtype.max for v in values)) and (
                dtype != tf.float32 or all(abs(v) <= dtype.max for v in values)):
            return dtype
    return tf.string


def _inferred(files, count, field_delim, use_quote_delim, na_value, header, rows_used):
    columns = [[] for _ in range(count)]
    rows = 0
    for path in files:
        with tf.gfile.GFile(path) as text:
            lines = csv.reader(text, delimiter=field_delim,
                               quoting=csv.QUOTE_MINIMAL if use_quote_delim else csv.QUOTE_NONE)
            if header:
                next(lines, None)
            for line in lines:
                if rows_used is not None and rows >= rows_used:
                    break
                if len(line) != count:
                    raise ValueError("Problem inferring types: CSV row has different number of fields than expected: %s" % line)
                rows += 1
                for column, value in zip(columns, line):
                    column.append(value)
    return [_type_of(column, na_value) for column in columns]


@export("data.experimental.make_csv_dataset")
def make_csv_dataset(file_pattern, batch_size, column_names=None, column_defaults=None, label_name=None, select_columns=None,
                     field_delim=",", use_quote_delim=True, na_value="", header=True, num_epochs=None, shuffle=True,
                     shuffle_buffer_size=10000, shuffle_seed=None, prefetch_buffer_size=1, num_parallel_reads=1, sloppy=False,
                     num_rows_for_inference=100, compression_type=None, ignore_errors=False):
    """Batches of the columns of files by their names; with |label_name|, (features, labels)."""
    files = sorted(f for pattern in ([file_pattern] if isinstance(file_pattern, str) else file_pattern)
                   for f in tf.gfile.Glob(pattern))
    if not files:
        raise ValueError("No files match %s" % (file_pattern,))
    if compression_type:
        raise NotImplementedError("make_csv_dataset(): compression_type is not there yet")
    if column_names is None:
        if not header:
            raise ValueError("Cannot infer column names without a header line.")
        column_names = _names_of(files, field_delim, use_quote_delim)
    if len(column_names) != len(set(column_names)):
        raise ValueError("Cannot have duplicate column names.")
    places = list(range(len(column_names)))
    if select_columns is not None:
        places = sorted(c if isinstance(c, int) else column_names.index(c) for c in select_columns)
    if column_defaults is None:
        types = _inferred(files, len(column_names), field_delim, use_quote_delim, na_value, header, num_rows_for_inference)
        column_defaults = [types[i] for i in places]
    defaults = [([""] if d == tf.string else [d.as_numpy_dtype(0)]) if isinstance(d, tf.DType) else d
                for d in column_defaults]
    names = [column_names[i] for i in places]
    if label_name is not None and label_name not in names:
        raise ValueError("`label_name` provided must be one of the columns.")

    def lines(path):
        return tf.data.TextLineDataset(path).skip(1 if header else 0)

    def parsed(*texts):
        values = tf.decode_csv(texts[0], defaults, field_delim=field_delim, use_quote_delim=use_quote_delim,
                               na_value=na_value, select_cols=None if select_columns is None else places)
        features = dict(zip(names, values))
        if label_name is None:
            return features
        label = features.pop(label_name)
        return features, label
    dataset = tf.data.Dataset.from_tensor_slices(files)
    if shuffle:
        dataset = dataset.shuffle(len(files), shuffle_seed)
    dataset = dataset.interleave(lines, cycle_length=num_parallel_reads)
    if ignore_errors:
        dataset = dataset.apply(tf.data.experimental.ignore_errors())
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        dataset = dataset.repeat(num_epochs)
    return dataset.batch(batch_size, drop_remainder=num_epochs is None).map(parsed).prefetch(prefetch_buffer_size)


@export("data.experimental.rejection_resample")
def rejection_resample(class_func, target_dist, initial_dist=None, seed=None):
    """(class, element) of a dataset, of which elements are left out so that the classes have the wanted shares."""
    def transform(dataset):
        target = tf.convert_to_tensor(target_dist, name="target_dist")
        if initial_dist is None:
            raise NotImplementedError("rejection_resample() without initial_dist is not there yet: give the shares that the "
                                      "classes have")
        initial = tf.convert_to_tensor(initial_dist, name="initial_dist", dtype=target.dtype)
        ratio = target / tf.maximum(initial, tf.constant(1e-30, target.dtype))
        accepted = ratio / tf.reduce_max(ratio)

        def with_class(*element):
            return tf.cast(class_func(*element), tf.int64), element if len(element) > 1 else element[0]

        def is_kept(number, element):
            return tf.random_uniform([], seed=seed, dtype=target.dtype) < tf.gather(accepted, number)
        return dataset.map(with_class).filter(is_kept)
    return transform


for _name in ("DistributeOptions", "MapVectorizationOptions", "OptimizationOptions", "StatsOptions", "ThreadingOptions"):
    export("data.experimental." + _name)(type(_name, (_Group,), {
        "__doc__": "Options of a dataset. They are kept but have no effect."}))
