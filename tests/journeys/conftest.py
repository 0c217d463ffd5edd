"""The office that the journeys of a file share."""

from journeys.trio import trio as trio  # a fixture
