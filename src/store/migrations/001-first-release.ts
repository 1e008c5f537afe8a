export const firstRelease = `
CREATE TABLE settings (
	name  TEXT PRIMARY KEY,
	value TEXT NOT NULL
) STRICT;

CREATE TABLE accounts (
	id            INTEGER PRIMARY KEY,
	email         TEXT    NOT NULL COLLATE NOCASE UNIQUE,
	firstname     TEXT    NOT NULL,
	lastname      TEXT    NOT NULL,
	password_hash TEXT    NOT NULL,
	verified_at   INTEGER,
	created_at    INTEGER NOT NULL
) STRICT;

CREATE TABLE subscriptions (
	id         INTEGER PRIMARY KEY,
	account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	plan_id    TEXT    NOT NULL,
	created_at INTEGER NOT NULL,
	ends_at    INTEGER
) STRICT;
CREATE INDEX subscriptions_of_account ON subscriptions (account_id);

CREATE TABLE app_keys (
	id           INTEGER PRIMARY KEY,
	account_id   INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	name         TEXT    NOT NULL,
	hash         TEXT    NOT NULL UNIQUE,
	prefix       TEXT    NOT NULL,
	created_at   INTEGER NOT NULL,
	last_used_at INTEGER,
	expires_at   INTEGER,
	revoked_at   INTEGER
) STRICT;
CREATE INDEX app_keys_of_account ON app_keys (account_id);

CREATE TABLE sessions (
	id                TEXT    PRIMARY KEY,
	account_id        INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	subscription_id   INTEGER REFERENCES subscriptions (id) ON DELETE SET NULL,
	app_key_id        INTEGER REFERENCES app_keys (id) ON DELETE SET NULL,
	started_by_kind   TEXT    NOT NULL CHECK (started_by_kind IN ('agent', 'app')),
	name              TEXT    NOT NULL,
	image             TEXT    NOT NULL,
	url               TEXT,
	country           TEXT,
	screen_width      INTEGER NOT NULL,
	screen_height     INTEGER NOT NULL,
	status            TEXT    NOT NULL CHECK (status IN ('starting', 'running', 'ended')),
	created_at        INTEGER NOT NULL,
	ready_at          INTEGER,
	last_seen_at      INTEGER NOT NULL,
	expires_at        INTEGER NOT NULL,
	ended_at          INTEGER,
	ended_reason      TEXT    CHECK (ended_reason IN ('stopped', 'timeout', 'disconnect', 'runtime', 'error', 'lost')),
	ended_detail      TEXT,
	stop_requested_at INTEGER,
	CHECK ((status = 'ended') = (ended_at IS NOT NULL AND ended_reason IS NOT NULL))
) STRICT;
CREATE INDEX sessions_live ON sessions (account_id) WHERE status <> 'ended';
CREATE INDEX sessions_of_account ON sessions (account_id, created_at DESC);
`;
