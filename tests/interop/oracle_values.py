"""Compares the values of ops with TensorFlow's, on the trials of the oracle test.

usage: oracle_values.py --oracle build/tests/test_tests_oracle_kernels --server-cmd "build/sluice serve" [--only Op] [--seed N]

The oracle test (tests/oracle/kernels_test.c) writes its trials of stateless ops: a node
and its inputs each. They run in a local session of stock TensorFlow and in a
session of the same client on a server under test. Both fail, or both give equal
values; the server may know what TensorFlow says is not implemented. A process that
dies is counted against its side only: TensorFlow's may.
"""
import argparse
import collections
import os
import pickle
import struct
import subprocess
import sys
import tempfile

from google.protobuf.message import DecodeError

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('TF_ENABLE_ONEDNN_OPTS', '0')
HERE = os.path.dirname(os.path.abspath(__file__))
CHUNK = 40

# Where the two may differ, and why. A name with a star stands for all that start so.
EXCEPTIONS = {
    'BatchSelfAdjointEig*': 'the signs of eigenvectors are free',
    'BatchSvd': 'the signs of singular vectors are free',
    'Bitcast': 'bytes of odd values: a signalling NaN may come back quiet',
    'Cholesky': 'TensorFlow gives zeros for a complex matrix that is not positive definite, and NaNs for a real one',
    'FakeParam': 'has no value: what it gives is not initialised',
    'FractionalMaxPoolGrad': 'TensorFlow pools again and refuses an orig_output that is not the result; Sluice does not use it',
    'Eig': 'the order of eigenvalues and the phases of eigenvectors are free',
    'NextIteration': 'has a meaning in a loop only; outside, TensorFlow hands the value to nobody',
    'SelfAdjointEig*': 'the signs of eigenvectors are free',
    'StochasticCastToInt': "which random number an element gets depends on the width of TensorFlow's vectors",
    'Svd': 'the signs of singular vectors are free',
    'TileGrad': "TensorFlow's kernels ask for an attribute that the op does not have: none is ever found",
    'TopK': "TensorFlow's kernels ask for an attribute that the op does not have: none is ever found",
}
# Gradients of many steps in 16 bits: what both may lose of the largest value by rounding in another order.
LONG_SUMS = {'BlockLSTMGrad': 4e-3, 'BlockLSTMGradV2': 4e-3}
# Where TensorFlow may compute forever.
ENDLESS = {'RandomIndexShuffle'}  # an index above the largest, or an odd number of rounds
UNIMPLEMENTED = 12


def is_undefined(trial):
    """Whether TensorFlow's kernel reads memory that is not its own on these inputs."""
    import tensorflow as tf
    node, inputs, _ = trial
    if node.op == '_FusedConv2D':  # takes a bias of any type for one of T
        return any(t != node.attr['T'].type for t in node.attr['TArgs'].list.type)
    if node.op == 'SparseAdd':  # takes a thresh of any type for one of the real type of T
        types = tf.dtypes.as_dtype(node.attr['T'].type), tf.dtypes.as_dtype(node.attr['Treal'].type)
        return types[0].real_dtype != types[1]
    if node.op == 'TensorSummaryV2':  # does not look whether the metadata could be parsed
        try:
            tf.compat.v1.SummaryMetadata.FromString(tf.make_ndarray(inputs[2]).item())
        except (DecodeError, ValueError):
            return True
    return False


def read_trials(path):
    """[(NodeDef, [TensorProto], is_tame)] of the ops that TensorFlow has; registry_test.c knows which are ours alone"""
    from tensorflow.core.framework import node_def_pb2, tensor_pb2
    from tensorflow.python.framework import op_def_registry
    trials = []
    with open(path, 'rb') as f:
        blob = f.read()
    at = 0

    def block(message):
        nonlocal at
        size, = struct.unpack_from('<I', blob, at)
        message.ParseFromString(blob[at + 4:at + 4 + size])
        at += 4 + size
        return message
    while at < len(blob):
        node = block(node_def_pb2.NodeDef())
        count, tame = struct.unpack_from('<II', blob, at)
        at += 8
        trial = (node, [block(tensor_pb2.TensorProto()) for _ in range(count)], bool(tame))
        if node.op not in ENDLESS and op_def_registry.get(node.op):
            trials.append(trial)
    return trials


