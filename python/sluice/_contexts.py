"""In which conditional or loop an operation is."""

ENTERS = ("Enter", "RefEnter")
EXITS = ("Exit", "RefExit")


def output_context(op):
    """The context in which the outputs of |op| are."""
    context = op._control_flow_context
    return context.outer_context if context is not None and op.type in EXITS else context


def contains(context, outer):
    """Whether |context| is |outer| or inside it."""
    while context is not outer and context is not None:
        context = context.outer_context
    return context is outer


def check_inputs(op_type, name, context, inputs):
    """An operation outside of a loop cannot use a value inside it."""
    for tensor in inputs:
        found = output_context(tensor.op)
        loop = None if found is None else found.GetWhileContext()
        if loop is None or found is context:
            continue
        own = None if context is None else context.GetWhileContext()
        if own is None and op_type not in ENTERS + ("Switch",):
            why = "'%s' is in a while loop" % tensor.op.name
        elif own is not None and not contains(own, loop):
            why = "they are in different while loops"
        else:
            continue
        raise ValueError("Cannot use '%s' as input to '%s' because %s. See info log for more details." %
                         (tensor.op.name, name, why))
