"""Refuses calls that need the pilot while it is off."""

from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context


def require_pilot(name: str, context: Context) -> None:
    """Raise if the pilot is off. Records the attempt."""
    if not context.pilot.asked(name, context.client.kind):
        raise pilot_is_off(name, context)


def pilot_is_off(name: str, context: Context) -> GasolineError:
    """The error for a call that needs the pilot."""
    return GasolineError(
        Code.AI_WEB_PILOT_DISABLED,
        f"{name} acts on the page, and the pilot is off. {context.pilot.how_to_switch_on()}",
    )


def require_leak_checks(name: str, context: Context) -> None:
    """Raise unless a person allowed tests to read the heap of their pages: with the gate `leaks`, or with the pilot.

    The gate counts only where it was typed. A file of the project can ask for it, but not allow it.
    """
    if any(gate.name == "leaks" for gate in context.fail_on or ()):
        return
    if not context.pilot.asked(name, context.client.kind):
        raise GasolineError(
            Code.AI_WEB_PILOT_DISABLED,
            "Looking for leaks reads the whole memory of the page, which nobody has allowed. Start the run with "
            "`gasoline-cdp ci --fail-on leaks`, or gasoline-cdp with --pilot.",
        )
