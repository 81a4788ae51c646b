"""tf.einsum: sums of products of many tensors, by the op Einsum two at a time."""
import re

from sluice._convert import convert_to_tensor
from sluice._graph import name_scope
from sluice._oplib import apply


def _parsed(equation, count):
    text = equation.replace(" ", "")
    if not re.match(r"^[a-zA-Z,.]*(->[a-zA-Z.]*)?$", text):
        raise ValueError("Indices have incorrect format. Received: %s." % equation)
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != count:
        raise ValueError("Expected %d arguments for equation: %s. Received: %d" % (len(terms), equation, count))
    if not arrow:
        letters = "".join(terms).replace("...", "")
        once = sorted(c for c in set(letters) if letters.count(c) == 1)
        right = ("..." if "..." in left else "") + "".join(once)
    return terms, right


def einsum(equation, inputs, name):
    if not inputs:
        raise ValueError("einsum() needs at least one tensor")
    terms, result = _parsed(equation, len(inputs))
    with name_scope(name, "einsum", inputs):
        inputs = [convert_to_tensor(x) for x in inputs]
        while len(inputs) > 2:
            # What no other term and not the result needs is summed at once.
            (a, b), rest = terms[:2], terms[2:]
            others = set("".join(rest) + result)
            kept = "".join(dict.fromkeys(c for c in (a + b).replace("...", "") if c in others))
            product = ("..." if "..." in a + b else "") + kept
            inputs = [apply("Einsum", "Einsum", inputs=inputs[:2], equation="%s,%s->%s" % (a, b, product))] + inputs[2:]
            terms = [product] + rest
        return apply("Einsum", "Einsum", inputs=inputs, equation="%s->%s" % (",".join(terms), result))
