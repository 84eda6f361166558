"""The scripts that observe pages. They run in our own world of each document, before the page's first script."""

from collections.abc import Callable

from attrs import frozen

from gasoline_cdp import limits
from gasoline_cdp.assets import page_script, vendored


@frozen
class Observer:
    """A page script to run, after the vendored scripts it needs. It reports through the binding."""

    name: str
    vendored: tuple[str, ...] = ()
    # Run in the page itself only, not in its frames.
    main_frame_only: bool = False
    # The script's only argument: a number of our own, which pages cannot influence.
    argument: Callable[[], float] | None = None

    def source(self) -> str:
        """All scripts as one program."""
        argument = "" if self.argument is None else repr(float(self.argument()))
        parts = [*map(vendored, self.vendored), f"({page_script(self.name)})({argument});"]
        program = "\n".join(parts)
        return f"if (window === window.top) {{\n{program}\n}}" if self.main_frame_only else program


# In this order: later ones use what earlier ones install.
OBSERVERS: tuple[Observer, ...] = (
    Observer("report"),
    Observer("timers"),
    Observer("clock"),
    Observer("reading"),
    Observer("selectors"),
    Observer("containers"),
    Observer("handling"),
    Observer("action_details"),
    Observer("actions"),
    Observer("gestures"),
    Observer("outline"),
    Observer("effects"),
    Observer("dom_snapshot"),
    Observer("vital_details", main_frame_only=True),
    Observer(
        "vitals",
        vendored=("web-vitals.js",),
        main_frame_only=True,
        argument=lambda: limits.PERFORMANCE_SETTLE_SECONDS * 1000,
    ),
)
