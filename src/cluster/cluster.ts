import type { StoragePath } from '../path.ts';
import type { Message } from './messages.ts';

/** What the nodes of an installation tell one another. */
export interface Bus {
  /**
   * Tells the other nodes, never this one, which knows already. It never fails: what cannot be told now is told when the nodes are
   * in touch again. Resolves when it has been told, or when it has to wait for that.
   */
  publish(message: Message): Promise<void>;
  /** Calls the listener with what other nodes tell, each message once or more often. Returns what ends it. */
  subscribe(listener: (message: Message) => void): () => void;
  /** Calls the listener when messages may have been missed: then everything that they could have said has to be assumed. */
  onResync(listener: () => void): () => void;
}

/** Has others wait for more than the result of the work: until this is settled too. */
export type Hold = (until: Promise<unknown>) => void;

/** Work that is done once for all nodes. */
export interface Once {
  /**
   * Finds what another node has made, or makes it. While the nodes can coordinate, at most one of them works for a key. A node
   * waits a bounded time for another one, then it works as well. It does so at once when the nodes cannot coordinate, so this
   * saves work and excludes nothing.
   * @param find looks where `work` leaves its result for the other nodes; undefined when there is nothing
   * @param work ends soon after the signal has aborted; until it has ended, nobody else begins
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
 * Serialises changes by path: work on a folder excludes all work inside it, and the root excludes everything. Work that takes
 * minutes must not hold it, least of all that of the root: others are refused after a while.
 */
export interface PathLock {
  /**
   * Runs the work when all earlier work on these paths is done. All paths are taken at once, so that nothing deadlocks.
   * @throws HttpProblem 503 when the nodes cannot coordinate, or another node has not made room in time
   */
  run<T>(paths: readonly StoragePath[], work: () => Promise<T>): Promise<T>;
}

export interface ClusterStats {
  /** Whether this node is in touch with the others. */
  isConnected: boolean;
  /** How often work was found under way on another node. */
  waits: number;
  /** How often such a wait ended with what the other node had made. */
  found: number;
  /** How often the other node took too long, and this one worked as well. */
  timeouts: number;
  /** How often this node worked without being able to ask the others. */
  alone: number;
  /** Delay of a message of the bus, measured periodically, in ms. It grows while none arrives. */
  busLagMs: number;
}

/** How the nodes of an installation work together. */
export interface Cluster {
  /** The name of this process among them: random, and another one after a restart. */
  readonly node: string;
  readonly bus: Bus;
  readonly once: Once;
  readonly lock: PathLock;
  /** Whether the process of this name is running and in touch. @throws Error when this node cannot ask */
  isAlive(node: string): Promise<boolean>;
  stats(): ClusterStats;
  /** Leaves. What this node still holds is free for the others. */
  close(): Promise<void>;
}
