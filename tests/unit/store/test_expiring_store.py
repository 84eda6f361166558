"""Pages by name, bounded in number and age."""

from gasoline_cdp.store.expiring_store import ExpiringStore


def names(book: ExpiringStore[str], now: float) -> list[str]:
    return [name for name, _ in book.items(now)]


def test_the_one_not_used_for_longest_makes_room() -> None:
    book: ExpiringStore[str] = ExpiringStore(2, 100)
    assert book.put("a", "1", 0) == []
    assert book.put("b", "2", 1) == []
    assert book.get("a", 2) == "1"
    assert book.put("c", "3", 3) == ["b"]
    assert names(book, 3) == ["c", "a"]


def test_old_ones_go_by_themselves_however_often_they_are_read() -> None:
    book: ExpiringStore[str] = ExpiringStore(2, 100)
    book.put("a", "1", 0)
    assert book.get("a", 100) == "1"
    assert book.get("a", 100.1) is None


def test_a_change_makes_a_page_no_younger() -> None:
    book: ExpiringStore[str] = ExpiringStore(2, 100)
    book.put("a", "1", 0)
    book.change("a", "2")
    assert book.get("a", 99) == "2"
    assert book.get("a", 101) is None


def test_the_same_name_is_the_same_page() -> None:
    book: ExpiringStore[str] = ExpiringStore(2, 100)
    book.put("a", "1", 0)
    book.put("a", "2", 50)
    assert book.items(120) == [("a", "2")]


def test_a_page_can_be_torn_out() -> None:
    book: ExpiringStore[str] = ExpiringStore(2, 100)
    book.put("a", "1", 0)
    assert book.remove("a", 1) == "1"
    assert book.remove("a", 1) is None
