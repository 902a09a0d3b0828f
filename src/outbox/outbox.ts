/** Something that another service, the target, is still to be told. */
export interface Entry {
  /** Stays the same for all attempts, so that the target can recognise what it was told already. */
  id: string;
  target: string;
  /** In the words of the target. */
  payload: string;
  /** How many attempts have begun, this one included. */
  attempts: number;
  createdAt: Date;
}

/** Entries that are sent together. Only the holder of their lease can say what has become of them. */
export interface Batch {
  lease: string;
  /** At least one, the oldest first. */
  entries: readonly Entry[];
}

export interface AddOptions {
  /** How long they wait before they may be sent, in milliseconds. */
  delayMs: number;
  /** How many entries may wait for the target. */
  max: number;
}

export interface ClaimOptions {
  /** How many there may be in a batch. */
  max: number;
  /** How long the attempt may take; then another one begins, because the process has died or hangs. In milliseconds. */
  leaseMs: number;
  /** When an entry is due, those that will be so in this time go with it, in milliseconds. */
  aheadMs: number;
}

export interface FailOptions {
  /** The time until the next attempt, in milliseconds. */
  retryInMs: number;
  /** An entry of which this many attempts have begun is given up. */
  maxAttempts: number;
}

/** What is to be told to one target. */
export interface OutboxStats {
  /** Entries that wait for an attempt or for its end. */
  waiting: number;
  /** Entries that were given up and are still remembered. */
  failed: number;
  /** When the oldest of those that wait was added. */
  oldestAt: Date | undefined;
  /** Why an attempt failed last, of all that are not delivered. */
  lastError: string | undefined;
}

/**
 * What other services are still to be told. Each entry is delivered once or more often: a process that dies, or is told to stop,
 * leaves what it has not sent to others and to the next start. The order is promised to no target. Other processes use the same
 * outbox.
 */
export interface Outbox {
  /** Adds entries; false when there is no room for all of them, and then none is added. They are safe when this resolves. */
  add(target: string, payloads: readonly string[], options: AddOptions): Promise<boolean>;
  /** Removes whatever waits for the target and is not being sent, and adds one entry that stands for all of it. */
  replace(target: string, payload: string, delayMs: number): Promise<void>;
  /** The next entries of the target, if one is due. Nobody else gets them while the lease lasts. */
  claim(target: string, options: ClaimOptions): Promise<Batch | undefined>;
  /** They have been told, and are forgotten. */
  delivered(batch: Batch): Promise<void>;
  /** The attempt failed. Returns how many entries are given up with it. */
  failed(batch: Batch, reason: string, options: FailOptions): Promise<number>;
  /** The attempt is broken off, because the process stops. It does not count. */
  release(batch: Batch): Promise<void>;
  /** Tries again at once whatever waits for a further attempt or was given up: whoever starts may have mended the cause. */
  revive(target: string): Promise<void>;
  /** How long until the next entry can be claimed, in milliseconds; undefined when there is none. */
  nextDueIn(target: string): Promise<number | undefined>;
  /** Forgets entries that were given up longer ago, and all but the newest of them. */
  forgetFailed(target: string, options: { ageMs: number; max: number }): Promise<void>;
  stats(target: string): Promise<OutboxStats>;
}
