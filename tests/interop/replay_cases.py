"""Replays the golden cases through the real TensorFlow client.

usage: replay_cases.py [--target grpc://host:port] [--golden DIR] [regex]

Without --target the cases run in a local session (checks that the files are
complete). With --target they run on that server, e.g. a server under test.
Each case gets its own session with isolate_session_state, as names repeat.
"""
import argparse
import os
import re
import sys
import time

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('TF_ENABLE_ONEDNN_OPTS', '0')
import numpy as np
import tensorflow as real_tf
from tensorflow.core.framework.tensor_pb2 import TensorProto

tf = real_tf.compat.v1
tf.disable_v2_behavior()
HERE = os.path.dirname(os.path.abspath(__file__))


def parse(d):
    """manifest.txt as a list of runs."""
    runs = []
    with open(os.path.join(d, 'manifest.txt')) as f:
        for line in f:
            w = line.rstrip('\n').split(' ')
            if w[0] == 'run':
                runs.append(dict(target=[], feed=[], fetch=[], fails=[], error=None, message=None))
            elif w[0] == 'target':
                runs[-1]['target'].append(w[1])
            elif w[0] == 'feed':
                runs[-1]['feed'].append((w[1], int(w[2]), int(w[3])))
            elif w[0] == 'fetch':
                runs[-1]['fetch'].append((w[1], int(w[2]), int(w[3]), float(w[4]), float(w[5])))
            elif w[0] == 'fetch_fails':      # fetch of a run that must fail
                runs[-1]['fails'].append(w[1])
            elif w[0] == 'error':
                runs[-1]['error'] = (w[1], int(w[2]))
            elif w[0] == 'message':
                runs[-1]['message'] = line[len('message '):-1]
    return runs


def close(a, b, rtol, atol):
    if isinstance(a, bytes):
        a = np.array(a, object)
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape or a.dtype != b.dtype:
        return 'got %s %s, want %s %s' % (a.dtype, a.shape, b.dtype, b.shape)
    if a.dtype == object or (rtol == 0 and atol == 0):
        ok = np.array_equal(a, b)
    else:
        if a.dtype.kind not in 'fc':        # bfloat16
            a, b = a.astype(np.float32), b.astype(np.float32)
        ok = np.allclose(a, b, rtol, atol, equal_nan=True)
    return None if ok else 'values differ: got %s want %s' % (
        str(a.ravel()[:4]), str(b.ravel()[:4]))


def replay(d, target):
    with open(os.path.join(d, 'tensors.bin'), 'rb') as f:
        blob = f.read()
    gd = tf.GraphDef()
    with open(os.path.join(d, 'graph.pb'), 'rb') as f:
        gd.ParseFromString(f.read())

    def tensor(off, n):
        return tf.make_ndarray(TensorProto.FromString(blob[off:off + n]))
    bad = []
    with tf.Graph().as_default() as g:
        tf.import_graph_def(gd, name='')
        conf = tf.ConfigProto(isolate_session_state=True)
        conf.graph_options.rewrite_options.disable_meta_optimizer = True
        with tf.Session(target, config=conf) as s:
            for i, r in enumerate(parse(d)):
                feeds = {k: tensor(o, n) for k, o, n in r['feed']}
                ops = [g.get_operation_by_name(t) for t in r['target']]
                names = [f[0] for f in r['fetch']] + r['fails']
                try:
                    _, vals = s.run([ops, names], feeds)
                    if r['error']:
                        bad.append('run %d: no error, want %s' % (i, r['error']))
                except tf.errors.OpError as e:
                    if not r['error']:
                        bad.append('run %d: %s' % (i, str(e).split('\n')[0][:160]))
                        break
                    if e.error_code != r['error'][1]:
                        bad.append('run %d: error %d, want %s' % (i, e.error_code, r['error']))
                    continue
                for (name, o, n, rt, at), v in zip(r['fetch'], vals):
                    why = close(v, tensor(o, n), rt, at)
                    if why:
                        bad.append('run %d %s: %s' % (i, name, why))
    return bad


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--target', default='')
    ap.add_argument('--golden', default=os.path.join(os.path.dirname(HERE), 'golden'))
    ap.add_argument('regex', nargs='?', default='')
    o = ap.parse_args()
    n = nbad = 0
    for part in ('cases', 'optimizers'):
        root = os.path.join(o.golden, part)
        for name in sorted(os.listdir(root)):
            d = os.path.join(root, name)
            if not os.path.isdir(d) or not re.search(o.regex, name):
                continue
            n += 1
            t0 = time.time()
            bad = replay(d, o.target)
            if bad:
                nbad += 1
                print('FAIL %s/%s (%.1fs): %s' % (part, name, time.time() - t0, '; '.join(bad)[:400]))
    print('%d of %d cases ok' % (n - nbad, n))
    return 1 if nbad else 0


if __name__ == '__main__':
    sys.exit(main())
