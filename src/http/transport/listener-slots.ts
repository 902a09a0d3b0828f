import { anonymousPlaces } from '../../client.ts';
import { tooManyRequests, unavailable } from '../../errors.ts';
import type { EventStream } from './event-stream.ts';

export interface ListenerLimits {
  /** Maximum of listening clients. */
  maxClients: number;
  /** Maximum of them from one address. */
  maxClientsPerAddress: number;
}

/** Listeners stay connected for a long time. */
const RETRY_SECONDS = 30;

/** Counts the listening clients of the library and of all spaces together. */
export class ListenerSlots {
  readonly #limits: ListenerLimits;
  readonly #taken = new Set<EventStream>();

  constructor(limits: ListenerLimits) {
    this.#limits = limits;
  }

  /**
   * Takes a slot. A tenth of all slots is reserved for listeners with a session or a key that has `read`.
   * @throws HttpProblem 429 when too many clients of this network already listen; 503 when too many clients in total
   * listen, or too many anonymous ones
   */
  take(stream: EventStream): void {
    const { network, isAnonymous } = stream.listener;
    const { maxClients, maxClientsPerAddress } = this.#limits;
    const alike = [...this.#taken].filter(({ listener }) => listener.isAnonymous === isAnonymous);
    const own = alike.filter(({ listener }) => listener.network === network);
    if (own.length >= maxClientsPerAddress) {
      const message = `${maxClientsPerAddress} clients of this address listen already (MAX_EVENT_CLIENTS_PER_ADDRESS).`;
      throw tooManyRequests(message, 'too_many_listeners', RETRY_SECONDS);
    }
    if (this.#taken.size >= maxClients) {
      throw unavailable(`${maxClients} clients listen already (MAX_EVENT_CLIENTS).`, 'queue_full', RETRY_SECONDS);
    }
    const maxAnonymous = anonymousPlaces(maxClients);
    if (isAnonymous && alike.length >= maxAnonymous) {
      const message = `${maxAnonymous} clients without a key that has read listen already (nine tenths of MAX_EVENT_CLIENTS).`;
      throw unavailable(message, 'queue_full', RETRY_SECONDS);
    }
    this.#taken.add(stream);
  }

  give(stream: EventStream): void {
    this.#taken.delete(stream);
  }
}
