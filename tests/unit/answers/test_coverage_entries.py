"""What ran, in lines."""

from gasoline_cdp import debug_limits
from gasoline_cdp.analysis.coverage.places import RanFunction
from gasoline_cdp.answers.coverage_entries import ran_in_short, show_files


def ran(file: str = "src/cart.ts", name: str = "add", line: int = 14, count: int = 1, **more: object) -> RanFunction:
    return RanFunction(file, name, line, line + 8, count, **more)  # type: ignore[arg-type]


def test_a_file_is_a_line() -> None:
    lines = {14: 2, 15: 0, 16: 0, 18: 1, 20: 0}
    [file], more = show_files([ran(count=2, by_line=True, lines=lines), ran(name="total", line=30)])
    assert str(file.line()) == "src/cart.ts: add 14-22 ×2 (not 15-16, 20), total 30-38 ×1"
    assert more == 0


def test_an_answer_has_room_for_so_many() -> None:
    most = debug_limits.COVERAGE_FUNCTIONS_SHOWN
    [file], _ = show_files([ran(line=number) for number in range(most + 3)])
    assert (len(file.functions), file.more) == (most, 3)
    files, more = show_files([ran(file=f"{number:03}.js") for number in range(debug_limits.COVERAGE_FILES_SHOWN + 2)])
    assert (len(files), more) == (debug_limits.COVERAGE_FILES_SHOWN, 2)


def test_what_ran_least_comes_first() -> None:
    assert list(ran_in_short([ran(name="draw", count=40), ran(name="onAdd")])) == [
        "src/cart.ts:14 onAdd ×1",
        "src/cart.ts:14 draw ×40",
    ]


def test_names_of_a_page_cannot_pass_for_our_words() -> None:
    [file], _ = show_files([ran(name="f ×9, done\nsecret", file="a b.js")])
    assert str(file.line()) == '"a b.js": "f ×9, done\\nsecret" 14-22 ×1'
