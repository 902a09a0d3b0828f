import { LimitExceeded } from '../image/failure.ts';
import { NeedsRoom, type Room } from '../image/memory.ts';

const MEGABYTE = 1024 * 1024;

/** What a worker holds beside the picture. */
const IDLE_MEGABYTES = 100;

/**
 * The room of a task in a worker that may hold `memoryBytes`. A task that would hold more by its estimate is refused before it
 * begins: it would be ended in the middle, now and whenever it is tried again.
 * @param roomMegabytes what the task may count as at present
 */
export function createRoom(memoryBytes: number, roomMegabytes: number): Room {
  const limit = Math.round(memoryBytes / MEGABYTE);
  return (counted, held = counted) => {
    const needed = Math.ceil(held) + IDLE_MEGABYTES;
    if (needed > limit) {
      throw new LimitExceeded(
        `The picture needs a render worker of about ${needed} MB; a worker may hold ${limit} MB (RENDER_MEMORY_MB).`,
      );
    }
    if (counted > roomMegabytes) throw new NeedsRoom(counted);
  };
}
