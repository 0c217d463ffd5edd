"""Who lives where: the nodes of an office, the servers of its journal, and the agents of each."""

from typing import NamedTuple

from waypost.office import members
from waypost.office.callers import Caller, checked_caller
from waypost.office.deciding import Desk
from waypost.office.events import Json
from waypost.office.journal.company import Node, Standing

_LIVING = (
    "SELECT name, node FROM agents WHERE project = ? AND kind != 'people'"
    " AND node IS NOT NULL ORDER BY id"
)


class Home(NamedTuple):
    """Where an agent lives, and which node carries to it now; None: nobody does."""

    name: str
    node: str
    carried_by: str | None


class Cluster(NamedTuple):
    """An office on many machines at one moment. Whoever lives at no node is served by any."""

    project: str
    standing: Standing
    agents: tuple[Home, ...]

    def to_json(self) -> Json:
        me, nodes, servers = self.standing
        return {
            "node": me,
            "nodes": [_node(one, self.project) for one in nodes],
            "servers": [one._asdict() for one in servers],
            "agents": [one._asdict() for one in self.agents],
        }


def cluster(desk: Desk, caller: Caller) -> Cluster:
    """Who is there, how far each node is, and where the agents of the caller's project live.

    Raises UnreachableError when the journal's servers don't say.
    """
    checked_caller(caller)
    with desk.database.reading() as tables:
        members.of_caller(tables, caller)
        living = tables.all(_LIVING, caller.project)
    standing = desk.journal.company.standing()
    there = {one.name for one in standing.nodes if one.is_there}
    rest = next((one.name for one in standing.nodes if one.carries_rest), None)
    agents = [Home(name, node, node if node in there else rest) for name, node in living]
    return Cluster(caller.project, standing, tuple(agents))


def _node(node: Node, project: str) -> Json:
    """A node, with those of the project's agents that live peers reach there."""
    here = f"{project}/"
    online = [one.removeprefix(here) for one in node.online if one.startswith(here)]
    told = {**node.to_json(), "online": online}
    return {key: one for key, one in told.items() if one is not None}
