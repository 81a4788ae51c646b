"""Readers of files whose names come from a queue: tf.TFRecordReader, tf.TextLineReader."""
from sluice._api import export
from sluice._oplib import apply
from sluice._queues import QueueBase
from sluice._record import TFRecordOptions


@export("ReaderBase")
class ReaderBase:
    """Reads records of files whose names come from a queue."""

    def __init__(self, reader_ref, supports_serialize=False):
        self._reader_ref, self._supports_serialize = reader_ref, supports_serialize

    reader_ref = property(lambda self: self._reader_ref)
    supports_serialize = property(lambda self: self._supports_serialize)

    def read(self, queue, name=None):
        """(key, value)"""
        handle = queue.queue_ref if isinstance(queue, QueueBase) else queue
        return apply("ReaderReadV2", name, reader_handle=self._reader_ref, queue_handle=handle)

    def read_up_to(self, queue, num_records, name=None):
        handle = queue.queue_ref if isinstance(queue, QueueBase) else queue
        return apply("ReaderReadUpToV2", name, reader_handle=self._reader_ref, queue_handle=handle, num_records=num_records)

    def num_records_produced(self, name=None):
        return apply("ReaderNumRecordsProducedV2", name, reader_handle=self._reader_ref)

    def num_work_units_completed(self, name=None):
        return apply("ReaderNumWorkUnitsCompletedV2", name, reader_handle=self._reader_ref)

    def serialize_state(self, name=None):
        return apply("ReaderSerializeStateV2", name, reader_handle=self._reader_ref)

    def restore_state(self, state, name=None):
        return apply("ReaderRestoreStateV2", name, reader_handle=self._reader_ref, state=state)

    def reset(self, name=None):
        return apply("ReaderResetV2", name, reader_handle=self._reader_ref)


@export("TFRecordReader")
class TFRecordReader(ReaderBase):
    def __init__(self, name=None, options=None):
        super().__init__(apply("TFRecordReaderV2", name,
                               compression_type=TFRecordOptions.get_compression_type_string(options)))


@export("FixedLengthRecordReader")
class FixedLengthRecordReader(ReaderBase):
    def __init__(self, record_bytes, header_bytes=None, footer_bytes=None, hop_bytes=None, name=None, encoding=None):
        super().__init__(apply("FixedLengthRecordReaderV2", name, record_bytes=record_bytes, header_bytes=header_bytes,
                               footer_bytes=footer_bytes, hop_bytes=hop_bytes, encoding=encoding))


@export("IdentityReader")
class IdentityReader(ReaderBase):
    """Gives the names of the queue as they are."""

    def __init__(self, name=None):
        super().__init__(apply("IdentityReaderV2", name), supports_serialize=True)


@export("TextLineReader")
class TextLineReader(ReaderBase):
    def __init__(self, skip_header_lines=None, name=None):
        super().__init__(apply("TextLineReaderV2", name, skip_header_lines=skip_header_lines))


@export("WholeFileReader")
class WholeFileReader(ReaderBase):
    def __init__(self, name=None):
        super().__init__(apply("WholeFileReaderV2", name))
