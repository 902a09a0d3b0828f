import { AsyncLocalStorage } from 'node:async_hooks';
import { INSTALLATION } from '../installation.ts';
import type { Actor, AuditEvent } from './audit-entry.ts';
import type { AuditLog } from './audit-log.ts';

const SYSTEM: Actor = { type: 'system', id: null, name: null };

/** Records events in the name of the request that is being handled. */
const recorders = new AsyncLocalStorage<(event: AuditEvent) => void>();

/** Handles a request. @param record gets its side effects */
export function withSideEffects<T>(record: (event: AuditEvent) => void, handle: () => T): T {
  return recorders.run(record, handle);
}

/**
 * Records what a change entails deep below the handler of a request, which knows nothing of it: in the name of its
 * caller. Without a request it is the service itself.
 */
export function recordSideEffect(audit: Pick<AuditLog, 'record'>, event: AuditEvent): void {
  const record = recorders.getStore();
  if (record) {
    record(event);
    return;
  }
  const { space = INSTALLATION, actor = SYSTEM } = event;
  audit.record([{ ...event, space, actor, at: new Date(), address: null, requestId: null }]);
}
