"""tf.summary.FileWriter: event files, written by the library."""
from sluice import _extension
from sluice._api import export
from sluice._message import message


@export("summary.FileWriter", "train.SummaryWriter")
class FileWriter:
    """A new event file in |logdir|."""

    def __init__(self, logdir, graph=None, max_queue=10, flush_secs=120, graph_def=None, filename_suffix=None, session=None):
        self._logdir, self._number = logdir, _extension.open_writer(logdir)
        if session is not None and graph is None:
            graph = session.graph
        if graph is not None:
            self.add_graph(graph)

    def get_logdir(self):
        return self._logdir

    def _writer(self):
        if self._number is None:
            raise ValueError("the writer of %s is closed" % self._logdir)
        return self._number

    def add_summary(self, summary, global_step=None):
        """|summary|: a Summary, or its bytes as merge_all() gives them."""
        if not isinstance(summary, bytes):
            summary = summary.SerializeToString()
        _extension.write_summary(self._writer(), summary, int(global_step or 0))

    def add_event(self, event):
        if not event.HasField("summary"):
            raise NotImplementedError("only events that hold a summary can be written")
        self.add_summary(event.summary, event.step)

    def add_graph(self, graph, global_step=None, graph_def=None):
        _extension.write_graph(self._writer(), graph._number)

    def add_run_metadata(self, run_metadata, tag, global_step=None):
        _extension.write_run_metadata(self._writer(), run_metadata.SerializeToString(), tag, int(global_step or 0))

    def add_session_log(self, session_log, global_step=None):
        kinds = message("SessionLog")
        step = int(global_step or 0)
        if session_log.status == kinds.START:
            _extension.write_session_start(self._writer(), step)
        elif session_log.status == kinds.CHECKPOINT:
            _extension.write_checkpoint(self._writer(), session_log.checkpoint_path, step)
        self.flush()

    def flush(self):
        _extension.flush_writer(self._writer())

    def close(self):
        number, self._number = self._number, None
        if number is not None:
            _extension.close_writer(number)

    def reopen(self):
        if self._number is None:
            self._number = _extension.open_writer(self._logdir)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


@export("summary.FileWriterCache")
class FileWriterCache:
    """One writer for a directory."""
    _writers = {}

    @staticmethod
    def get(logdir):
        found = FileWriterCache._writers.get(logdir)
        if found is None or found._number is None:
            found = FileWriterCache._writers[logdir] = FileWriter(logdir)
        return found

    @staticmethod
    def clear():
        for writer in FileWriterCache._writers.values():
            writer.close()
        FileWriterCache._writers.clear()
