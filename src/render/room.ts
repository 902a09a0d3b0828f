import { LimitExceeded } from '../image/failure.ts';
import { NeedsRoom, type Room } from '../image/memory.ts';

const MEGABYTE = 1024 * 1024;

/** Memory of a worker without an image. */
const IDLE_MEGABYTES = 100;

/** Limits of a task. */
export interface Allowance {
  megabytes: number;
  /** CPU time. */
  cpuMs: number;
}

/**
 * The room of a task in a worker that may hold `memoryBytes`. A task that would hold more by its estimate is refused
 * before it begins: it would be ended in the middle, now and whenever it is tried again.
 * @param allowance undefined for a task that is heavy already
 */
export function createRoom(memoryBytes: number, allowance?: Allowance): Room {
  const limit = Math.round(memoryBytes / MEGABYTE);
  return (megabytes, cpuMs = 0) => {
    const needed = Math.ceil(megabytes) + IDLE_MEGABYTES;
    if (needed > limit) {
      throw new LimitExceeded(
        `The picture needs a render worker of about ${needed} MB; a worker may hold ${limit} MB (RENDER_MEMORY_MB).`,
      );
    }
    if (allowance && (megabytes > allowance.megabytes || cpuMs > allowance.cpuMs)) throw new NeedsRoom(megabytes);
  };
}
