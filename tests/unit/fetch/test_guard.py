import socket

import pytest

from feedloom.fetch.guard import MAX_DIALLED, AllowList, GuardedResolver, Refused, guarded
from feedloom.model.errors import ConfigError
from tests.unit.fetch.spellings import FORBIDDEN_IPS, PUBLIC_IPS

PUBLIC = "93.184.216.34"
CLOSED = AllowList()


def answers(*found: str):
    async def lookup(host: str) -> list[str]:
        return list(found)

    return lookup


def info(address: str):
    return (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 80))


class Opened(Exception):
    """Raised by a test's opener in place of opening."""


def opener(_):
    raise Opened


async def dialled(*found: str, allowed: AllowList = CLOSED) -> list[str]:
    resolver = GuardedResolver(answers(*found), allowed.admits)
    return [result["host"] for result in await resolver.resolve("name.example", 80)]


@pytest.mark.threat("S1", "S2", "S3", "S7")
@pytest.mark.parametrize("address", FORBIDDEN_IPS)
async def test_name_that_leads_to_a_forbidden_address_is_refused(address):
    with pytest.raises(Refused):
        await dialled(address)


@pytest.mark.threat("S1", "S2", "S3")
@pytest.mark.parametrize("address", FORBIDDEN_IPS)
def test_forbidden_address_is_refused_before_a_socket_exists(address):
    with pytest.raises(Refused):
        guarded(opener, CLOSED.admits)(info(address))


@pytest.mark.parametrize("address", PUBLIC_IPS)
async def test_public_address_is_dialled_as_it_was_judged(address):
    assert await dialled(address) == [address]
    with pytest.raises(Opened):
        guarded(opener, CLOSED.admits)(info(address))


@pytest.mark.threat("S8")
async def test_of_mixed_answers_only_the_public_are_dialled():
    mixed = ["10.0.0.1", PUBLIC, "::1", "2606:4700::1111", "169.254.169.254"]

    assert await dialled(*mixed) == [PUBLIC, "2606:4700::1111"]


@pytest.mark.threat("S8")
async def test_name_with_hundreds_of_answers_gets_few_attempts():
    many = [f"93.184.{n}.1" for n in range(200)]

    assert len(await dialled(*many)) == MAX_DIALLED


async def test_forbidden_answers_do_not_crowd_out_the_public_one():
    many = [f"10.0.{n}.1" for n in range(200)]

    assert await dialled(*many, PUBLIC) == [PUBLIC]


async def test_name_without_answers_does_not_exist():
    with pytest.raises(socket.gaierror):
        await dialled()


async def test_answer_that_is_no_address_is_refused():
    with pytest.raises(Refused):
        await dialled("localhost")


def test_refusals_are_all_alike():
    assert str(Refused()) == "refused"


async def test_allowed_network_is_dialled():
    allowed = AllowList.parse("10.1.0.0/16, ::1")

    found = await dialled("10.1.2.3", "10.2.0.1", "::1", "::2", allowed=allowed)

    assert found == ["10.1.2.3", "::1"]


def test_allowed_network_covers_its_mapped_spelling_only():
    allowed = AllowList.parse("127.0.0.0/8")

    assert allowed.admits("::ffff:127.0.0.1")
    assert not allowed.admits("64:ff9b::127.0.0.1")
    assert not allowed.admits("2002:7f00:1::")


def test_allow_list_reads_networks_addresses_and_names():
    allowed = AllowList.parse(" 10.0.0.0/8,fd00::/8 192.168.1.7, Intranet.Example. ")

    assert [str(network) for network in allowed.networks] == [
        "10.0.0.0/8",
        "fd00::/8",
        "192.168.1.7/32",
    ]
    assert allowed.hosts == {"intranet.example"}


def test_allowed_name_opens_no_address():
    assert not AllowList.parse("intranet.example").admits("10.0.0.1")


def test_empty_allow_list_is_closed():
    assert AllowList.parse("") == AllowList()
    assert not AllowList.parse("").admits("127.0.0.1")


@pytest.mark.parametrize(
    "part",
    [
        "10.0.0.1/8",
        "10.0.0.0/33",
        "127.1",
        "0x7f000001",
        "*.example",
        "host:80",
        "http://host",
        "host/path",
        "user@host",
        "[::1]",
        "fe80::1%eth0/64",
        "-",
    ],
)
def test_allow_list_names_the_part_it_cannot_read(part):
    with pytest.raises(ConfigError) as error:
        AllowList.parse(f"10.0.0.0/8, {part}, intranet.example")

    assert f"“{part}”" in str(error.value)
