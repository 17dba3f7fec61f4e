-- The first schema. {id}, {time}, {json} … are the engines' own types (see dialect.py).
-- Times are microseconds since 1970, UTC. A statement ends with a semicolon at the end of a line.

CREATE TABLE tenants (
  id {id32},
  slug TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  created_at {time} NOT NULL
);

CREATE TABLE users (
  id {id32},
  tenant_id INTEGER REFERENCES tenants (id) ON DELETE CASCADE,
  email TEXT NOT NULL UNIQUE,
  password_hash TEXT,
  role TEXT NOT NULL DEFAULT 'reader' CHECK (role IN ('reader', 'operator')),
  privacy_accepted_at {time},
  settings {json} NOT NULL DEFAULT '{}',
  next_item_no INTEGER NOT NULL DEFAULT 1,
  digest_at {time},
  created_at {time} NOT NULL,
  disabled_at {time}
);

CREATE TABLE sessions (
  token_hash TEXT PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  csrf_secret TEXT NOT NULL,
  created_at {time} NOT NULL,
  seen_at {time} NOT NULL,
  expires_at {time} NOT NULL,
  rotated_from TEXT,
  user_agent TEXT NOT NULL DEFAULT '',
  address TEXT NOT NULL DEFAULT ''
);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expires ON sessions (expires_at);

CREATE TABLE app_passwords (
  id {id32},
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  label TEXT NOT NULL,
  secret_hash TEXT NOT NULL UNIQUE,
  fever_key_hash TEXT UNIQUE,
  scope TEXT NOT NULL DEFAULT 'full' CHECK (scope IN ('full', 'read')),
  created_at {time} NOT NULL,
  last_used_at {time},
  revoked_at {time}
);
CREATE INDEX app_passwords_user ON app_passwords (user_id);

CREATE TABLE client_tokens (
  token_hash TEXT PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  app_password_id INTEGER NOT NULL REFERENCES app_passwords (id) ON DELETE CASCADE,
  created_at {time} NOT NULL
);
CREATE INDEX client_tokens_app ON client_tokens (app_password_id);
CREATE INDEX client_tokens_user ON client_tokens (user_id);

CREATE TABLE oidc_identities (
  provider TEXT NOT NULL,
  subject TEXT NOT NULL,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at {time} NOT NULL,
  PRIMARY KEY (provider, subject)
);
CREATE INDEX oidc_identities_user ON oidc_identities (user_id);

CREATE TABLE view_tokens (
  id {id32},
  token_hash TEXT NOT NULL UNIQUE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  label TEXT NOT NULL DEFAULT '',
  view {json} NOT NULL,
  created_at {time} NOT NULL,
  revoked_at {time}
);
CREATE INDEX view_tokens_user ON view_tokens (user_id);

CREATE TABLE throttle (
  bucket TEXT PRIMARY KEY,
  failures INTEGER NOT NULL,
  blocked_until {time} NOT NULL,
  forget_at {time} NOT NULL
);

CREATE TABLE favicons (
  id {id32},
  source_url TEXT NOT NULL UNIQUE,
  mime TEXT NOT NULL,
  bytes {blob} NOT NULL,
  fetched_at {time} NOT NULL
);

CREATE TABLE sites (
  id {id32},
  tenant_id INTEGER REFERENCES tenants (id) ON DELETE CASCADE,
  input_url TEXT NOT NULL,
  url_key TEXT NOT NULL,
  canonical_url TEXT NOT NULL,
  domain TEXT NOT NULL,
  title TEXT NOT NULL DEFAULT '',
  favicon_id INTEGER REFERENCES favicons (id) ON DELETE SET NULL,
  last_discovered_at {time} NOT NULL
);
CREATE UNIQUE INDEX sites_key ON sites (coalesce(tenant_id, 0), url_key);

