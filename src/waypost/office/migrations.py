"""How the office's database came to look as it does: numbered steps, each run once, in order.

`events` and `contents` are the journal. All else is built from it by `apply` and can be made anew.
A step is never changed once it was released; the next one mends it.
"""

_JOURNAL = """
CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    head TEXT NOT NULL,
    chain BLOB NOT NULL
);
CREATE TABLE contents (
    position INTEGER PRIMARY KEY,
    texts TEXT,
    message BLOB
);
-- How far do the tables go, and where does the chain end there? One row.
CREATE TABLE tip (
    position INTEGER NOT NULL,
    chain BLOB NOT NULL
);
INSERT INTO tip VALUES (0, zeroblob(32));
"""

# Of every table, what it answers. Times are milliseconds since 1970.
_TABLES = """
-- Where does a scope stand? Scopes are known by a hash: two that share one only share a queue.
CREATE TABLE scopes (
    key INTEGER PRIMARY KEY,
    position INTEGER NOT NULL
);
CREATE TABLE projects (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    folded TEXT NOT NULL UNIQUE,
    opened_at INTEGER NOT NULL
);
-- Who has a mailbox? A project's first row is its people's list.
CREATE TABLE agents (
    id INTEGER PRIMARY KEY,
    project TEXT NOT NULL,
    name TEXT NOT NULL,
    folded TEXT NOT NULL,
    kind TEXT NOT NULL,
    about TEXT NOT NULL,
    key_id TEXT,
    carrier TEXT,
    token TEXT UNIQUE,
    rules TEXT NOT NULL,
    unread INTEGER NOT NULL,
    newest INTEGER NOT NULL,
    registered_at INTEGER NOT NULL,
    active_at INTEGER NOT NULL,
    UNIQUE (project, folded)
);
-- What is in a letter's envelope? The position is that of the event that brought it.
CREATE TABLE letters (
    position INTEGER PRIMARY KEY,
    project TEXT NOT NULL,
    id TEXT NOT NULL,
    sender TEXT NOT NULL,
    recipients TEXT NOT NULL,
    thread TEXT NOT NULL,
    reply_to TEXT,
    subject TEXT NOT NULL,
    priority INTEGER NOT NULL,
    dialect TEXT NOT NULL,
    type TEXT NOT NULL,
    sent_at INTEGER NOT NULL,
    expires_at INTEGER,
    ack_by INTEGER,
    wants_ack INTEGER NOT NULL,
    door TEXT NOT NULL,
    proof TEXT NOT NULL,
    given TEXT NOT NULL,
    redacted_at INTEGER
);
CREATE INDEX letters_by_id ON letters (id, project);
CREATE INDEX letters_by_thread ON letters (thread, project, position);
-- How far did a letter get, for each recipient? The rank is the order of an inbox.
CREATE TABLE deliveries (
    letter INTEGER NOT NULL,
    agent INTEGER NOT NULL,
    state INTEGER NOT NULL,
    rank INTEGER NOT NULL,
    sent_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    expires_at INTEGER,
    ack_by INTEGER,
    accepted INTEGER,
    noted INTEGER,
    PRIMARY KEY (letter, agent)
) WITHOUT ROWID;
CREATE INDEX inbox ON deliveries (agent, rank, sent_at, letter);
CREATE INDEX unread ON deliveries (agent, rank, sent_at, letter, state) WHERE state < 2;
CREATE INDEX expiring ON deliveries (agent, expires_at) WHERE expires_at IS NOT NULL AND state = 0;
CREATE INDEX awaited ON deliveries (ack_by) WHERE ack_by IS NOT NULL AND state < 3;
CREATE INDEX undelivered ON deliveries (letter) WHERE state IN (5, 7);
-- Who holds which files? A row stays as a record, and a release brings its end forward.
CREATE TABLE reservations (
    id INTEGER PRIMARY KEY,
    project TEXT NOT NULL,
    agent TEXT NOT NULL,
    mode TEXT NOT NULL,
    patterns TEXT NOT NULL,
    task_id TEXT,
    reason TEXT NOT NULL,
    begins_at INTEGER NOT NULL,
    ends_at INTEGER NOT NULL,
    released_by TEXT
);
CREATE INDEX held ON reservations (project, ends_at);
CREATE TABLE attachments (
    sha256 TEXT NOT NULL,
    project TEXT NOT NULL,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    media_type TEXT NOT NULL,
    size INTEGER NOT NULL,
    stored_at INTEGER NOT NULL,
    PRIMARY KEY (project, sha256)
) WITHOUT ROWID;
-- Which file of an agent's folder is which letter, and what were its first bytes?
CREATE TABLE placed (
    agent INTEGER NOT NULL,
    name TEXT NOT NULL,
    letter INTEGER NOT NULL,
    digest TEXT NOT NULL,
    PRIMARY KEY (agent, name)
) WITHOUT ROWID;
-- What was handed over in place of a letter's own message? The position is that of its event.
CREATE TABLE translations (
    letter INTEGER NOT NULL,
    dialect TEXT NOT NULL,
    recipient TEXT NOT NULL,
    project TEXT NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (letter, dialect, recipient)
) WITHOUT ROWID;
CREATE INDEX translations_by_id ON translations (id, project);
-- Which deliveries wait for their next try, or (without a time for it) for a person?
CREATE TABLE waiting (
    letter INTEGER NOT NULL,
    agent INTEGER NOT NULL,
    tries INTEGER NOT NULL,
    next_at INTEGER,
    guard TEXT NOT NULL,
    since INTEGER NOT NULL,
    noted INTEGER NOT NULL,
    PRIMARY KEY (letter, agent)
) WITHOUT ROWID;
-- Which letters does a live peer wait for, until when? The peer is on the line, or was.
CREATE TABLE asked (
    letter INTEGER PRIMARY KEY,
    agent INTEGER NOT NULL,
    until INTEGER NOT NULL
);
-- Which letters hold a word? `marks` has one word for each project, party, type and thread.
CREATE VIRTUAL TABLE search USING fts5 (subject, body, marks, content = '');
"""

