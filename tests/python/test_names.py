"""Public names: `import sluice` loads little, and each name finds its module."""
import os
import subprocess
import sys
import unittest

import sluice
from sluice import _api, _later_names

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def run(*arguments):
    return subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.PIPE, universal_newlines=True,
                          timeout=300).stdout


class Names(unittest.TestCase):
    def test_import_loads_only_the_core(self):
        loaded = run("-c", "import sys, sluice\nprint(*(m[7:] for m in sys.modules if m.startswith('sluice._')))").split()
        self.assertIn("_graph", loaded)
        self.assertEqual(sorted(set(loaded) & set(_later_names.MODULES.values())), [])

    def test_list_of_later_names_is_what_the_generator_writes(self):
        with open(os.path.join(SOURCE, "python", "sluice", "_later_names.py"), encoding="utf-8") as file:
            self.assertEqual(file.read(), run(os.path.join(SOURCE, "python", "tools", "generate_later_names")),
                             "run `make python_api`")

    def test_every_name_resolves(self):
        for name in [*_api._exports, *_later_names.MODULES, *_api._paths_of_ops()]:
            value = sluice
            for part in name.split("."):
                value = getattr(value, part)
            self.assertIs(value, _api._exports[name], name)

    def test_a_function_of_an_op_that_the_library_lacks_is_absent(self):
        with self.assertRaisesRegex(AttributeError, "the library has no op 'SdcaFprint'"):
            sluice.train.sdca_fprint
        self.assertNotIn("sdca_fprint", dir(sluice.train))


if __name__ == "__main__":
    unittest.main()
