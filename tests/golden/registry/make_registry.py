#!/usr/bin/env python3
"""Records TensorFlow's registry of the ops that are here already and of those named as arguments: op_defs.pb,
cpu_kernels.txt and gradients.txt. A Python with TensorFlow 2.15.1 runs it."""
import itertools
import os
import sys

import tensorflow as tf
from tensorflow.core.framework import op_def_pb2, types_pb2
from tensorflow.python.framework import kernels, op_def_registry, ops

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = "# op: type constraints of each kernel that TensorFlow has for the CPU (any = one without constraint, - = none)"
GRADIENTS = ("# gradient = TensorFlow has a gradient function; none = marked not differentiable; unregistered = asking "
             "for it is a LookupError")


def definition(name):
    op = op_def_pb2.OpDef()
    op.CopyFrom(op_def_registry.get(name))
    op.summary = op.description = ""
    for part in list(op.input_arg) + list(op.output_arg) + list(op.attr):
        part.description = ""
    for argument in list(op.input_arg) + list(op.output_arg):
        argument.ClearField("experimental_full_type")
    return op


def kernel_types(name):
    rows = set()
    for kernel in kernels.get_registered_kernels_for_op(name).kernel:
        if kernel.device_type not in ("CPU", "DEFAULT") or kernel.label:
            continue
        choices = [["%s=%s" % (c.name, types_pb2.DataType.Name(t)[3:].lower()) for t in c.allowed_values.list.type]
                   for c in sorted(kernel.constraint, key=lambda c: c.name) if c.allowed_values.list.type]
        for choice in itertools.product(*choices):
            rows.add(" ".join(choice) or "any")
    return "any" if "any" in rows else " | ".join(sorted(rows)) or "-"


def gradient(name):
    try:
        return "none" if ops.gradient_registry.lookup(name) is None else "gradient"
    except LookupError:
        return "unregistered"


def main():
    path = os.path.join(HERE, "op_defs.pb")
    known = op_def_pb2.OpList()
    with open(path, "rb") as recorded:
        known.ParseFromString(recorded.read())
    names = {op.name for op in known.op}
    for name in sys.argv[1:]:
        if op_def_registry.get(name) is None:
            sys.exit("TensorFlow has no op %s" % name)
    names = sorted(names | set(sys.argv[1:]))
    here = [name for name in names if op_def_registry.get(name) is not None]
    new = op_def_pb2.OpList(op=[definition(name) for name in here])
    with open(path, "wb") as out:
        out.write(new.SerializeToString(deterministic=True))
    with open(os.path.join(HERE, "cpu_kernels.txt"), "w") as out:
        out.write("\n".join([KERNELS] + ["%s: %s" % (name, kernel_types(name)) for name in here]) + "\n")
    with open(os.path.join(HERE, "gradients.txt"), "w") as out:
        out.write("\n".join([GRADIENTS] + ["%s %s" % (name, gradient(name)) for name in here]) + "\n")


main()
