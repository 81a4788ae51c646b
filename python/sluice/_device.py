"""Names of devices, as tf.DeviceSpec: "/job:worker/replica:0/task:1/device:CPU:0", each part optional."""


class DeviceSpec:
    __slots__ = ("_job", "_replica", "_task", "_device_type", "_device_index")

    def __init__(self, job=None, replica=None, task=None, device_type=None, device_index=None):
        self._job = str(job) if job is not None else None
        self._replica = int(replica) if replica is not None else None
        self._task = int(task) if task is not None else None
        self._device_type = str(device_type) if device_type is not None else None
        if self._device_type is not None and self._device_type.upper() in ("CPU", "GPU"):
            self._device_type = self._device_type.upper()
        self._device_index = int(device_index) if device_index is not None else None

    job = property(lambda self: self._job)
    replica = property(lambda self: self._replica)
    task = property(lambda self: self._task)
    device_type = property(lambda self: self._device_type)
    device_index = property(lambda self: self._device_index)

    @classmethod
    def from_string(cls, text):
        return cls().parse_from_string(text)

    def parse_from_string(self, text):
        """Sets the parts that |text| names; a part may be named once."""
        self.__init__()
        if not text:
            return self
        for part in text.split("/"):
            words = part.split(":")
            count = len(words)
            if part == "":
                continue
            if count == 2 and words[0] == "job":
                self._job = words[1]
            elif count == 2 and words[0] in ("replica", "task"):
                try:
                    setattr(self, "_" + words[0], int(words[1]))
                except ValueError:
                    raise ValueError("Unknown attribute: '%s' in '%s'" % (part, text)) from None
            elif words[0].upper() in ("CPU", "GPU", "TPU") and count in (1, 2):
                self._set_type(words[0].upper(), words[1] if count == 2 else "*", text)
            elif words[0] == "device" and count in (2, 3):
                self._set_type(words[1], words[2] if count == 3 else "*", text)
            else:
                raise ValueError("Unknown attribute: '%s' in '%s'" % (words[0], text))
        return self

    def _set_type(self, kind, index, text):
        if self._device_type is not None:
            raise ValueError("Multiple device types are not allowed while parsing the device spec: %s." % text)
        self._device_type = kind.upper() if kind.upper() in ("CPU", "GPU") else kind
        if index != "*":
            try:
                self._device_index = int(index)
            except ValueError:
                raise ValueError("Unknown attribute: '%s' in '%s'" % (index, text)) from None

    def merge_from(self, other):
        """Takes over the parts that |other| has."""
        for part in self.__slots__:
            if getattr(other, part) is not None:
                setattr(self, part, getattr(other, part))

    def make_merged_spec(self, other):
        merged = DeviceSpec(self._job, self._replica, self._task, self._device_type, self._device_index)
        merged.merge_from(other)
        return merged

    def replace(self, **parts):
        own = {name[1:]: getattr(self, name) for name in self.__slots__}
        own.update(parts)
        return DeviceSpec(**own)

    def to_string(self):
        text = ""
        if self._job is not None:
            text += "/job:" + self._job
        if self._replica is not None:
            text += "/replica:%d" % self._replica
        if self._task is not None:
            text += "/task:%d" % self._task
        if self._device_type is not None:
            text += "/device:%s:%s" % (self._device_type, "*" if self._device_index is None else self._device_index)
        return text

    def __str__(self):
        return self.to_string()

    def __eq__(self, other):
        return isinstance(other, DeviceSpec) and self.to_string() == other.to_string()

    def __hash__(self):
        return hash(self.to_string())


def canonical_name(device):
    """The canonical text of a DeviceSpec, a text or None."""
    if device is None:
        return ""
    if isinstance(device, DeviceSpec):
        return device.to_string()
    return DeviceSpec.from_string(device).to_string()


def merge_device(spec):
    """A device function: what |spec| names, unless an inner scope has named it."""
    outer = spec if isinstance(spec, DeviceSpec) else DeviceSpec.from_string(spec or "")

    def function(node):
        inner = DeviceSpec.from_string(node.device or "")
        return outer.make_merged_spec(inner).to_string()

    return function
