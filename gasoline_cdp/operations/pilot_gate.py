"""The gate in front of what only the pilot allows."""

from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context


def require_pilot(name: str, context: Context) -> None:
    """Let a call go on that does what only the pilot allows; remember that it asked."""
    if not context.pilot.asked(name, context.client.kind):
        raise pilot_is_off(name, context)


def pilot_is_off(name: str, context: Context) -> GasolineError:
    """What whoever does what only the pilot allows is told while it is off."""
    return GasolineError(
        Code.AI_WEB_PILOT_DISABLED,
        f"{name} acts on the page, and the pilot is off. {context.pilot.how_to_switch_on()}",
    )
