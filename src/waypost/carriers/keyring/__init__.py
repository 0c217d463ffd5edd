"""Who we are and whom we trust: an agent's key, its enrolled peers, tokens, and who knocked.

Everything lies in `$WAYPOST_HOME/keys`, one set of files an agent: `NAME.key`, `NAME.peers.json`,
and notes: `NAME.knocks.json`, `NAME.seen.json`, `NAME.address.json`, `NAME.listening`.
This room knows nothing of sockets or messages.
"""

from waypost.carriers.keyring.keys import (
    Identity,
    agent_id,
    fingerprint,
    identity,
    local_names,
    waypost_home,
)
from waypost.carriers.keyring.knocks import Knock
from waypost.carriers.keyring.peers import Peers
from waypost.carriers.keyring.presence import Address, Presence, host_and_port
from waypost.carriers.keyring.tokens import DEFAULT_PORT, Peer, read_token, token_of

__all__ = [
    "DEFAULT_PORT",
    "Address",
    "Identity",
    "Knock",
    "Peer",
    "Peers",
    "Presence",
    "agent_id",
    "fingerprint",
    "host_and_port",
    "identity",
    "local_names",
    "read_token",
    "token_of",
    "waypost_home",
]
