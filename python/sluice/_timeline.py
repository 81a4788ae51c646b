"""What programs take from tensorflow.python.client: timelines of traced steps, and the devices of this process."""
import json

from sluice._api import export


@export("python.client.timeline.Timeline")
class Timeline:
    """The trace of a step, from RunMetadata.step_stats, for chrome://tracing and Perfetto."""

    def __init__(self, step_stats, graph=None):
        self._step_stats = step_stats

    def generate_chrome_trace_format(self, show_dataflow=True, show_memory=False):
        events = []
        for process, device in enumerate(self._step_stats.dev_stats):
            events.append({"name": "process_name", "ph": "M", "pid": process, "args": {"name": device.device}})
            events += [self._event(process, node) for node in device.node_stats]
        return json.dumps({"traceEvents": events}, indent=4, separators=(",", ": "))

    @staticmethod
    def _event(process, node):
        kind = node.timeline_label.partition(" = ")[2].partition("(")[0] or node.node_name
        return {"name": kind, "cat": "Op", "ph": "X", "pid": process, "tid": node.thread_id,
                "ts": node.all_start_micros, "dur": node.all_end_rel_micros,
                "args": {"name": node.node_name, "op": kind}}


@export("python.client.device_lib.list_local_devices")
def list_local_devices(session_config=None):
    """The devices of this process."""
    from sluice._graph import Graph
    from sluice._session import Session
    with Graph().as_default() as graph, Session(graph=graph, config=session_config) as session:
        return session.list_devices()
