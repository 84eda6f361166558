"""Recorded steps as steps of act: each as it was done, and none after one that cannot be repeated."""

from typing import Any

from gasoline_cdp.acting.replay_steps import plan_replay
from gasoline_cdp.acting.run import PlannedStep
from gasoline_cdp.analysis.flows.flow import Dialog, Step
from gasoline_cdp.analysis.flows.locators import Locator

BUTTON = Locator("role", "Save", "button")


def step(kind: Any, **given: Any) -> Step:
    return Step(kind=kind, ts=1.0, **given)


def planned(*steps: Step) -> list[PlannedStep]:
    replay = plan_replay(steps, 50)
    assert replay.cut == ""
    return list(replay.steps)


def test_each_kind_of_step() -> None:
    confirmed = Dialog(type="prompt", message="?", accepted=True, text="yes")
    assert planned(
        step("open", value="http://app.test/#/cart"),
        step("scroll", position=(0, 300)),
        step("click", locator=BUTTON, count=2, modifiers=("Shift",), position=(3, 4), dialogs=(confirmed,)),
        step("fill", locator=Locator("test_id", 'a"b', "data-testid"), value="x"),
        step("select", locator=Locator("label", "Size"), css="main > select", values=("s", "m")),
        step("press", locator=Locator("placeholder", "Find"), modifiers=("Control",), value="a"),
        step("drag", locator=BUTTON, target=Locator("css", "#bin")),
    ) == [
        PlannedStep(do="open", value="http://app.test/#/cart"),
        PlannedStep(do="reload"),
        PlannedStep(do="click", target='button "Save"', value="double Shift at 3,4"),
        PlannedStep(do="dialog", value="accept: yes"),
        PlannedStep(do="fill", target='[data-testid="a\\"b"]', value="x"),
        PlannedStep(do="select", target="main > select", value="s\nm"),
        PlannedStep(do="press", target='[placeholder="Find"]', value="Control+a"),
        PlannedStep(do="drag", target='button "Save"', value="#bin"),
    ]


def test_nothing_is_repeated_after_what_cannot_be() -> None:
    click = step("click", locator=BUTTON, element='button "Save"')
    cases = {
        "its value is secret": step("fill", locator=BUTTON, element='textbox "Password"', secret="TEST_PASSWORD"),
        "the files are not known": step("upload", locator=BUTTON, values=("a.png",)),
        "A script ran": step("comment", warning="A script ran in the page."),
        "in the tab that a step opened": step("click", locator=BUTTON, page=1),
        "nothing names its element": step("click"),
    }
    for said, one in cases.items():
        replay = plan_replay([click, one, click], 50)
        assert [done.do for done in replay.steps] == ["click"]
        assert said in replay.cut
    assert plan_replay([click] * 60, 50).cut == "at most 50 steps are repeated"
