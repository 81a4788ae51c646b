"""tf.cond, tf.case and tf.switch_case."""
import collections
import functools

from sluice import _logging, _nest
from sluice._api import export
from sluice._assert import Assert
from sluice._control_flow import CondContext, merge, switch
from sluice._convert import constant, convert_to_tensor
from sluice._dtypes import bool as bool_type, int32
from sluice._graph import GraphKeys, Tensor, control_dependencies, get_default_graph, name_scope
from sluice._oplib import apply
from sluice._tensor_array import TensorArray, build_ta_with_new_flow


def _unpacked(result):
    return result[0] if isinstance(result, (list, tuple)) and len(result) == 1 else result


def _branch(pred, pivot, branch, fn, what):
    context = CondContext(pred, pivot, branch=branch)
    try:
        context.Enter()
        original, result = context.BuildCondBranch(fn)
        if original is None:
            raise ValueError("'%s' must have a return value." % what)
        context.ExitResult(result)
    finally:
        context.Exit()
    return context, original, result


def _check_alike(true, false):
    try:
        _nest.assert_same_structure(true, false, expand_composites=True)
    except TypeError as error:
        raise TypeError("Incompatible return types of 'true_fn' and 'false_fn': %s" % error) from None
    except ValueError as error:
        raise ValueError("Incompatible return values of 'true_fn' and 'false_fn': %s" % error) from None


@export("cond")
def cond(pred, true_fn=None, false_fn=None, strict=False, name=None, fn1=None, fn2=None):
    """The tensors of true_fn() if |pred| is true, else those of false_fn(). Only operations made inside are chosen."""
    for new, old, what, older in (true_fn, fn1, "true_fn", "fn1"), (false_fn, fn2, "false_fn", "fn2"):
        if new is not None and old is not None:
            raise TypeError("cond(): '%s' and '%s' may not be set simultaneously." % (what, older))
        if new is None and old is None:
            raise TypeError("cond(): '%s' argument required" % what)
        if not callable(old if new is None else new):
            raise TypeError("'%s' must be callable." % what)
    true_fn, false_fn = true_fn or fn1, false_fn or fn2
    with name_scope(name, "cond", [pred]):
        if isinstance(pred, bool):
            raise TypeError("'pred' must not be a Python bool.")
        if_false, if_true = switch(pred, pred)
        pivots = [apply("Identity", "switch_t", input=if_true), apply("Identity", "switch_f", input=if_false)]
        pred = apply("Identity", "pred_id", input=pred)
        for tensor in [if_true, if_false, pred] + pivots:
            tensor.graph.prevent_fetching(tensor.op)
        on_true, original, true = _branch(pred, pivots[0], 1, true_fn, "true_fn")
        on_false, original_false, false = _branch(pred, pivots[1], 0, false_fn, "false_fn")
        if not strict:
            original, original_false = _unpacked(original), _unpacked(original_false)
        _check_alike(original, original_false)
        if not true:
            raise ValueError("'true_fn' and 'false_fn' must return at least one result.")
        merged = _merged(_nest.flatten(true, True), _nest.flatten(false, True), _nest.flatten(original, True))
        if on_true.outer_context is None:  # nested ones are in their outer context
            for context in on_true, on_false:
                get_default_graph().add_to_collection(GraphKeys.COND_CONTEXT, context)
        merged = _nest.pack_sequence_as(original, merged, True)
        return merged if strict else _unpacked(merged)


def _merged(true, false, originals):
    for one, other in zip(true, false):
        if one.dtype.base_dtype != other.dtype.base_dtype:
            raise ValueError("Outputs of 'true_fn' and 'false_fn' must have the same type(s). Received %s from 'true_fn' "
                             "and %s from 'false_fn'." % (one.dtype.name, other.dtype.name))
    merged = [merge(pair)[0] for pair in zip(false, true)]
    return [build_ta_with_new_flow(original, tensor) if isinstance(original, TensorArray) else tensor
            for original, tensor in zip(originals, merged)]


# --- Several branches ---

