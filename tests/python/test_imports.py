"""What `import tensorflow` gives a program that is run by `python -m sluice`."""
import subprocess
import sys
import unittest

PROGRAM = """
import importlib
import tensorflow as tf
import tensorflow.compat.v1 as tf1
import tensorflow.contrib.slim as slim
from tensorflow.contrib import layers, rnn
from tensorflow.python.client import device_lib
from tensorflow.python.framework import ops
from tensorflow.python.layers.core import Dense
from tensorflow.python.ops import math_ops, rnn_cell_impl, variable_scope
from tensorflow.python.training.session_run_hook import SessionRunHook
from tensorflow.examples.tutorials.mnist import input_data

assert tf is tf1 and rnn.GRUCell is tf.nn.rnn_cell.GRUCell is rnn_cell_impl.GRUCell
assert slim.fully_connected is layers.fully_connected
assert ops.convert_to_tensor is tf.convert_to_tensor and math_ops.matmul is tf.matmul
assert Dense is tf.layers.Dense and SessionRunHook is tf.train.SessionRunHook
assert variable_scope.variable_scope is tf.variable_scope
assert [d.device_type for d in device_lib.list_local_devices()] == ["CPU"]
for module, name in ((math_ops, "no_such_function"), (tf, "no_such_function")):
    try:
        getattr(module, name)
    except AttributeError as error:
        assert name in str(error), error
    else:
        raise SystemExit("%s has %s" % (module, name))
for name in ("no_such_module", "python.no_such", "python.no_such.module.at_all", "python.ops.no_such_ops",
             "python.ops.math_ops.no_such", "python.debug.cli"):
    try:
        importlib.import_module("tensorflow." + name)
    except ImportError as error:
        assert "No module named" in str(error), error
    else:
        raise SystemExit("tensorflow." + name + " was imported")
print("ok")
"""


class ImportsTest(unittest.TestCase):
    def test_modules_of_tensorflow(self):
        done = subprocess.run([sys.executable, "-c", "from sluice import _imports; _imports.install()\n" + PROGRAM],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=100)
        self.assertEqual((done.returncode, done.stdout), (0, "ok\n"), done.stderr)


if __name__ == "__main__":
    unittest.main()
