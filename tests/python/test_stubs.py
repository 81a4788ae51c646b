"""The type hints: python/tools/generate_stubs writes Python that names what the package has."""
import ast
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python", "tools", "generate_stubs")


class Stubs(unittest.TestCase):
    def test_files_are_python_and_name_functions_and_classes(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, PROGRAM, folder], check=True)
            trees = {}
            for path, _, names in os.walk(folder):
                for name in names:
                    with open(os.path.join(path, name), encoding="utf-8") as text:
                        trees[os.path.relpath(path, folder)] = ast.parse(text.read())
        found = {where: {node.name: node for node in tree.body if hasattr(node, "name")} for where, tree in trees.items()}
        self.assertGreater(sum(map(len, found.values())), 1000)
        self.assertEqual(ast.unparse(found["."]["acosh"].returns), "Tensor")
        self.assertEqual([a.arg for a in found["nn"]["conv2d"].args.args][:4], ["input", "filter", "strides", "padding"])
        methods = {node.name: node for node in found["."]["Tensor"].body if hasattr(node, "name")}
        self.assertEqual(ast.unparse(methods["shape"].returns), "TensorShape")
        self.assertIn("AdamOptimizer", found["train"])
        self.assertNotIn("LinearOperator", found["linalg"])  # which is not there


if __name__ == "__main__":
    unittest.main()
