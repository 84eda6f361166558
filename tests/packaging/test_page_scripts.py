"""What runs inside pages: each file one function expression, and sound by the type checker."""

import json
import re
import subprocess
from pathlib import Path

import pytest

import gasoline_cdp
from gasoline_cdp.assets import page_script
from tests.node_tools import NODE

PAGE = Path(gasoline_cdp.__file__).parent / "page"
SCRIPTS = sorted(PAGE.glob("*.js"))

# In a context without globals a script can do nothing but be a value. A function tells its own source.
_EVALUATE = """
const text = require("node:fs").readFileSync(0, "utf8");
const value = require("node:vm").runInNewContext(text, Object.create(null));
console.log(JSON.stringify({ kind: typeof value, source: String(value) }));
"""


def test_there_are_scripts() -> None:
    assert SCRIPTS


def test_page_scripts_are_sound_by_the_type_checker(node_modules: Path) -> None:
    strict = ["--allowJs", "--checkJs", "--noEmit", "--strict", "--target", "esnext", "--lib", "dom,esnext"]
    alone = ["--types", "", "--pretty", "false", "--ignoreConfig"]
    compiler = node_modules / "typescript" / "bin" / "tsc"
    done = subprocess.run(
        [NODE, compiler, *strict, *alone, *SCRIPTS], capture_output=True, text=True, check=False, cwd=PAGE
    )
    assert done.returncode == 0, f"\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_page_script_is_one_function_expression(script: Path) -> None:
    text = page_script(script.stem)
    assert text == script.read_text(encoding="utf-8")
    assert text.startswith("// @ts-check\n")
    done = subprocess.run([NODE, "-e", _EVALUATE], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    value = json.loads(done.stdout)
    assert value["kind"] == "function"
    code = re.sub(r"\A(//.*\n)+", "", text)
    assert code == f"({value['source']})\n"
