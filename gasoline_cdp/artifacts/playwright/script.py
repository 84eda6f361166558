"""What a generator is asked for, and what it gives."""

from attrs import frozen

from gasoline_cdp.artifacts.playwright.languages import Language
from gasoline_cdp.artifacts.playwright.wording import Assertions


@frozen(kw_only=True)
class Script:
    """The text of a test, and how much it checks."""

    text: str
    assertions: int


@frozen(kw_only=True)
class ScriptOptions:
    """How the test is to be written."""

    name: str
    base_url: str = ""
    language: Language = "typescript"
    assertions: Assertions = Assertions()
    # The module that serves recorded answers instead of the server's; empty for none.
    mocks_from: str = ""
    # The test ends by expecting this error.
    expected_error: str = ""
