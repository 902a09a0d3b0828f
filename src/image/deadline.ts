import type { ImageFailure } from './failure.ts';

/** Work that may hang or take all memory, which only the end of the process can stop. */
export interface Deadline {
  afterMs: number;
  /** Result of the task after the deadline. */
  result: ImageFailure;
}

let tell: (deadline: Deadline | null) => Promise<void> = async () => undefined;

/** Sets who ends this process when a deadline passes. It is told of each before its work begins, and when it is over. */
export function onDeadline(told: typeof tell): void {
  tell = told;
}

/** Does work that whoever started this process ends, with the process, when it takes too long. */
export async function withDeadline<T>(deadline: Deadline, work: () => Promise<T>): Promise<T> {
  await tell(deadline);
  try {
    return await work();
  } finally {
    await tell(null);
  }
}
