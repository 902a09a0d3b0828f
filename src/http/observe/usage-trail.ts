import type { IncomingMessage, ServerResponse } from 'node:http';
import { INSTALLATION } from '../../installation.ts';
import type { UsageMeter } from '../../usage/usage-meter.ts';
import { actorOf, spaceOfMessage } from '../admission/actor.ts';
import { sentFileOf } from './sent-bytes.ts';

/** Families of endpoints whose requests are not counted: probes, the dashboard, and paths without an endpoint. */
const UNCOUNTED: readonly string[] = ['livez', 'readyz', 'health', 'metrics', 'dashboard', 'other'];

export type UsageTrail = ReturnType<typeof createUsageTrail>;

/** Counts what requests on the normal path use. The fast path counts by itself. */
export function createUsageTrail(usage: Pick<UsageMeter, 'counter' | 'counterOf'>) {
  const keyOf = (request: IncomingMessage) => {
    const caller = actorOf(request);
    return caller?.type === 'key' && caller.id !== null ? caller.id : '';
  };

  return {
    /** Counts stored bytes of an upload. */
    uploaded(request: IncomingMessage, bytes: number): void {
      usage.counter(spaceOfMessage(request), keyOf(request)).uploadedBytes += bytes;
    },

    /** Counts a response: a file for the space of the file, whichever URL it has. */
    answered(request: IncomingMessage, response: ServerResponse, family: string): void {
      const file = sentFileOf(response);
      if (file === undefined && UNCOUNTED.includes(family)) return;
      const key = keyOf(request);
      const space = spaceOfMessage(request);
      // In a space, paths are relative to it.
      const isOwn = space !== INSTALLATION || file?.path === undefined;
      const counter = isOwn ? usage.counter(space, key) : usage.counterOf(file.path, key);
      counter.requests++;
      counter.deliveredBytes += file?.bytes ?? 0;
    },
  };
}
