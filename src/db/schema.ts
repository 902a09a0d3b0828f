import type { Compilable, Generated, Kysely } from 'kysely';
import type { CatalogSchema } from './catalog-schema.ts';
import type { DatabaseFile } from './sqlite/database-file.ts';

/**
 * The rows in both databases. Times are ISO 8601 texts in UTC, which sort chronologically; booleans are 0 and 1. The
 * first four tables are better-auth's, column for column, as is `twoFactor`. A `space` is the id of one; empty for the
 * installation.
 */
export interface Schema extends CatalogSchema {
  user: UserRow;
  session: SessionRow;
  account: AccountRow;
  verification: VerificationRow;
  api_key: ApiKeyRow;
  setting: SettingRow;
  job: JobRow;
  job_count: JobCountRow;
  job_event: JobEventRow;
  storage_total: StorageTotalRow;
  outbox: OutboxRow;
  download_ticket: DownloadTicketRow;
  sign_in_client: SignInClientRow;
  webhook: WebhookRow;
  space: SpaceRow;
  member: MemberRow;
  invitation: InvitationRow;
  twoFactor: TwoFactorRow;
  used_code: UsedCodeRow;
  audit: AuditRow;
  usage_day: UsageDayRow;
  activity_hour: ActivityHourRow;
}

/** An open database, SQLite or PostgreSQL. */
export interface OpenDatabase {
  readonly db: Kysely<Schema>;
  /**
   * For reads of more than a page: on SQLite a thread of its own, which sees what was committed before the request and
   * can only read.
   */
  readonly reader: Kysely<Schema>;
  readonly dialect: 'sqlite' | 'postgres';
  /** The path of the file, or an address without user and password. */
  readonly location: string;
  /** The durability of writes. A PostgreSQL server itself reports the loss of its files. */
  readonly file: Pick<DatabaseFile, 'state' | 'problem' | 'check' | 'assertDurable'>;
  /**
   * Prepares a query for many requests: its text is built once, which costs more than SQLite needs to answer it.
   * @returns a function that runs it with other values, in the order of their positions in the query
   */
  prepare<Row>(query: Compilable<Row>): (...values: unknown[]) => Promise<Row[]>;
  /**
   * Runs work that needs the database, immediately. When an unreachable PostgreSQL was opened, it returns, and runs the
   * work as soon as the server answers, after work that already waits; work that loses the server starts again.
   */
  whenAvailable(step: () => Promise<void>): Promise<void>;
  /** Ends all connections. A second call has no effect. */
  close(): Promise<void>;
}

export interface UserRow {
  id: string;
  name: string;
  email: string;
  emailVerified: number;
  image: string | null;
  createdAt: string;
  updatedAt: string;
  twoFactorEnabled: number;
}

export interface SessionRow {
  id: string;
  expiresAt: string;
  token: string;
  createdAt: string;
  updatedAt: string;
  ipAddress: string | null;
  userAgent: string | null;
  userId: string;
  /** The only space in which it is valid; empty for a session that is valid everywhere. */
  space: Generated<string>;
}

