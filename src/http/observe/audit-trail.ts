import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { type AuditAction, type AuditEntry, type AuditEvent, NOBODY } from '../../audit/audit-entry.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { createDenials } from '../../audit/denials.ts';
import { withSideEffects } from '../../audit/side-effects.ts';
import type { Within } from '../../db/locks.ts';
import type { ErrorCode } from '../../errors.ts';
import { INSTALLATION } from '../../installation.ts';
import { spacePath } from '../../spaces/rules.ts';
import { actorOf, outsiderOf, sessionSpaceOf, spaceOfMessage } from '../admission/actor.ts';
import { createAddressReader, networkOf } from '../admission/client-address.ts';
import { maskedPath } from './masked-url.ts';
import { REQUEST_ID_HEADER } from './request-id.ts';

/** Errors that mean that valid or invented credentials were not enough. Requests without any are not recorded. */
const DENIALS: readonly ErrorCode[] = [
  'missing_permission',
  'invalid_api_key',
  'foreign_origin',
  'wrong_space',
  'role_too_high',
  'installation_only',
];

/** An action on more objects has entries for the first ones; the last entry counts the others. */
const MAX_ENTRIES = 1000;

export type AuditTrail = ReturnType<typeof createAuditTrail>;

/** Creates the only place that turns requests into entries of the audit log. */
export function createAuditTrail(audit: Pick<AuditLog, 'record' | 'write' | 'log'>, trustedProxies: readonly string[]) {
  const addressOf = createAddressReader(trustedProxies);
  const denials = createDenials();
  /** What handlers have noted. */
  const noted = new WeakMap<IncomingMessage, readonly AuditEvent[]>();
  /** Entries that were written in transactions, until these are known to have succeeded. */
  const written = new WeakMap<IncomingMessage, readonly AuditEntry[]>();

  function entryOf(request: IncomingMessage, event: AuditEvent): AuditEntry {
    const {
      action,
      target,
      detail,
      space = spaceOfAction(request, action),
      actor = actorOf(request) ?? NOBODY,
    } = event;
    return {
      at: new Date(),
      space,
      actor,
      action,
      target,
      detail,
      address: addressOf(request) || null,
      requestId: request.headers[REQUEST_ID_HEADER]?.toString() ?? null,
    };
  }

  /** Limits the entries about refusals by client. */
  function recordRefusal(request: IncomingMessage, event: AuditEvent): void {
    const entry = entryOf(request, event);
    const { type, id } = entry.actor;
    const omitted = denials.admit(id === null ? networkOf(entry.address ?? '') : `${type} ${id}`, id === null);
    if (omitted === undefined) return;
    audit.record([omitted > 0 ? { ...entry, detail: { ...entry.detail, omitted } } : entry]);
  }

  return {
    /**
     * Prepares entries for the transaction of a change. The function may run more than once, as the transaction may.
     * @param eventOf gets the result of the change
     */
    within<Result = void>(
      { raw }: FastifyRequest,
      eventOf: (result: Result) => AuditEvent | readonly AuditEvent[],
    ): Within<Result> {
      return async (transaction, result) => {
        const entries = [eventOf(result)].flat().map((event) => entryOf(raw, event));
        for (const entry of entries) await audit.write(transaction, entry);
        written.set(raw, entries);
      };
    },

    /** Handles a request, whose side effects are recorded beside its own entries. */
    during: <T>({ raw }: FastifyRequest, handle: () => T): T =>
      withSideEffects((event) => audit.record([entryOf(raw, event)]), handle),

    /** Notes what a request has done, where its answer does not say so. */
    note({ raw }: FastifyRequest, event: AuditEvent): void {
      noted.set(raw, [...(noted.get(raw) ?? []), event]);
    },

    /** Records what a request has done. Entries that were written with the change stand for the declared ones. */
    done({ raw }: FastifyRequest, declared: readonly AuditEvent[]): void {
      const inTransaction = written.get(raw) ?? [];
      for (const entry of inTransaction) audit.log(entry);
      const events = noted.get(raw) ?? (inTransaction.length > 0 ? [] : declared);
      const entries = events.slice(0, MAX_ENTRIES).map((event) => entryOf(raw, event));
      const omitted = events.length - entries.length;
      const last = entries.at(-1);
      if (last && omitted > 0) last.detail = { ...last.detail, omitted };
      audit.record(entries);
    },

    /** Records a failed attempt, such as a sign-in with a wrong password. */
    failed: ({ raw }: FastifyRequest, event: AuditEvent) => recordRefusal(raw, event),

    /** Records a response that refused credentials. */
    answered(request: IncomingMessage, code: ErrorCode | undefined): void {
      if (code === undefined || !DENIALS.includes(code)) return;
      const { method = '', url = '' } = request;
      const outsider = outsiderOf(request);
      // Valid credentials of another space: the entry is for those to whom they belong, and tells what was tried.
      const tried = outsider ? spaceOfMessage(request) : INSTALLATION;
      const target = (tried === INSTALLATION ? '' : spacePath({ id: tried })) + maskedPath(url);
      recordRefusal(request, { action: 'permission.denied', target, detail: { method, code }, ...outsider });
    },
  };
}

/**
 * The space of an action: for sessions and accounts, that at whose host the session began. At a prefix such as
 * `/b/acme` they are those of the installation, whose people need have nothing to do with the space.
 */
function spaceOfAction(request: IncomingMessage, action: AuditAction): string {
  const isPersonal = action.startsWith('session.') || action.startsWith('account.');
  return isPersonal ? sessionSpaceOf(request) : spaceOfMessage(request);
}

/** The names of the fields that a body changes, without their values. */
export function changedFields(body: object): string[] {
  return Object.entries(body).flatMap(([name, value]) => (value === undefined ? [] : [name]));
}
