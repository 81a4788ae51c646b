"""Ragged tensors have the values that tests/python/ragged_calls.py expects, with either module tensorflow."""
import os
import sys

from recording import tf

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
from ragged_calls import CALLS, evaluate  # noqa: E402

for text, wanted in CALLS:
    found = evaluate(tf, text)
    assert found == wanted, (text, found, wanted)
print("ragged: %d values" % len(CALLS))