def _at_most(predicates, n, text):
    """An Assert that at most |n| of |predicates| are true."""
    from sluice._array import stack
    from sluice._math import _reduction_axes, cast
    together = stack(predicates, name="preds_c")
    numbers = cast(together, int32)
    count = apply("Sum", "num_true_conds", input=numbers, reduction_indices=_reduction_axes(numbers, None), keep_dims=False)
    holds = apply("LessEqual", None, x=count, y=constant(n, name="n_true_conds"))
    names = ", ".join(getattr(p, "name", "?") for p in predicates)
    return Assert(holds, ["%s: more than %d conditions (%s) evaluated as True:" % (text, n, names), together],
                  summarize=len(predicates))


def _default_action(predicates, actions):
    """Without a default, the last action is it, and its predicate is checked."""
    from sluice._array import stack
    at = len(predicates) - 1

    def default():
        others = "Implementation error: selected default action #%d was called, but some of other predicates are True: " % at
        none = ("Input error: None of conditions evaluated as True:", stack(predicates, name="preds_c"))
        with control_dependencies([_at_most(predicates[:at], 0, others), Assert(predicates[at], none)]):
            return actions[at]()
    return default, predicates[:at], actions[:at]


def _checked_pairs(pairs, exclusive, name):
    if not isinstance(pairs, (list, tuple, dict)):
        raise TypeError("'pred_fn_pairs' must be a list, tuple, or dict. Received: %s" % type(pairs))
    if isinstance(pairs, collections.OrderedDict):
        pairs = list(pairs.items())
    elif isinstance(pairs, dict):
        pairs = sorted(pairs.items(), key=lambda pair: pair[0].name)
        if not exclusive:
            _logging.warn("%s: An unordered dictionary of predicate/fn pairs was provided, but exclusive=False. The order "
                          "of conditional tests is deterministic but not guaranteed.", name)
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError("Each entry in 'pred_fn_pairs' must be a 2-tuple. Received %s." % (pair,))
        if not isinstance(pair[0], Tensor):
            raise TypeError("pred must be a Tensor, got: %s" % pair[0])
        if pair[0].dtype != bool_type:
            raise TypeError("pred must be Tensor of type bool: %s" % pair[0].name)
        if not callable(pair[1]):
            raise TypeError("fn for pred %s must be callable." % pair[0].name)
    return tuple(p for p, _ in pairs), tuple(f for _, f in pairs)


@export("case")
def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name="case"):
    """The tensors of the function whose predicate is the first that is true, else those of default()."""
    predicates, actions = _checked_pairs(pred_fn_pairs, exclusive, name)
    with name_scope(name, "case", list(predicates)):
        if default is None:
            default, predicates, actions = _default_action(predicates, actions)
        chosen = default
        for predicate, action in reversed(list(zip(predicates, actions))):
            chosen = functools.partial(cond, predicate, true_fn=action, false_fn=chosen, strict=strict)
        if not exclusive:
            return chosen()
        with control_dependencies([_at_most(predicates, 1, "Input error: exclusive=True")]):
            return chosen()


@export("switch_case")
def switch_case(branch_index, branch_fns, default=None, name="switch_case"):
    """The tensors of branch_fns[branch_index](), else those of the default, which without one is the last branch."""
    if not isinstance(branch_index, Tensor):
        branch_index = convert_to_tensor(branch_index, dtype=int32)
    if isinstance(branch_fns, dict):
        branch_fns = list(branch_fns.items())
    if not branch_fns:
        raise ValueError("Must provide at least one item in 'branch_fns'")
    if all(callable(fn) for fn in branch_fns):
        branch_fns = list(enumerate(branch_fns))
    for pair in branch_fns:
        if not isinstance(pair, tuple) or len(pair) != 2 or not isinstance(pair[0], int) or not callable(pair[1]):
            raise TypeError("Each entry in 'branch_fns' must be a function or a pair of an int and one. Received %s." %
                            (pair,))
    pairs = sorted(branch_fns)
    if [key for key, _ in pairs] != list(range(len(pairs))):
        raise ValueError("branch indices (keys) must form contiguous range of [0 to %d) but found {%s}" %
                         (len(pairs), ",".join(str(key) for key, _ in pairs)))
    with name_scope(name, "switch_case", [branch_index]):
        default = default or pairs.pop()[1]
        chosen = default
        for key, fn in reversed(pairs):
            chosen = functools.partial(cond, apply("Equal", None, x=branch_index, y=key), true_fn=fn, false_fn=chosen)
        return chosen()
