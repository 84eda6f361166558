"""Gates and allow-lists in a file, and mistakes in it by their line."""

from typing import Any

import pytest

from gasoline_cdp.analysis.gates.gate import Gate, parse_gate
from gasoline_cdp.analysis.gates.settings import GateSettings, read_settings
from gasoline_cdp.errors import GasolineError

pytestmark = pytest.mark.requirement("F11-GATES")


def read(text: str, *section: str) -> GateSettings:
    settings = read_settings(text, name="gasoline.toml", section=section)
    assert settings is not None
    return settings


def test_the_longest_path_decides_which_gates_apply() -> None:
    settings = read(
        '[tool.x.gates.default]\nfail_on = ["console-errors", "a11y"]\n'
        '[tool.x.gates."/admin"]\nfail_on = []\n[tool.x.gates."/admin/users"]\nfail_on = ["security:info"]\n',
        "tool",
        "x",
    )
    assert settings.for_path("/shop") == (Gate("console-errors"), Gate("a11y", "serious"))
    assert settings.for_path("/administration") == settings.for_path("/")
    assert settings.for_path("/admin/") == ()
    assert settings.for_path("/admin/users/7") == (Gate("security", "info"),)
    assert [str(gate) for gate in settings.all_gates()] == ["console-errors", "a11y:serious", "security:info"]


def test_a_file_without_gates_sets_none() -> None:
    assert read_settings("[budgets.default]\nload_ms = 1\n", name="x", section=()) is None
    assert read_settings("[project]\n", name="x", section=("tool", "gasoline-cdp")) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[gates.default]\nfail_on = [\n", "gasoline.toml is not TOML: "),
        ("[gate.default]\nfail_on = []\n", "gasoline.toml, line 1: 'gate' is not known here"),
        ('[gates.default]\n\nfail_on = ["a11y:bad"]\n', "line 3: 'fail_on' has a mistake: 'a11y:bad'"),
        ('[gates.default]\nfail_on = ["budgets:high"]\n', "it has no levels"),
        ('[gates.default]\nfail_on = ["netork-errors"]\n', "did you mean 'network-errors'?"),
        ('[gates.default]\nfail_on = "a11y"\n', "line 2: 'fail_on' must be a list"),
        ("[gates.default]\nfail = []\n", "line 2: 'fail' is not known here; known: fail_on"),
        ("[gates.default]\nfail_on = []\n[gates.admin]\nfail_on = []\n", "line 3: 'admin' must be 'default' or a path"),
        ("gates = 3\n", "line 1: 'gates' must be a table"),
        ('[allow]\nmessage = "x"\n', "line 1: 'allow' must be tables: [[allow]]"),
        ('[[allow]]\nreason = "because"\n', "line 1: 'allow' allows everything"),
        ('[[allow]]\nmessage = "a"\n\n[[allow]]\nmessage = "b"\nunti = 2027-01-01\n', "line 6: 'unti' is not part of"),
        ('[[allow]]\nmessage = "a"\n[[allow]]\nmessage = 3\n', "line 4: 'message' must be a text"),
        ('[[allow]]\nmessage = "a"\nuntil = "soon"\n', "line 3: 'until' must be a date"),
        ('[[allow]]\nmessage = "a"\nuntil = 2027-01-01T00:00:00\n', "line 3: 'until' must be a date"),
        ('[[allow]]\npattern = "("\n', "line 2: 'pattern' is not a regular expression"),
        ("[[allow]]\nstatus = [404, 1000]\n", "line 2: 'status' must be an HTTP status"),
        ('[[allow]]\npath = "admin"\n', "line 2: 'path' must begin with /"),
        ('[[allow]]\nmessage = "a"\ngate = "errors"\n', "line 3: 'gate' must be one of"),
    ],
)
def test_a_mistake_is_named_with_its_line(text: str, said: str) -> None:
    with pytest.raises(GasolineError) as caught:
        read(text)
    assert said in caught.value.message
    assert caught.value.code.value == "bad_settings"


@pytest.mark.parametrize("text", ["a11y", "a11y:serious", "leaks", "security:critical", " budgets "])
def test_a_gate_is_written_as_it_is_read(text: str) -> None:
    assert parse_gate(str(parse_gate(text))) == parse_gate(text)


def test_allowances_know_where_they_are_written() -> None:
    given: Any = read('\n[[allow]]\nmessage = "a"\n[[allow]]\nurl = "b"\nstatus = 404\nuntil = 2027-01-31\n').allowances
    assert [str(one) for one in given] == [
        "message 'a' (gasoline.toml, line 2)",
        "url 'b', status 404 (gasoline.toml, line 4)",
    ]
    assert given[1].until == "2027-01-31"