# ---- One side: runs all trials and writes what came out ----------------------

def add_trial(tf, graph, name, trial):
    """The names of the trial's outputs and its feeds; None if the client itself refuses the node."""
    node, inputs, _ = trial
    graph_def = tf.GraphDef()
    feeds = {}
    for i, value in enumerate(inputs):
        placeholder = graph_def.node.add(name='%s_in%d' % (name, i), op='Placeholder')
        placeholder.attr['dtype'].type = value.dtype
        feeds[placeholder.name + ':0'] = tf.make_ndarray(value)
    copy = graph_def.node.add()
    copy.CopyFrom(node)
    copy.name = name
    copy.input.extend('%s_in%d' % (name, i) for i in range(len(inputs)))
    try:
        with graph.as_default():
            tf.import_graph_def(graph_def, name='')
    except (ValueError, RuntimeError) as error:
        return None, str(error)
    operation = graph.get_operation_by_name(name)
    return ([t.name for t in operation.outputs], operation.name, feeds), None


def run_one(session, request):
    import tensorflow as tf
    outputs, operation, feeds = request
    try:
        values = session.run(outputs if outputs else [operation], feeds)
        return 'ok', values if outputs else []
    except tf.errors.OpError as error:
        return 'error', error.error_code, (error.message or '')[:400]


def run_side(target, path, out, start, only):
    import tensorflow as real_tf
    tf = real_tf.compat.v1
    tf.disable_v2_behavior()
    trials = read_trials(path)
    config = tf.ConfigProto(isolate_session_state=True, operation_timeout_in_ms=20000)
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.graph_options.optimizer_options.opt_level = -1
    config.graph_options.place_pruned_graph = True
    with open(out, 'ab') as f:
        first = start
        while first < len(trials):
            last = first + 1
            while last < len(trials) and last - first < CHUNK and trials[last][0].op == trials[first][0].op:
                last += 1
            graph = tf.Graph()
            requests = [add_trial(tf, graph, 't%d' % i, trials[i]) for i in range(first, last)]
            with tf.Session(target, graph=graph, config=config) as session:
                for i, (request, refusal) in enumerate(requests, first):
                    pickle.dump((i, 'begin'), f)
                    f.flush()
                    result = ('refused', refusal) if request is None else run_one(session, request)
                    if result[0] == 'error' and ('OpKernel' in result[2] or 'assign a device' in result[2]):
                        alone = tf.Graph()
                        request, _ = add_trial(tf, alone, 't', trials[i])
                        with tf.Session(target, graph=alone, config=config) as own:
                            result = run_one(own, request)
                    pickle.dump((i, result), f)
                    f.flush()
            first = last


def collect(target, path, count):
    """One result for each trial; starts the side again behind a trial that killed it."""
    results = {}
    start = 0
    with tempfile.TemporaryDirectory() as folder:
        while start < count:
            out = os.path.join(folder, 'results')
            if os.path.exists(out):
                os.remove(out)
            side = subprocess.run([sys.executable, os.path.abspath(__file__), '--run', target, path, out, str(start)],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=900, text=True)
            if side.returncode > 0:
                raise RuntimeError(side.stderr[-2000:])
            last = start
            with open(out, 'rb') as f:
                while True:
                    try:
                        last, result = pickle.load(f)
                    except EOFError:
                        break
                    results[last] = ('died',) if result == 'begin' else result
            start = last + 1
    return results


# ---- Comparison --------------------------------------------------------------

def decoded(op, value):
    """What the bytes of an encoder say, where more than one sequence of bytes says it."""
    if op != 'ImageSummary':
        return value
    import tensorflow as tf
    summary = tf.compat.v1.Summary.FromString(value)
    images = []
    for entry in summary.value:
        images.append(tf.io.decode_png(entry.image.encoded_image_string).numpy().tolist())
        entry.image.encoded_image_string = b''
    return str(summary) + str(images)


