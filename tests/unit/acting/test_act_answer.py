"""How the answer of act reads."""

from gasoline_cdp.acting.act_answer import ActAnswer, fit, size

HERE, THERE = "http://shop.test/cart", "http://shop.test/login"


def answer(*events: str, tree: tuple[str, ...] = (), unread: bool = False) -> ActAnswer:
    return ActAnswer(
        success=True,
        summary="1 step done.",
        tab_id=1,
        url=HERE,
        steps=[],
        failed_requests=[],
        errors=[],
        events=list(events),
        requests=[],
        tree=list(tree),
        tree_is="Changed",
        tree_unread=unread,
    )


def texts(given: ActAnswer) -> list[str]:
    return [line.text for line in given.render()]


def test_where_it_led_to_is_said_once() -> None:
    went = answer(f"Navigated to {HERE}", f"Navigated to {THERE}", f"Navigated to {HERE}")
    assert texts(went) == [
        f"1 step done. Tab 1 navigated to {HERE}",
        f"Navigated to {HERE}",
        f"Navigated to {THERE}",
    ]
    # A route within the document came after it.
    assert texts(answer(f"Navigated to {THERE}")) == [f"1 step done. Tab 1, {HERE}", f"Navigated to {THERE}"]


def test_what_is_not_known_is_said() -> None:
    assert "not known" in texts(answer(unread=True))[-1]


def test_lines_of_the_tree_give_way_and_are_counted() -> None:
    long = answer(tree=tuple(f'button "Number {number}"' for number in range(200)))
    short = fit(long, "lines", 2048)
    assert size(short, "lines") <= 2048
    assert short.left_out == 200 - len(short.tree)
