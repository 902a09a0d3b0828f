import type { ImageFailure } from './failure.ts';

/** Work that may hang or take all memory, which only the end of the process can stop. */
export interface Deadline {
  afterMs: number;
  /** Result of the task after the deadline. */
  result: ImageFailure;
}

let notify: (deadline: Deadline | null) => Promise<void> = async () => undefined;

/** Sets the listener that ends this process at a deadline. It is called before the work begins and after it. */
export function onDeadline(listener: typeof notify): void {
  notify = listener;
}

/** Does work that the parent process ends, with this process, when it takes too long. */
export async function withDeadline<T>(deadline: Deadline, work: () => Promise<T>): Promise<T> {
  await notify(deadline);
  try {
    return await work();
  } finally {
    await notify(null);
  }
}
