/** Identifies a database file as the emulator's, in SQLite's header ("QRsv"). */
export const APPLICATION_ID = 0x51527376;

/** Incremented when the tables change. */
export const SCHEMA_VERSION = 3;

const CODE_COLUMNS = `
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  slug TEXT NOT NULL,
  mode TEXT NOT NULL,
  content_type TEXT NOT NULL,
  target_url TEXT NOT NULL,
  first_target_url TEXT NOT NULL,
  status TEXT NOT NULL,
  approval_state TEXT NOT NULL,
  folder_id TEXT,
  updated_at INTEGER NOT NULL`;

/** The emulator's tables. Times are milliseconds since the epoch. */
export const SCHEMA = `
-- How often the emulator was started on this database.
CREATE TABLE starts (count INTEGER NOT NULL) STRICT;
INSERT INTO starts VALUES (0);

CREATE TABLE workspace (id TEXT PRIMARY KEY, name TEXT NOT NULL) STRICT;

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  allowed_addresses TEXT
) STRICT;

CREATE TABLE qr_codes (${CODE_COLUMNS}, PRIMARY KEY (id)) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX qr_codes_by_slug ON qr_codes (slug);
CREATE UNIQUE INDEX qr_codes_by_update ON qr_codes (updated_at);

-- Previous versions of codes, for walks that began before the change.
CREATE TABLE qr_history (${CODE_COLUMNS}, superseded_at INTEGER NOT NULL, PRIMARY KEY (updated_at)) STRICT, WITHOUT ROWID;
CREATE INDEX qr_history_by_code ON qr_history (id);
CREATE INDEX qr_history_by_end ON qr_history (superseded_at);

CREATE TABLE scans (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  qr_id TEXT NOT NULL,
  scanned_at INTEGER NOT NULL,
  dimensions TEXT NOT NULL
) STRICT;
CREATE INDEX scans_by_time ON scans (scanned_at);

CREATE TABLE feedback (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  qr_id TEXT NOT NULL,
  score INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  resolved_at INTEGER
) STRICT;

CREATE TABLE subscriptions (
  id TEXT PRIMARY KEY,
  url TEXT NOT NULL,
  event_types TEXT NOT NULL,
  secret TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  removed_at INTEGER
) STRICT;

CREATE TABLE events (
  id TEXT PRIMARY KEY,
  type TEXT NOT NULL,
  occurred_at INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE deliveries (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  event_id TEXT NOT NULL REFERENCES events (id),
  subscription_id TEXT NOT NULL REFERENCES subscriptions (id),
  status TEXT NOT NULL,
  tries INTEGER NOT NULL,
  next_attempt_at INTEGER NOT NULL
) STRICT;
CREATE INDEX deliveries_due ON deliveries (subscription_id, status, next_attempt_at);
CREATE INDEX deliveries_by_event ON deliveries (event_id);
CREATE INDEX deliveries_by_status ON deliveries (status, next_attempt_at);

CREATE TABLE attempts (
  delivery_id TEXT NOT NULL REFERENCES deliveries (id),
  number INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  status INTEGER,
  error TEXT,
  headers TEXT NOT NULL,
  fault TEXT,
  sent_body TEXT,
  PRIMARY KEY (delivery_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency (
  api_key_id TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  status INTEGER NOT NULL,
  body TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (api_key_id, idempotency_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_age ON idempotency (created_at);
`;
