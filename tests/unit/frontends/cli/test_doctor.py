"""What `doctor` says of the packages that we need."""

import importlib.metadata

import pytest

from gasoline_cdp.frontends.cli import doctor


def test_packages_of_single_options_are_not_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plain installation has none of the extras."""
    needed = ["trio>=0.31", "no-such-package>=1; extra == 'record'"]
    monkeypatch.setattr(importlib.metadata, "requires", lambda _: needed)
    assert doctor._check_versions().well
    needed.append("no-such-package>=1")
    checked = doctor._check_versions()
    assert checked.well is False
    assert checked.detail == "missing: no-such-package>=1"