# Of an office whose journal is a stream that many machines share: how far this one followed it.
_STREAM = """
-- Which stream is it, and which of its messages was the last that we saw? No row: no stream.
CREATE TABLE stream (
    identity TEXT NOT NULL,
    sequence INTEGER NOT NULL
);
-- Which messages of the stream are no events? The position is that of the last event before it.
CREATE TABLE skipped (
    sequence INTEGER PRIMARY KEY,
    position INTEGER NOT NULL,
    fault TEXT
);
CREATE INDEX skipped_at ON skipped (position)
"""

# Whose letters to whom does a person hold back? `noted` is where the reason stands.
_PAIRS = """
CREATE TABLE pairs (
    project TEXT NOT NULL,
    sender TEXT NOT NULL,
    recipient TEXT NOT NULL,
    held_by TEXT NOT NULL,
    since INTEGER NOT NULL,
    noted INTEGER NOT NULL,
    PRIMARY KEY (project, sender, recipient)
) WITHOUT ROWID
"""

# At which node does an agent live, and in whose folders is a file? Nothing: on the only machine.
_NODES = """
ALTER TABLE agents ADD COLUMN node TEXT;
ALTER TABLE placed ADD COLUMN node TEXT
"""

_TRACES = """
-- Which events are about a letter, besides the one that brought it?
CREATE TABLE traces (
    letter INTEGER NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (letter, position)
) WITHOUT ROWID;
CREATE INDEX held_back ON waiting (letter) WHERE next_at IS NULL
"""
# What an older office has to learn of its own journal, once: each letter that an event names.
_TRACED = """;
INSERT OR IGNORE INTO traces SELECT json_extract(pair.value, '$[0]'), position FROM events,
    json_each(head, '$.data.deliveries') AS pair;
INSERT OR IGNORE INTO traces SELECT json_extract(head, place.value), position FROM events,
    json_each('["$.data.answers[0]", "$.data.bounces[0]", "$.data.delivery[0]"]') AS place
    WHERE json_extract(head, place.value) IS NOT NULL;
INSERT OR IGNORE INTO traces SELECT json_extract(head, '$.data.letter'), position FROM events
    WHERE json_extract(head, '$.kind') = 'letter.translated';
INSERT OR IGNORE INTO traces SELECT one.value, position FROM events,
    json_each(head, '$.data.letters') AS one
    WHERE json_extract(head, '$.kind') = 'exchange.ended'
"""

MIGRATIONS = (_JOURNAL + _TABLES, _STREAM, _PAIRS, _TRACES + _TRACED, _NODES)
TABLES = ";".join((_TABLES + _PAIRS, _TRACES, _NODES))  # as they stand after every step

# The tables that `apply` fills, in the order in which a comparison looks at them.
APPLIED = (
    "scopes", "projects", "agents", "letters", "deliveries", "reservations", "attachments",
    "placed", "translations", "waiting", "asked", "pairs", "traces",
)  # fmt: skip
