import type { StoragePath } from '../path.ts';
import type { Message } from './messages.ts';

/** Messages between the nodes of an installation. */
export interface Bus {
  /**
   * Sends a message to the other nodes, never to this one. Never rejects: without a connection the message is sent
   * after the next one is made. Resolves when the message is sent or deferred.
   */
  publish(message: Message): Promise<void>;
  /** Calls the listener with messages of other nodes, each at least once. Returns a function that unsubscribes. */
  subscribe(listener: (message: Message) => void): () => void;
  /**
   * Calls the listener when messages may have been missed. It has to assume every message that could have been sent.
   */
  onResync(listener: () => void): () => void;
}

/** Makes other nodes wait until this promise is settled too, not only for the result of the work. */
export type Hold = (until: Promise<unknown>) => void;

/** Work that is done once for all nodes. */
export interface Once {
  /**
   * Returns the result of another node, or makes it. While the nodes can coordinate, at most one of them works on a
   * key. A node waits a bounded time for another one, then works as well. It does so immediately when the nodes cannot
   * coordinate: this saves work, and guarantees no exclusion.
   * @param find looks up the shared result of `work`; undefined when there is none
   * @param work ends soon after the signal has aborted; no other node begins before
   * @throws what `work` throws; the signal's reason when it aborts while waiting
   */
  run<T>(
    key: string,
    find: () => Promise<T | undefined>,
    work: (hold: Hold) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T>;
}

/**
 * Serialises changes by path: work on a folder excludes all work inside it, and the root excludes everything. Other
 * changes are refused after a timeout, so work that takes minutes must not hold this lock, least of all that of the
 * root.
 */
export interface PathLock {
  /**
   * Runs the work when all earlier work on these paths is done. All paths are locked together, so that nothing
   * deadlocks.
   * @throws HttpProblem 503 when the nodes cannot coordinate, or another node holds the lock too long
   */
  run<T>(paths: readonly StoragePath[], work: () => Promise<T>): Promise<T>;
}

export interface ClusterStats {
  /** True if this node can reach the others. */
  isConnected: boolean;
  /** Number of times that another node was already doing the work. */
  waits: number;
  /** Waits that ended with the result of the other node. */
  found: number;
  /** Waits that timed out, so that this node did the work as well. */
  timeouts: number;
  /** Work done without coordination, because PostgreSQL was unreachable. */
  alone: number;
  /** Delay of a message of the bus, measured periodically, in ms. It grows while none arrives. */
  busLagMs: number;
}

/** Coordination of the nodes of an installation. */
export interface Cluster {
  /** Name of this process: random, and new after each restart. */
  readonly node: string;
  readonly bus: Bus;
  readonly once: Once;
  readonly lock: PathLock;
  /** True if the process of this name is running and connected. @throws Error when PostgreSQL is unreachable */
  isAlive(node: string): Promise<boolean>;
  stats(): ClusterStats;
  /** Leaves the cluster and releases all locks. */
  close(): Promise<void>;
}