export interface AccountRow {
  id: string;
  accountId: string;
  providerId: string;
  userId: string;
  accessToken: string | null;
  refreshToken: string | null;
  idToken: string | null;
  accessTokenExpiresAt: string | null;
  refreshTokenExpiresAt: string | null;
  scope: string | null;
  password: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface SignInClientRow {
  userId: string;
  /** A keyed hash of an address or a network. */
  client: string;
  usedAt: string;
}

export interface VerificationRow {
  id: string;
  identifier: string;
  value: string;
  expiresAt: string;
  createdAt: string;
  updatedAt: string;
}

export interface ApiKeyRow {
  id: string;
  name: string;
  /** First characters of the key, which identify it in a list. */
  start: string;
  /** Prefix of imported keys. */
  prefix: string | null;
  /** SHA-256 of the key, base64url without padding. The key itself is not stored. */
  hash: string;
  enabled: number;
  /** JSON: a list. */
  permissions: string;
  /** Requests left; null without a quota. */
  remaining: number | null;
  /** Every interval sets `remaining` to the amount; both null for a quota that is not refilled. */
  refillAmount: number | null;
  refillIntervalMs: number | null;
  /** Unix milliseconds of the last refill. */
  refilledAt: number;
  /** Requests per window; both null without a rate limit. */
  rateLimitMax: number | null;
  rateLimitWindowMs: number | null;
  /** Unix milliseconds at which the current window began. */
  rateLimitStartedAt: number;
  /** Requests in the current window. */
  rateLimitCount: number;
  lastUsedAt: string | null;
  expiresAt: string | null;
  createdAt: string;
  updatedAt: string;
  space: string;
}

/** Facts that the service stores about itself, by name. */
export interface SettingRow {
  name: string;
  value: string;
}

/** The content of a single-use download, for the holder of its ticket. */
export interface DownloadTicketRow {
  /** SHA-256 of the ticket, base64url without padding. */
  hash: string;
  /** JSON. */
  content: string;
  expiresAt: string;
}

export interface JobRow {
  /** The order of creation: a lower number is older. */
  sequence: Generated<number>;
  id: string;
  path: string;
  variantKey: string;
  transformation: string;
  /** The original's etag. */
  version: string;
  priority: number;
  status: 'pending' | 'running' | 'completed' | 'error' | 'cancelled';
  progress: number;
  attempts: number;
  /** Number of times that its lease expired. */
  lostLeases: number;
  /** Earliest time of a claim. */
  dueAt: string;
  /** Owner and expiry of the lease. */
  lease: string | null;
  leaseUntil: string | null;
  createdAt: string;
  startedAt: string | null;
  completedAt: string | null;
  error: string | null;
  /** The client that requested it, by the service's internal name; empty for clients without a limit. */
  client: string;
  /** The number of its claim among all claims; 0 before the first. */
  turn: number;
  /** The transient failure of the server that delays a pending job. */
  trouble: string | null;
  /** Kind of work. */
  kind: Generated<string>;
  /** Data for kinds other than transcodes. */
  payload: string | null;
  /** The space that requested it, on whose services it runs. The path is that of the library all the same. */
  space: Generated<string>;
}

/** A number of jobs; triggers maintain it. Several rows of a status are summed. */
export interface JobCountRow {
  status: JobRow['status'];
  /** 1 for jobs of trusted clients. */
  isTrusted: number;
  /** On PostgreSQL a difference, which may be negative. */
  jobs: number;
}

/** A published event of a job. */
export interface JobEventRow {
  /** Increases in the order in which events were written. */
  id: number;
  /** Identifies the event, so that it is written once. */
  key: string;
  type: string;
  /** JSON. */
  data: string;
  /** The space of the job. */
  space: Generated<string>;
}

/** Stored bytes and files: row 2 of shared variants, row 3 of originals that were fetched from other hosts. */
export interface StorageTotalRow {
  id: number;
  /** Bytes. */
  size: number;
  fileCount: number;
  updatedAt: string;
}

/** A message to another service: a purge, until the CDN has received it, or an event for a webhook. */
export interface OutboxRow {
  /** The order of creation: a lower number is older. */
  sequence: Generated<number>;
  id: string;
  /** `cdn` or the id of a webhook. */
  target: string;
  /** Type of the event; empty for purges. */
  event: string;
  /** In the format of the target. */
  payload: string;
  status: 'pending' | 'delivered' | 'failed';
  /** Attempts that have begun since the message was added or requested again. */
  attempts: number;
  /** JSON: results of the last attempts; of a purge, of the last one. */
  log: string;
  /** Earliest time of a claim. */
  dueAt: string;
  lease: string | null;
  leaseUntil: string | null;
  createdAt: string;
  endedAt: string | null;
}

/** A subscriber to events. */
export interface WebhookRow {
  id: string;
  url: string;
  /** JSON: the types of the subscribed events. */
  events: string;
  /** Only events in this folder; empty for all. */
  folder: string;
  enabled: number;
  /** Reason why the service disabled it; null otherwise. */
  disabledReason: string | null;
  /** The signing secret: `whsec_` and base64. */
  secret: string;
  /** The previous secret, which also signs until then. */
  previousSecret: string | null;
  previousUntil: string | null;
  /** Start of the current series of failures. */
  failingSince: string | null;
  createdAt: string;
  space: Generated<string>;
}

/** A folder that is a root of its own, with keys, members, rules and a secret. */
export interface SpaceRow {
  id: string;
  name: string;
  /** Path in the library. */
  folder: string;
  enabled: number;
  /** JSON: a list of host names in lower case. */
  hosts: string;
  /** JSON: an object; absent rules are those of the installation. */
  rules: string;
  /** Signs URLs and uploads; 43 characters. */
  secret: string;
  /** The previous secret, which is still accepted until then. */
  previousSecret: string | null;
  previousUntil: string | null;
  createdAt: string;
}

/** A role of a person in the installation or in a space. */
export interface MemberRow {
  userId: string;
  space: string;
  role: string;
  /** `oidc` for a role that each sign-in through the identity provider sets; `given` by a person. */
  source: 'given' | 'oidc';
  createdAt: string;
}

/** An invitation that was not accepted yet. */
export interface InvitationRow {
  id: string;
  /** SHA-256 of the token, base64url without padding. */
  hash: string;
  space: string;
  role: string;
  /** The only address that may accept it; null for any. */
  email: string | null;
  /** Id of the user; null for an API key. */
  createdBy: string | null;
  createdAt: string;
  expiresAt: string;
}

export interface TwoFactorRow {
  id: string;
  /** Encrypted. */
  secret: string;
  backupCodes: string;
  userId: string;
  verified: number | null;
  failedVerificationCount: number | null;
  lockedUntil: string | null;
}

/** A one-time code that was used a short time ago. */
export interface UsedCodeRow {
  /** Hash of the user's id and the code. */
  hash: string;
  usedAt: string;
}

/** An entry of the audit log; never changed. */
export interface AuditRow {
  /** Order of the entries. */
  id: Generated<number>;
  at: string;
  space: string;
  actorType: 'user' | 'key' | 'signature' | 'nobody' | 'system';
  actorId: string | null;
  actorName: string | null;
  action: string;
  /** A path is relative to the space. */
  target: string | null;
  /** JSON: an object without secrets. */
  detail: string;
  address: string | null;
  requestId: string | null;
}

/** Usage of a day in UTC (`2026-11-27`), of an API key or, with an empty key, of all others. */
export interface UsageDayRow {
  space: string;
  day: string;
  key: string;
  requests: Generated<number>;
  deliveredBytes: Generated<number>;
  uploadedBytes: Generated<number>;
  renders: Generated<number>;
  renderMs: Generated<number>;
  transcodeMs: Generated<number>;
  /** Stored bytes at the end of the day; null in rows of keys. */
  storedBytes: number | null;
}

/** Activity of all nodes in an hour. */
export interface ActivityHourRow {
  /** Hours since 1970. */
  hour: number;
  /** Counter, `render` with the upper bound of a time in ms, or `error` with its code. */
  name: string;
  count: number;
}
