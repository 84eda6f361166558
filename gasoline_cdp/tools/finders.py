"""What comparisons can look for beside errors and requests: each check as a function that gives issues."""

from gasoline_cdp.tools.moment import Category, Finder

FINDERS: dict[Category, Finder] = {}
