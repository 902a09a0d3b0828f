/** Everything that the audit log records, by family. */
export const AUDIT_ACTIONS = [
  'account.changed',
  'account.created',
  'account.oidc_connected',
  'account.password_changed',
  'account.two_factor_disabled',
  'account.two_factor_enabled',
  'cache.cleared',
  'file.changed',
  'file.copied',
  'file.deleted',
  'file.moved',
  'file.replaced',
  'file.restored',
  'file.trashed',
  'file.uploaded',
  'folder.created',
  'job.cancelled',
  'job.deleted',
  'job.retried',
  'key.created',
  'key.deleted',
  'key.updated',
  'member.changed',
  'member.invited',
  'member.joined',
  'member.removed',
  'permission.denied',
  'redirect.created',
  'redirect.deleted',
  'session.ended',
  'session.failed',
  'session.started',
  'space.created',
  'space.deleted',
  'space.secret_rotated',
  'space.updated',
  'webhook.created',
  'webhook.deleted',
  'webhook.redelivered',
  'webhook.secret_rotated',
  'webhook.tested',
  'webhook.updated',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The origin of a request, as far as it was verified. */
export interface Actor {
  /** `signature`: a presigned upload. `nobody`: an anonymous client. `system`: the service itself. */
  type: 'user' | 'key' | 'signature' | 'nobody' | 'system';
  id: string | null;
  name: string | null;
}

export const NOBODY: Actor = { type: 'nobody', id: null, name: null };

/** Further facts about an action. They never contain a secret. */
export type AuditDetail = Readonly<Record<string, string | number | boolean | null | undefined | readonly string[]>>;

/** What was done, and to which object. */
export interface AuditEvent {
  action: AuditAction;
  /** A path, an id or an address. */
  target?: string | null | undefined;
  detail?: AuditDetail | undefined;
  /** Space of the object, where it is another one than that of the request. */
  space?: string;
  /** Who did it, where it was not the caller. */
  actor?: Actor;
}

export interface AuditEntry extends AuditEvent {
  at: Date;
  /** Empty for the installation. */
  space: string;
  actor: Actor;
  /** Address of the client. */
  address: string | null;
  requestId: string | null;
}

/** An entry of the log. Higher ids were written later. */
export interface StoredEntry extends Required<Omit<AuditEntry, 'target' | 'detail'>> {
  id: number;
  target: string | null;
  detail: Record<string, unknown>;
}

/**
 * The actions of a filter: `key.created` alone, or `key` for all of its family.
 * @returns undefined for text that is neither
 */
export function actionsOf(filter: string): AuditAction[] | undefined {
  const actions = AUDIT_ACTIONS.filter((action) => action === filter || action.startsWith(`${filter}.`));
  return actions.length > 0 ? actions : undefined;
}