CREATE TABLE feeds (
  -- What it is and where: store/ingest/feeds.py; store/reader/change_url.py moves it.
  id {id32},
  tenant_id INTEGER REFERENCES tenants (id) ON DELETE CASCADE,
  url TEXT NOT NULL,
  url_key TEXT NOT NULL,
  host_key TEXT NOT NULL,
  -- What its publisher says of it: store/ingest/refreshes.py, from each document.
  title TEXT NOT NULL DEFAULT '',
  description TEXT NOT NULL DEFAULT '',
  site_url TEXT,
  -- The site it was found on: store/ingest/sites.py, and so is its icon.
  site_id INTEGER REFERENCES sites (id) ON DELETE SET NULL,
  favicon_id INTEGER REFERENCES favicons (id) ON DELETE SET NULL,
  favicon_checked_at {time},
  -- From each document again, and its hub for store/ingest/hubs.py.
  language TEXT,
  format TEXT,
  hub_url TEXT,
  -- What discovery decided: store/ingest/sites.py.
  is_canonical BOOLEAN NOT NULL DEFAULT false,
  canonical_score INTEGER,
  -- What its reader says: store/reader/subscriptions.py.
  is_mailing_list BOOLEAN NOT NULL DEFAULT false,
  -- How fetching goes: flow/refresh/health.py decides, store/ingest/refreshes.py writes.
  state TEXT NOT NULL DEFAULT 'unchecked',
  etag TEXT,
  last_modified TEXT,
  body_hash TEXT,
  last_fetch_status TEXT,
  last_fetch_error TEXT,
  last_http_status INTEGER,
  last_attempt_at {time},
  last_success_at {time},
  consecutive_failures INTEGER NOT NULL DEFAULT 0,
  failing_since {time},
  retry_count INTEGER NOT NULL DEFAULT 0,
  revive_at {time},
  -- How often it publishes, for people who look: store/ingest/refreshes.py.
  latest_item_published_at {time},
  avg_update_interval_s INTEGER,
  -- The directory: store/search/directory.py, topics flow/discovery/directory.py.
  topic TEXT,
  topic_confidence DOUBLE PRECISION,
  topic_status TEXT,
  in_directory BOOLEAN NOT NULL DEFAULT false,
  country TEXT,
  tags {json} NOT NULL DEFAULT '[]',
  -- When the row was made and changed.
  created_at {time} NOT NULL,
  updated_at {time} NOT NULL,
  deleted_at {time}
);
CREATE UNIQUE INDEX feeds_key ON feeds (coalesce(tenant_id, 0), url_key);
CREATE INDEX feeds_state ON feeds (state);
CREATE INDEX feeds_site ON feeds (site_id);
CREATE INDEX feeds_directory ON feeds (topic) WHERE in_directory;

