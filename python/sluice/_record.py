"""TFRecord files and Examples: tf.python_io.TFRecordWriter, tf.train.Example."""
import os

from sluice import _extension
from sluice._api import export, export_value
from sluice._message import message

for _name in "Example", "SequenceExample", "Features", "Feature", "FeatureLists", "FeatureList", "BytesList", "FloatList", \
        "Int64List":
    export_value(message(_name), "train." + _name)


@export("python_io.TFRecordCompressionType", "io.TFRecordCompressionType")
class TFRecordCompressionType:
    """The ways in which records may be compressed."""
    NONE, ZLIB, GZIP = 0, 1, 2


@export("python_io.TFRecordOptions", "io.TFRecordOptions")
class TFRecordOptions:
    """Options of TFRecord files. The compression decides the format; the others only tune zlib."""
    compression_type_map = {TFRecordCompressionType.NONE: "", TFRecordCompressionType.ZLIB: "ZLIB",
                            TFRecordCompressionType.GZIP: "GZIP"}

    def __init__(self, compression_type=None, flush_mode=None, input_buffer_size=None, output_buffer_size=None,
                 window_bits=None, compression_level=None, compression_method=None, mem_level=None,
                 compression_strategy=None):
        self.get_compression_type_string(compression_type)
        self.compression_type, self.flush_mode, self.input_buffer_size = compression_type, flush_mode, input_buffer_size
        self.output_buffer_size, self.window_bits, self.compression_level = output_buffer_size, window_bits, compression_level
        self.compression_method, self.mem_level = compression_method, mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options):
        """"", "ZLIB" or "GZIP" of options, of a TFRecordCompressionType, or of such a text."""
        if not options:
            return ""
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        if options in cls.compression_type_map:
            return cls.compression_type_map[options]
        if options in cls.compression_type_map.values():
            return options
        raise ValueError("Not a valid compression_type: %r. Must be one of: ['', 'ZLIB', 'GZIP']" % (options,))


@export("python_io.TFRecordWriter", "io.TFRecordWriter")
class TFRecordWriter:
    """Writes records to a file. |options|: TFRecordOptions, or "", "ZLIB" or "GZIP"."""

    def __init__(self, path, options=None):
        self._path = os.fspath(path)
        self._number = _extension.open_record_writer(self._path, TFRecordOptions.get_compression_type_string(options))

    def _writer(self):
        if self._number is None:
            raise ValueError("the writer of %s is closed" % self._path)
        return self._number

    def write(self, record):
        _extension.write_record(self._writer(), record)

    def flush(self):
        _extension.flush_record_writer(self._writer())

    def close(self):
        number, self._number = self._number, None
        if number is not None:
            _extension.close_record_writer(number)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


@export("python_io.tf_record_iterator", "io.tf_record_iterator")
def tf_record_iterator(path, options=None):
    """The records of a file, as bytes, one by one."""
    reader = _extension.open_record_reader(os.fspath(path), TFRecordOptions.get_compression_type_string(options))
    try:
        while True:
            record = _extension.read_record(reader)
            if record is None:
                return
            yield record
    finally:
        _extension.close_record_reader(reader)


@export("train.summary_iterator")
def summary_iterator(path):
    """The Events of an event file."""
    for record in tf_record_iterator(path):
        yield message("Event").FromString(record)
