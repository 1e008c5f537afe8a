/** Where a session exits, starts that may be repeated, and bytes per session, kind of exit and hour. */
export const contract = `
ALTER TABLE sessions ADD COLUMN exit_kind TEXT NOT NULL DEFAULT 'direct'
	CHECK (exit_kind IN ('direct', 'location', 'residential', 'own_proxy'));

CREATE TABLE idempotent_starts (
	app_key_id    INTEGER NOT NULL REFERENCES app_keys (id) ON DELETE CASCADE,
	key           TEXT    NOT NULL,
	session_id    TEXT    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
	running_limit INTEGER NOT NULL,
	running_used  INTEGER NOT NULL,
	created_at    INTEGER NOT NULL,
	PRIMARY KEY (app_key_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotent_starts_by_age ON idempotent_starts (created_at);

CREATE TABLE egress_bytes (
	session_id TEXT    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
	exit_kind  TEXT    NOT NULL CHECK (exit_kind IN ('direct', 'location', 'residential', 'own_proxy')),
	hour       INTEGER NOT NULL,
	bytes_up   INTEGER NOT NULL,
	bytes_down INTEGER NOT NULL,
	PRIMARY KEY (session_id, exit_kind, hour)
) STRICT, WITHOUT ROWID;
CREATE INDEX egress_bytes_by_hour ON egress_bytes (hour);

CREATE INDEX sessions_by_kind ON sessions (account_id, started_by_kind, created_at, ended_at);
CREATE INDEX sessions_by_end ON sessions (subscription_id, ended_at, created_at);
CREATE INDEX sessions_of_app_key ON sessions (app_key_id, created_at);
CREATE INDEX sessions_of_subscription ON sessions (subscription_id, created_at);
`;
