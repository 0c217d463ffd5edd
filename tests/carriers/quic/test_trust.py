"""Who is let in: the cases that hold the private names of the library to what we rely on."""

from pathlib import Path
from typing import Any

import pytest

from live.ears import run
from live.pairs import Agent, agents
from waypost.carriers.keyring import Identity, identity, read_token, token_of
from waypost.carriers.quic import tls
from waypost.errors import NotTrustedError, UnreachableError, WaypostError


async def refusal(kit: Agent, family: Agent) -> WaypostError:
    """Dial, and give the error that it ends in; nobody may have noticed a link."""
    with pytest.raises(WaypostError) as caught:
        await kit.dial(family)
    assert not kit.ear.links
    assert not family.ear.links
    assert not kit.transport.links
    return caught.value


def test_a_known_key_is_let_in_and_both_ends_know_whom_they_met(tmp_path: Path) -> None:
    async def story() -> None:
        async with agents(tmp_path) as (kit, family):
            link = await kit.dial(family)
            assert (link.me, link.peer, link.is_dialled) == (kit.id, family.id, True)
            await family.ear.until(lambda: family.ear.links)
            taken = family.ear.links[0]
            assert (taken.me, taken.peer, taken.is_dialled) == (family.id, kit.id, False)

    run(story())


def test_an_unknown_key_is_refused_and_noted(tmp_path: Path) -> None:
    async def story() -> None:
        async with agents(tmp_path) as (kit, family):
            family.local.peers.remove("kit")
            error = await refusal(kit, family)
            assert isinstance(error, NotTrustedError)
            assert "waypost peers token" in (error.hint or "")
        (knock,) = family.local.peers.knocks()
        assert (knock.id, knock.host, knock.times) == (kit.id, "127.0.0.1", 1)

    run(story())


def test_who_shows_no_certificate_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def bare(*arguments: Any, **options: Any) -> Any:
        configuration = configured(*arguments, **options)
        if options["is_client"]:
            configuration.certificate = configuration.private_key = None
        return configuration

    async def story() -> None:
        async with agents(tmp_path) as (kit, family):
            assert isinstance(await refusal(kit, family), NotTrustedError)
        assert family.local.peers.knocks() == []

    configured = tls._configuration
    monkeypatch.setattr(tls, "_configuration", bare)
    run(story())


def test_another_key_at_the_peers_address_is_refused(tmp_path: Path) -> None:
    async def story() -> None:
        async with agents(tmp_path) as (kit, family):
            wrong = _with_key(family.token, identity(tmp_path, "other"))
            peer = kit.local.peers.add(wrong, "other")
            with pytest.raises(NotTrustedError, match="another agent"):
                await kit.transport.dial(peer)

    run(story())


def test_an_impostor_that_claims_the_id_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        async with agents(tmp_path) as (kit, family):
            wrong = _with_key(family.token, identity(tmp_path, "other"))
            peer = kit.local.peers.add(wrong, "other")
            monkeypatch.setattr(tls.Trust, "choose", lambda *_: None)
            with pytest.raises(NotTrustedError, match="another agent"):
                await kit.transport.dial(peer)
            assert not kit.ear.links

    run(story())


def test_another_protocol_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        async with agents(tmp_path) as (kit, family):
            kept = tls.dial

            def foreign(*arguments: Any) -> Any:
                quic = kept(*arguments)
                quic.configuration.alpn_protocols = ["acp/2"]
                return quic

            monkeypatch.setattr(tls, "dial", foreign)
            error = await refusal(kit, family)
            assert isinstance(error, UnreachableError)
            assert "doesn't speak ACP" in error.details

    run(story())


def test_a_peer_that_offers_no_protocol_is_served(tmp_path: Path) -> None:
    async def story() -> None:
        async with agents(tmp_path) as (kit, family):
            peer = kit.local.peers.add(family.token + "?alpn=none")
            assert await (await kit.transport.dial(peer)).request(b"hi") == b"echo hi"

    run(story())


def test_a_peer_that_takes_no_protocol_is_dialled_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        async with agents(tmp_path) as (kit, family):
            configured = tls._configuration

            def without(*arguments: Any, **options: Any) -> Any:
                options["alpn_protocols"] = None if not options["is_client"] else ["acp/1"]
                return configured(*arguments, **options)

            monkeypatch.setattr(tls, "_configuration", without)
            assert isinstance(await refusal(kit, family), UnreachableError)
            monkeypatch.setattr(tls, "_configuration", configured)
            peer = kit.local.peers.add(family.token + "?alpn=none")
            assert await (await kit.transport.dial(peer)).request(b"hi") == b"echo hi"

    run(story())


def test_nobody_at_the_address_is_told_at_once(tmp_path: Path) -> None:
    async def story() -> None:
        async with agents(tmp_path) as (kit, family):
            await family.transport.stop()
            with pytest.raises(UnreachableError, match="nobody listens"):
                await kit.dial(family)

    run(story())


def test_one_port_serves_several_agents_by_the_name_asked_for(tmp_path: Path) -> None:
    async def story() -> None:
        async with agents(tmp_path) as (kit, family):
            other = Agent(tmp_path, "other")
            family.transport._locals = [family.local, other.local]
            other.local.peers.add(kit.token)
            peer = kit.local.peers.add(_with_key(family.token, other.local.identity), "other")
            link = await kit.transport.dial(peer)
            assert link.peer == other.id
            assert (await kit.dial(family)).peer == family.id

    run(story())


def _with_key(token: str, of: Identity) -> str:
    """A token with another's key at the same address."""
    peer = read_token(token)
    return token_of(of.public_key, peer.host, peer.port)
