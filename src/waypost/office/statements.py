"""Every statement that changes the tables, by name; `apply` and the journal use no other."""

ADD_EVENT = "INSERT INTO events (position, head, chain) VALUES (?, ?, ?)"
ADD_CONTENT = "INSERT INTO contents (position, texts, message) VALUES (?, ?, ?)"
TIP = (
    "SELECT position, chain FROM tip WHERE typeof(position) = 'integer' AND typeof(chain) = 'blob'"
)
MOVE_TIP = "UPDATE tip SET position = ?, chain = ? WHERE rowid = 1"
EVENTS_AFTER = (
    "SELECT events.position, head, texts, message FROM events"
    " LEFT JOIN contents ON contents.position = events.position"
    " WHERE events.position > ? ORDER BY events.position LIMIT ?"
)
MOVE_SCOPE = (
    "INSERT INTO scopes (key, position) VALUES (?, ?)"
    " ON CONFLICT (key) DO UPDATE SET position = excluded.position"
)

OPEN_PROJECT = (
    "INSERT INTO projects (name, folded, opened_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
)
ADD_AGENT = (
    "INSERT INTO agents (project, name, folded, kind, about, key_id, carrier, token, rules, unread,"
    " newest, registered_at, active_at, node) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?, ?)"
    " ON CONFLICT DO NOTHING"
)
CHANGE_AGENT = (
    "UPDATE agents SET about = ?, key_id = ?, carrier = ?, node = ?, token = ?, rules = ?,"
    " active_at = ?"
    " WHERE project = ? AND folded = ?"
)
AGENT_ROW = (
    "SELECT about, key_id, carrier, node, token, rules FROM agents WHERE project = ? AND folded = ?"
)
AGENT_ACTIVE = "UPDATE agents SET active_at = ? WHERE id = ?"
MORE_UNREAD = "UPDATE agents SET unread = unread + 1, newest = ? WHERE id = ?"
FEWER_UNREAD = "UPDATE agents SET unread = unread - 1 WHERE id = ?"

ADD_LETTER = (
    "INSERT INTO letters (position, project, id, sender, recipients, thread, reply_to, subject,"
    " priority, dialect, type, sent_at, expires_at, ack_by, wants_ack, door, proof, given)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
RECIPIENTS = "SELECT recipients FROM letters WHERE position = ?"
GOES_TO = "UPDATE letters SET recipients = ? WHERE position = ?"
TO_SOMEBODY_ELSE = (
    "INSERT INTO deliveries (letter, agent, state, rank, sent_at, changed_at, expires_at, ack_by)"
    " SELECT letter, ?, 0, rank, sent_at, ?, expires_at, ack_by FROM deliveries"
    " WHERE letter = ? AND agent = ?"
)
ADD_DELIVERY = (
    "INSERT INTO deliveries (letter, agent, state, rank, sent_at, changed_at, expires_at, ack_by)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
DELIVERY_STATE = "SELECT state FROM deliveries WHERE letter = ? AND agent = ?"
MOVE_DELIVERY = (
    "UPDATE deliveries SET state = ?, changed_at = ?, accepted = coalesce(?, accepted),"
    " noted = coalesce(?, noted) WHERE letter = ? AND agent = ?"
)
ADD_WORDS = "INSERT INTO search (rowid, subject, body, marks) VALUES (?, ?, ?, ?)"
FORGET_WORDS = (
    "INSERT INTO search (search, rowid, subject, body, marks) VALUES ('delete', ?, ?, ?, ?)"
)
MERGE_WORDS = "INSERT INTO search (search) VALUES ('optimize')"
FORGET_SUBJECT = "UPDATE letters SET subject = '', redacted_at = ? WHERE position = ?"
FORGET_CONTENT = "UPDATE contents SET texts = NULL, message = NULL WHERE position = ?"

ADD_RESERVATION = (
    "INSERT INTO reservations (id, project, agent, mode, patterns, task_id, reason, begins_at,"
    " ends_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
END_RESERVATION = (
    "UPDATE reservations SET ends_at = min(ends_at, ?), released_by = ?"
    " WHERE id = ? AND released_by IS NULL"
)
FORGET_REASON = "UPDATE reservations SET reason = '' WHERE id = ?"

ADD_ATTACHMENT = (
    "INSERT INTO attachments (sha256, project, position, name, media_type, size, stored_at)"
    " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
)
FORGET_ATTACHMENT = "DELETE FROM attachments WHERE position = ?"

PLACE = "INSERT OR REPLACE INTO placed (agent, name, letter, digest, node) VALUES (?, ?, ?, ?, ?)"
FORGET_PLACE = "DELETE FROM placed WHERE agent = ? AND name = ?"
ADD_TRANSLATION = (
    "INSERT OR REPLACE INTO translations (letter, dialect, recipient, project, id, type, position)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)
LET_WAIT = (
    "INSERT INTO waiting (letter, agent, tries, next_at, guard, since, noted)"
    " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (letter, agent) DO UPDATE SET"
    " tries = excluded.tries, next_at = excluded.next_at, guard = excluded.guard,"
    " noted = excluded.noted"
)
WAIT_NO_MORE = "DELETE FROM waiting WHERE letter = ? AND agent = ? RETURNING next_at"
IS_HELD = "SELECT 1 FROM waiting WHERE letter = ? AND agent = ? AND next_at IS NULL"
HOLD_PAIR = (
    "INSERT OR REPLACE INTO pairs (project, sender, recipient, held_by, since, noted)"
    " VALUES (?, ?, ?, ?, ?, ?)"
)
RELEASE_PAIR = "DELETE FROM pairs WHERE project = ? AND sender = ? AND recipient = ?"
HELD_OF_PAIR = (
    "SELECT letter, agents.id, carrier IN ('folder', 'key') FROM waiting"
    " JOIN letters ON letters.position = letter JOIN agents ON agents.id = agent"
    " WHERE next_at IS NULL AND guard = ? AND letters.project = ? AND sender = ?"
    " AND agents.name = ? ORDER BY letter"
)
ADD_TRACE = "INSERT OR IGNORE INTO traces (letter, position) VALUES (?, ?)"
ADD_ASKED = "INSERT OR REPLACE INTO asked (letter, agent, until) VALUES (?, ?, ?)"
ASK_NO_MORE = "DELETE FROM asked WHERE letter = ?"
