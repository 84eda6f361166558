"""Keys without the lines around them are told by their own encoding."""

import base64
import binascii
from random import Random

import pytest

from tests.accuracy import is_reported

pytestmark = pytest.mark.requirement("F5-SECRETS")


def _seed(checksum_off_by: int) -> str:
    data = bytes([18 << 3, 0]) + Random(1).randbytes(32)
    checksum = (binascii.crc_hqx(data, 0) + checksum_off_by) % 65536
    return base64.b32encode(data + checksum.to_bytes(2, "little")).decode().rstrip("=")


def test_a_nats_seed_is_told_by_its_checksum() -> None:
    assert is_reported(f'{{"v": "{_seed(0)}"}}')
    assert not is_reported(f'{{"v": "{_seed(1)}"}}')


def _sequence(*head: int) -> str:
    return base64.b64encode(bytes([0x30, 0x82, 0x02, 0x5C, *head]) + Random(2).randbytes(600)).decode()


def test_a_private_key_begins_with_its_version_and_a_certificate_does_not() -> None:
    rsa, pkcs8 = _sequence(2, 1, 0, 2, 0x81, 0x81), _sequence(2, 1, 0, 0x30, 0x0D, 6, 9)
    certificate = _sequence(0x30, 0x82, 1, 0x45, 0xA0, 3, 2, 1, 2)
    assert is_reported(rsa)
    assert is_reported(pkcs8)
    assert not is_reported(certificate)