CREATE TABLE feed_schedules (
  feed_id INTEGER PRIMARY KEY REFERENCES feeds (id) ON DELETE CASCADE,
  host_key TEXT NOT NULL,
  next_run_at {time},
  due_at {time},
  locked_until {time},
  lease_token TEXT,
  locked_by TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  last_error TEXT,
  reason {json} NOT NULL DEFAULT '{}'
);
CREATE INDEX feed_schedules_due ON feed_schedules (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX feed_schedules_next ON feed_schedules (next_run_at) WHERE next_run_at IS NOT NULL;
CREATE INDEX feed_schedules_lease ON feed_schedules (lease_token) WHERE lease_token IS NOT NULL;

CREATE TABLE hosts (
  host_key TEXT PRIMARY KEY,
  next_free_at {time} NOT NULL DEFAULT 0,
  booked_until {time} NOT NULL DEFAULT 0,
  cooldown_until {time} NOT NULL DEFAULT 0,
  in_flight {json} NOT NULL DEFAULT '[]'
);

CREATE TABLE fetch_log (
  feed_id INTEGER NOT NULL REFERENCES feeds (id) ON DELETE CASCADE,
  at {time} NOT NULL,
  outcome TEXT NOT NULL,
  http_status INTEGER,
  bytes INTEGER NOT NULL DEFAULT 0,
  ms INTEGER NOT NULL DEFAULT 0,
  new_articles INTEGER NOT NULL DEFAULT 0,
  message TEXT,
  PRIMARY KEY (feed_id, at)
) {clustered};
CREATE INDEX fetch_log_at ON fetch_log (at);

CREATE TABLE audit_log (
  id {id},
  at {time} NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  before_value TEXT,
  after_value TEXT,
  why TEXT NOT NULL DEFAULT ''
);
CREATE INDEX audit_log_subject ON audit_log (subject, at);

CREATE TABLE feed_candidates (
  id {id},
  site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  candidate_url TEXT NOT NULL,
  discovered_from TEXT NOT NULL,
  score INTEGER NOT NULL,
  score_reasons {json} NOT NULL,
  validation_status TEXT NOT NULL,
  last_error TEXT,
  title TEXT NOT NULL DEFAULT '',
  format TEXT,
  seen_at {time} NOT NULL,
  UNIQUE (site_id, candidate_url)
);

CREATE TABLE recent_items (
  feed_id INTEGER NOT NULL REFERENCES feeds (id) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  title TEXT NOT NULL,
  url TEXT,
  published_at {time},
  PRIMARY KEY (feed_id, place)
) {clustered};

CREATE TABLE articles (
  id {id},
  feed_id INTEGER NOT NULL REFERENCES feeds (id) ON DELETE CASCADE,
  guid TEXT NOT NULL,
  guid_hash TEXT NOT NULL,
  url TEXT NOT NULL,
  url_hash TEXT NOT NULL,
  title TEXT NOT NULL,
  author TEXT,
  content TEXT NOT NULL,
  summary TEXT NOT NULL,
  enclosures {json} NOT NULL,
  enclosure_url TEXT,
  enclosure_mime TEXT,
  enclosure_length BIGINT,
  thumbnail_url TEXT,
  comments_url TEXT,
  categories {json} NOT NULL,
  language TEXT,
  rtl BOOLEAN NOT NULL,
  published_at {time} NOT NULL,
  updated_at {time},
  fetched_at {time} NOT NULL,
  content_hash TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  cluster_key TEXT NOT NULL,
  in_document BOOLEAN NOT NULL DEFAULT true,
  full_content TEXT
);
CREATE UNIQUE INDEX articles_guid ON articles (feed_id, guid_hash);
CREATE INDEX articles_published ON articles (feed_id, published_at);
CREATE INDEX articles_url ON articles (url_hash);
CREATE INDEX articles_cluster ON articles (cluster_key);

CREATE TABLE article_tombstones (
  feed_id INTEGER NOT NULL REFERENCES feeds (id) ON DELETE CASCADE,
  guid_hash TEXT NOT NULL,
  deleted_at {time} NOT NULL,
  PRIMARY KEY (feed_id, guid_hash)
) {clustered};

CREATE TABLE folders (
  id {id32},
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  parent_id INTEGER REFERENCES folders (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  is_root BOOLEAN NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX folders_name ON folders (user_id, coalesce(parent_id, 0), name);
CREATE INDEX folders_parent ON folders (parent_id);

CREATE TABLE subscriptions (
  id {id32},
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  feed_id INTEGER REFERENCES feeds (id) ON DELETE CASCADE,
  folder_id INTEGER NOT NULL REFERENCES folders (id),
  title TEXT,
  retention TEXT NOT NULL DEFAULT 'archive' CHECK (retention IN ('archive', 'day')),
  interval_s INTEGER,
  user_agent TEXT,
  cookie TEXT,
  full_text BOOLEAN NOT NULL DEFAULT false,
  pinned BOOLEAN NOT NULL DEFAULT false,
  ordering INTEGER NOT NULL DEFAULT 0,
  seeded BOOLEAN NOT NULL DEFAULT false,
  kept_for_stars BOOLEAN NOT NULL DEFAULT false,
  added_at {time} NOT NULL
);
CREATE UNIQUE INDEX subscriptions_feed ON subscriptions (user_id, feed_id);
CREATE INDEX subscriptions_of_feed ON subscriptions (feed_id);
CREATE INDEX subscriptions_folder ON subscriptions (folder_id);

CREATE TABLE tags (
  id {id32},
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  UNIQUE (user_id, name)
);

CREATE TABLE feed_tags (
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  subscription_id INTEGER NOT NULL REFERENCES subscriptions (id) ON DELETE CASCADE,
  tag_id INTEGER NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
  PRIMARY KEY (subscription_id, tag_id)
) {clustered};
CREATE INDEX feed_tags_tag ON feed_tags (tag_id);

CREATE TABLE article_tags (
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  article_id BIGINT NOT NULL REFERENCES articles (id) ON DELETE CASCADE,
  tag_id INTEGER NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
  PRIMARY KEY (article_id, user_id, tag_id)
) {clustered};
CREATE INDEX article_tags_tag ON article_tags (tag_id);

CREATE TABLE rules (
  id {id32},
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  subscription_id INTEGER REFERENCES subscriptions (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  field TEXT NOT NULL CHECK (field IN ('title', 'author', 'content', 'url', 'any')),
  pattern TEXT NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('read', 'star', 'hide', 'tag')),
  tag TEXT,
  enabled BOOLEAN NOT NULL DEFAULT true,
  position INTEGER NOT NULL DEFAULT 0,
  last_error TEXT,
  created_at {time} NOT NULL
);
CREATE INDEX rules_user ON rules (user_id);
CREATE INDEX rules_subscription ON rules (subscription_id);

CREATE TABLE bookmarks (
  id {id32},
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  url TEXT NOT NULL,
  url_key TEXT NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  content TEXT NOT NULL DEFAULT '',
  summary TEXT NOT NULL DEFAULT '',
  tags {json} NOT NULL DEFAULT '[]',
  state TEXT NOT NULL CHECK (state IN ('inbox', 'archive')),
  pinned BOOLEAN NOT NULL DEFAULT false,
  source_article_id BIGINT REFERENCES articles (id) ON DELETE SET NULL,
  enrich_status TEXT NOT NULL CHECK (enrich_status IN ('pending', 'running', 'done', 'failed')),
  enrich_error TEXT,
  added_at {time} NOT NULL,
  archived_at {time},
  updated_at {time} NOT NULL,
  UNIQUE (user_id, url_key)
);
CREATE INDEX bookmarks_state ON bookmarks (user_id, state, added_at);
CREATE INDEX bookmarks_source ON bookmarks (source_article_id);

CREATE TABLE article_states (
  article_id BIGINT NOT NULL REFERENCES articles (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  subscription_id INTEGER NOT NULL REFERENCES subscriptions (id) ON DELETE CASCADE,
  item_no INTEGER NOT NULL,
  arrived_at {time} NOT NULL,
  published_at {time} NOT NULL,
  unread BOOLEAN NOT NULL,
  starred BOOLEAN NOT NULL DEFAULT false,
  starred_at {time},
  read_at {time},
  hidden_at {time},
  saved_bookmark_id INTEGER REFERENCES bookmarks (id) ON DELETE SET NULL,
  last_modified {time} NOT NULL,
  PRIMARY KEY (article_id, user_id)
) {clustered};
CREATE UNIQUE INDEX article_states_item ON article_states (user_id, item_no);
CREATE INDEX article_states_subscription ON article_states (subscription_id, published_at);
CREATE INDEX article_states_published ON article_states (user_id, published_at);
CREATE INDEX article_states_modified ON article_states (user_id, last_modified);
CREATE INDEX article_states_unread ON article_states (user_id, subscription_id, published_at) WHERE unread AND hidden_at IS NULL;
CREATE INDEX article_states_starred ON article_states (user_id, item_no) WHERE starred;
CREATE INDEX article_states_saved ON article_states (saved_bookmark_id) WHERE saved_bookmark_id IS NOT NULL;

CREATE TABLE summaries (
  id {id32},
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  content TEXT NOT NULL,
  article_count INTEGER NOT NULL,
  article_ids {json} NOT NULL,
  paragraphs {json} NOT NULL,
  model TEXT NOT NULL,
  created_at {time} NOT NULL
);
CREATE INDEX summaries_user ON summaries (user_id, created_at);

CREATE TABLE events (
  id {id},
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  event_type TEXT NOT NULL,
  metadata {json} NOT NULL DEFAULT '{}',
  created_at {time} NOT NULL
);
CREATE INDEX events_user ON events (user_id, created_at);

CREATE TABLE proxies (
  feed_id INTEGER PRIMARY KEY REFERENCES feeds (id) ON DELETE CASCADE,
  root_domain TEXT,
  enforce_feed_domain BOOLEAN NOT NULL DEFAULT true,
  polling BOOLEAN NOT NULL DEFAULT false,
  enabled BOOLEAN NOT NULL DEFAULT false,
  error_policy TEXT NOT NULL DEFAULT 'one_strike' CHECK (error_policy IN ('one_strike', 'backoff')),
  interval_s INTEGER,
  max_items INTEGER NOT NULL DEFAULT 50,
  prompt_key TEXT,
  last_error TEXT,
  created_at {time} NOT NULL,
  deleted_at {time}
);
CREATE INDEX proxies_root ON proxies (root_domain);
CREATE INDEX proxies_enabled ON proxies (enabled);

CREATE TABLE analyses (
  article_id BIGINT PRIMARY KEY REFERENCES articles (id) ON DELETE CASCADE,
  analyzer_result {json} NOT NULL,
  score DOUBLE PRECISION NOT NULL,
  model TEXT NOT NULL,
  prompt_version TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  created_at {time} NOT NULL
);

CREATE TABLE analysis_attempts (
  article_id BIGINT PRIMARY KEY REFERENCES articles (id) ON DELETE CASCADE,
  attempts INTEGER NOT NULL,
  last_error TEXT NOT NULL,
  next_try_at {time}
);

CREATE TABLE cached_feeds (
  feed_id INTEGER PRIMARY KEY REFERENCES feeds (id) ON DELETE CASCADE,
  xml_header TEXT NOT NULL,
  xml_content TEXT NOT NULL,
  xml_gzip {blob} NOT NULL,
  etag TEXT NOT NULL,
  item_refs {json} NOT NULL,
  created_at {time} NOT NULL,
  updated_at {time} NOT NULL
);

CREATE TABLE ai_calls (
  id {id},
  at {time} NOT NULL,
  purpose TEXT NOT NULL,
  user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  model TEXT NOT NULL,
  tokens_in INTEGER NOT NULL DEFAULT 0,
  tokens_out INTEGER NOT NULL DEFAULT 0,
  cost DOUBLE PRECISION NOT NULL DEFAULT 0,
  outcome TEXT NOT NULL
);
CREATE INDEX ai_calls_at ON ai_calls (at);

CREATE TABLE websub (
  feed_id INTEGER PRIMARY KEY REFERENCES feeds (id) ON DELETE CASCADE,
  hub TEXT NOT NULL,
  topic TEXT NOT NULL,
  callback_token TEXT NOT NULL UNIQUE,
  secret TEXT NOT NULL,
  lease_until {time},
  state TEXT NOT NULL,
  last_error TEXT
);

CREATE TABLE tasks (
  id {id},
  kind TEXT NOT NULL,
  payload {json} NOT NULL,
  unique_key TEXT,
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  run_at {time} NOT NULL,
  locked_until {time},
  lease_token TEXT,
  locked_by TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  last_error TEXT,
  progress {json},
  result {json},
  created_at {time} NOT NULL,
  done_at {time}
);
CREATE INDEX tasks_due ON tasks (run_at) WHERE done_at IS NULL;
CREATE UNIQUE INDEX tasks_unique ON tasks (unique_key) WHERE done_at IS NULL;
CREATE INDEX tasks_user ON tasks (user_id, kind);
CREATE INDEX tasks_lease ON tasks (lease_token) WHERE lease_token IS NOT NULL;

CREATE TABLE workers (
  name TEXT PRIMARY KEY,
  started_at {time} NOT NULL,
  seen_at {time} NOT NULL,
  stats {json} NOT NULL DEFAULT '{}'
);

CREATE TABLE installation (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
);
