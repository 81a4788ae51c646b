"""sluice.show: a picture of a graph, or of one scope of it, for Jupyter and for files."""
import html

from sluice import _extension
from sluice._api import export
from sluice._graph import get_default_graph

_WIDTH, _HEIGHT, _ACROSS, _DOWN, _MARGIN = 170, 44, 24, 36, 16
_COLORS = {"scope": "#e8eef7", "variable": "#fdebd0", "constant": "#f2f2f2", "op": "#ffffff", "outside": "#ffffff"}


class Picture:
    """An SVG picture. A notebook shows it; save() writes it to a file."""

    def __init__(self, svg):
        self.svg = svg

    def _repr_svg_(self):
        return self.svg

    def save(self, path):
        with open(path, "w", encoding="utf-8") as out:
            out.write(self.svg)

    def __repr__(self):
        return "<picture of %d bytes: .svg, .save(path)>" % len(self.svg)


class _Box:
    """A node, a scope with all its nodes, or (outside) what the scope takes from elsewhere."""

    def __init__(self, name, kind, label):
        self.name, self.kind, self.label, self.count = name, kind, label, 0
        self.inputs, self.level, self.x, self.y = set(), 0, 0, 0


def _boxes(graph, scope):
    """The boxes of |scope| by name, with their inputs."""
    prefix = scope + "/" if scope else ""
    ops = {op._number: op for op in graph.get_operations()}
    inside = [op for op in ops.values() if op.name.startswith(prefix)]
    if not inside:
        raise ValueError("the graph has no node under the scope %r" % scope)
    found, box_of = {}, {}
    for op in inside:
        first, slash, _ = op.name[len(prefix):].partition("/")
        box = found.setdefault(first, _Box(first, "scope", ""))
        if not slash:  # the node itself; others of its name are its parts, such as an argument that is a constant
            box.label = op.type
            box.kind = "constant" if op.type == "Const" else \
                "variable" if "Variable" in op.type or "VarHandle" in op.type else "op"
        box.count += 1
        box_of[op._number] = box
    for box in found.values():
        if box.count > 1:
            box.label = ", ".join(filter(None, [box.label, "%d nodes" % box.count]))
    for op in inside:
        _, _, _, inputs, controls = _extension.operation_info(op._number)
        for number in [pair[0] for pair in inputs] + list(controls):
            source = box_of.get(number)
            if source is None:
                name = ops[number].name.partition("/")[0]
                source = found.setdefault("../" + name, _Box(name, "outside", "outside"))
            if source is not box_of[op._number]:
                box_of[op._number].inputs.add(source)
    return found


def _place(boxes):
    """Levels from inputs to outputs; back edges of loops are left out of the order."""
    state = {}

    def visit(root):
        stack = [(root, iter(sorted(root.inputs, key=lambda box: box.name)))]
        state[root] = 1
        while stack:
            box, rest = stack[-1]
            source = next(rest, None)
            if source is None:
                state[box] = 2
                stack.pop()
                if stack:
                    stack[-1][0].level = max(stack[-1][0].level, box.level + 1)
            elif source not in state:
                state[source] = 1
                stack.append((source, iter(sorted(source.inputs, key=lambda box: box.name))))
            elif state[source] == 2:
                box.level = max(box.level, source.level + 1)
    for box in boxes:
        if box not in state:
            visit(box)
    rows = {}
    for box in sorted(boxes, key=lambda box: (box.level, box.name)):
        row = rows.setdefault(box.level, [])
        box.x = _MARGIN + len(row) * (_WIDTH + _ACROSS)
        box.y = _MARGIN + box.level * (_HEIGHT + _DOWN)
        row.append(box)
    return max(len(row) for row in rows.values()), max(rows) + 1


def _text(box, text, line, size):
    most = 26 if size < 12 else 23
    text = text if len(text) <= most else text[:most - 1] + "…"
    return '<text x="%d" y="%d" font-size="%d" text-anchor="middle">%s</text>' % (
        box.x + _WIDTH // 2, box.y + line, size, html.escape(text))


def _draw(boxes, columns, rows):
    width = 2 * _MARGIN + columns * (_WIDTH + _ACROSS) - _ACROSS
    height = 2 * _MARGIN + rows * (_HEIGHT + _DOWN) - _DOWN
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" '
             'font-family="sans-serif">' % (width, height, width, height),
             '<defs><marker id="end" markerWidth="8" markerHeight="8" refX="7" refY="3" orient="auto">'
             '<path d="M0,0 L7,3 L0,6 z" fill="#888"/></marker></defs>']
    for box in boxes:
        for source in sorted(box.inputs, key=lambda box: box.name):
            x1, y1, x2, y2 = source.x + _WIDTH // 2, source.y + _HEIGHT, box.x + _WIDTH // 2, box.y
            middle = (y1 + y2) // 2
            parts.append('<path d="M%d,%d C%d,%d %d,%d %d,%d" fill="none" stroke="#888" marker-end="url(#end)"/>' %
                         (x1, y1, x1, middle, x2, middle, x2, y2))
    for box in boxes:
        dash = ' stroke-dasharray="4 3"' if box.kind == "outside" else ""
        parts.append('<g><title>%s</title><rect x="%d" y="%d" width="%d" height="%d" rx="%d" fill="%s" stroke="#555"%s/>' %
                     (html.escape(box.name), box.x, box.y, _WIDTH, _HEIGHT, 10 if box.kind == "scope" else 2,
                      _COLORS[box.kind], dash))
        parts += [_text(box, box.name, 19, 13), _text(box, box.label, 35, 11), "</g>"]
    return "\n".join(parts + ["</svg>"])


@export("show")
def show(graph=None, scope=""):
    """A picture of |graph|, by default the current one: its top level, or the level inside |scope|. Each scope is one box,
    so that large graphs stay readable; look into one with show(graph, "its/name")."""
    graph = graph or get_default_graph()
    boxes = list(_boxes(getattr(graph, "graph", graph), scope.strip("/")).values())
    columns, rows = _place(boxes)
    return Picture(_draw(boxes, columns, rows))
