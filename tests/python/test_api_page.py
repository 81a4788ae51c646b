"""docs/python_api.md is current."""
import os
import subprocess
import sys
import unittest

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


class ApiPage(unittest.TestCase):
    def test_page_is_what_the_generator_writes(self):
        made = subprocess.run([sys.executable, os.path.join(SOURCE, "python", "tools", "generate_api")], check=True,
                              stdout=subprocess.PIPE, universal_newlines=True, timeout=300).stdout
        with open(os.path.join(SOURCE, "docs", "python_api.md"), encoding="utf-8") as page:
            self.assertEqual(page.read(), made, "run `make python_api`")


if __name__ == "__main__":
    unittest.main()