def differs(op, a, b):
    """What differs between two values; None if nothing does."""
    import numpy as np
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape or a.dtype != b.dtype:
        return 'got %s %s, TensorFlow %s %s' % (b.dtype, b.shape, a.dtype, a.shape)
    if a.dtype.kind in 'OSUb' or a.dtype.kind in 'iu':
        same = np.array_equal(a, b)
    else:
        name = a.dtype.name
        rtol, atol = {'bfloat16': (4e-2, 1e-2), 'float16': (8e-3, 2e-3), 'float32': (5e-4, 2e-5),
                      'complex64': (5e-4, 2e-5)}.get(name, (1e-9, 1e-12))
        if name == 'float16' and op in LONG_SUMS:
            atol = LONG_SUMS[op] * max(1.0, np.nanmax(np.abs(a.astype(np.float32)), initial=0.0))
        if a.dtype.kind not in 'fc' or name.startswith('float8'):  # types that NumPy does not calculate with
            a, b = a.astype(np.float32), b.astype(np.float32)
        with np.errstate(all='ignore'):
            same = np.allclose(a, b, rtol, atol, equal_nan=True)
    return None if same else 'got %s, TensorFlow %s' % (str(b.ravel()[:6]), str(a.ravel()[:6]))


def compare(op, stock, ours):
    if 'died' in (stock[0], ours[0]):
        return 'the server died' if ours[0] == 'died' else None
    if stock[0] == 'error' and stock[1] == UNIMPLEMENTED:
        return None
    if stock[0] != ours[0]:
        return '%s, TensorFlow %s' % (ours[:3] if ours[0] != 'ok' else 'gives a value',
                                      stock[:3] if stock[0] != 'ok' else 'gives a value')
    if stock[0] == 'ok':
        for i, (a, b) in enumerate(zip(stock[1], ours[1])):
            why = differs(op, decoded(op, a), decoded(op, b))
            if why:
                return 'output %d: %s' % (i, why)
    return None


def describe(trial):
    import tensorflow as tf
    node, inputs, tame = trial
    attrs = ' '.join('%s=%s' % (k, str(v).strip().replace('\n', ' ')) for k, v in sorted(node.attr.items()))
    values = ', '.join('%s%s' % (list(x.shape), str(x.ravel()[:8])) for x in map(tf.make_ndarray, inputs))
    return '%s(%s) {%s}%s' % (node.op, values, attrs[:300], '' if tame else ' (odd)')


def excepted(op):
    return any(op == name or (name.endswith('*') and op.startswith(name[:-1])) for name in EXCEPTIONS)


def main():
    if len(sys.argv) > 5 and sys.argv[1] == '--run':
        run_side(sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5]), None)
        return 0
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--oracle', required=True, help='the oracle test program')
    parser.add_argument('--server-cmd', required=True)
    parser.add_argument('--only', default='', help='one op, or with a star all that start so')
    parser.add_argument('--seed', default='1')
    parser.add_argument('--trials', default='3', help='for each type of each kernel row')
    parser.add_argument('--odd', action='store_true', help='compare odd trials too, where TensorFlow has no rule')
    options = parser.parse_args()
    sys.path.insert(0, HERE)
    from cluster import Cluster
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'trials')
        environment = dict(os.environ, ORACLE_DUMP=path, ORACLE_TRIALS=options.trials, ORACLE_SEED=options.seed)
        if options.only:
            environment['ORACLE_ONLY'] = options.only
        subprocess.run([options.oracle], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        trials = read_trials(path)
        stock = collect('', path, len(trials))
        with Cluster({'worker': 1}, cmd=options.server_cmd) as cluster:
            ours = collect(cluster.target('worker', 0), path, len(trials))
            dead = cluster.dead()
    kinds = collections.Counter()
    shown = collections.Counter()
    bad = 0
    for i, trial in enumerate(trials):
        a, b = stock.get(i, ('died',)), ours.get(i, ('died',))
        kinds[a[0]] += 1
        why = compare(trial[0].op, a, b)
        if not why or excepted(trial[0].op) or is_undefined(trial) or not (trial[2] or options.odd):
            continue
        bad += 1
        shown[trial[0].op] += 1
        if shown[trial[0].op] <= 2:
            print('%s\n    %s' % (why, describe(trial)))
    print('%d trials of %d ops: TensorFlow gives a value for %d, fails %d, refuses %d, dies at %d; %d differ' % (
        len(trials), len({t[0].op for t in trials}), kinds['ok'], kinds['error'], kinds['refused'], kinds['died'], bad))
    if dead:
        print('servers that ended: %s' % dead)
    return 1 if bad or dead else 0


if __name__ == '__main__':
    sys.exit(main())
