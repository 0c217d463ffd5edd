"""How agents get to know keys: one of our own for a mailbox, a peer's for those who may meet it."""

from pathlib import Path

from waypost.carriers.keyring import Peers, identity, local_names, read_token
from waypost.errors import NotAllowedError, UsageError
from waypost.office import consigning
from waypost.office.members import KEY
from waypost.runtime.client import Client, InProcess


def key_of(office: Client, name: str, token: str | None) -> str:
    """The id of the key that an agent is known by.

    With a token it is a peer's, which the live agents of the project then trust. Without one it is
    a key of our own, made if need be. Raises NotAllowedError, UsageError, KeyFileError.
    """
    if not isinstance(office, InProcess):
        raise NotAllowedError("keys are made where the office lives", hint="do it there")
    home, project = Path(office.where.value), office.project.value
    if token is None:
        return _own(office, home, name, project)
    peer = read_token(token)
    ours = [box for box in consigning.boxes(office.office.desk, project) if box.carrier != KEY]
    for local in local_names(home):
        me = identity(home, local, create=False)
        if me.id in {box.key_id for box in ours}:
            Peers(home, me).add(token, name)
    return peer.id


def wake_by(office: Client, name: str, command: str) -> None:
    """Have a program woken for an agent's letters; an empty one ends that.

    Raises NotAllowedError; UsageError for a live peer, who answers for itself.
    """
    from waypost.runtime.wakes import set_wake

    if not isinstance(office, InProcess):
        raise NotAllowedError("programs are named where the office lives", hint="do it there")
    boxes = consigning.boxes(office.office.desk, office.project.value)
    if command and any(box.name == name and box.carrier == KEY for box in boxes):
        hint = "its letters go to its key; a program is for an agent with a mailbox here"
        raise UsageError(f"{name} is a live peer and answers for itself", hint=hint)
    set_wake(office.where.value, office.project.value, name, command)


def _own(office: InProcess, home: Path, name: str, project: str) -> str:
    """A key for a mailbox; agents of one name in two projects have two."""
    owners = {box.key_id: box for box in consigning.boxes(office.office.desk)}
    for candidate in (name, f"{name}.{project}"):
        me = identity(home, candidate)
        owner = owners.get(me.id)
        if owner is None or (owner.project, owner.name) == (project, name):
            return me.id
    raise UsageError(f"another agent has the key {name}.{project}", hint="choose another name")
