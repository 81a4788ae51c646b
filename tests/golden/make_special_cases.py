#!/usr/bin/env python3
"""Records golden cases of special functions (cases/special) as TensorFlow computes them."""
import numpy as np
import tensorflow.compat.v1 as tf

from make_cases import Case

raw = tf.raw_ops
X = np.array([0, 1e-300, 1e-10, 0.001, 0.1, 0.37, 0.5, 0.9, 0.99, 1, 1.01, 1.4, 1.6, 1.99, 2, 2.01, 2.5, 3, 4, 5, 6.4, 6.6, 8,
              8.1, 10, 20, 30, 44, 46, 60, 100, 300, 690, 1000, 12345.678, 1e8, 1e10, np.inf])


def special():
    case = Case("special")
    case.tolerances = {tf.float64: "1e-09 1e-300", tf.float32: "1e-04 1e-30", tf.float16: "2e-03 1e-03"}
    functions = [raw.BesselI0, raw.BesselI1, raw.BesselJ0, raw.BesselJ1, raw.BesselY0, raw.BesselY1, raw.BesselK0,
                 raw.BesselK0e, raw.BesselK1, raw.BesselK1e, raw.Dawsn, raw.Expint, raw.FresnelCos, raw.FresnelSin,
                 raw.Spence]
    for function in functions:
        for dtype in (np.float64, np.float32):
            # Not where TensorFlow is wrong: large arguments (the sign of Dawsn, infinity), and Y1(0) in float.
            large = {raw.BesselJ0: 30, raw.BesselJ1: 30, raw.BesselY0: 30, raw.BesselY1: 30, raw.Dawsn: 1e8,
                     raw.Expint: 1e10, raw.FresnelCos: 1e5, raw.FresnelSin: 1e5, raw.Spence: 1e10}
            least = 1e-10 if function == raw.BesselY1 and dtype == np.float32 else 0
            x = X[(X <= large.get(function, np.inf)) & (X >= least)]
            case.run(lambda: [function(x=x.astype(dtype))])
            case.run(lambda: [function(x=(-x).astype(dtype))])
        if function not in functions[10:]:
            case.run(lambda: [function(x=np.array([0.5, 1, 2, 3], np.float16))])
    case.write()


if __name__ == "__main__":
    special()
