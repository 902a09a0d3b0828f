import { EventSource } from 'eventsource';

export interface Heard {
  type: string;
  id: string;
  data: Record<string, unknown>;
}

/** A browser's view of the event stream. */
export interface Listener {
  /** All events received so far. */
  heard: Heard[];
  /** Resolves to the next event of a type that no earlier call has consumed. */
  next(type: string): Promise<Heard>;
  /** Breaks the connection; the client reconnects after a call of the returned function. */
  breakConnection(): () => void;
  close(): void;
}

const TYPES = [
  ...['connected', 'job:created', 'job:started', 'job:progress', 'job:completed', 'job:error'],
  ...['job:cancelled', 'job:deleted', 'heartbeat'],
];

/**
 * Listens with a real `EventSource`. It reconnects immediately after a broken connection, so that no test has to wait.
 * @param headers sent with every connection, such as an API key
 */
export function listen(url: string, headers: Record<string, string> = {}): Listener {
  const heard: Heard[] = [];
  const waiting = new Map<string, PromiseWithResolvers<void>>();
  const taken = new Map<string, number>();
  let connection = new AbortController();
  let mayConnect = Promise.resolve();

  const source = new EventSource(url, {
    async fetch(target, init) {
      await mayConnect;
      const signal = AbortSignal.any([init.signal, connection.signal]);
      const response = await fetch(target, { ...init, headers: { ...init.headers, ...headers }, signal });
      const { status, headers: received, redirected } = response;
      return { url, status, headers: received, redirected, body: response.body && hurried(response.body) };
    },
  });
  for (const type of TYPES) {
    source.addEventListener(type, ({ lastEventId: id, data }) => {
      heard.push({ type, id, data: JSON.parse(data) });
      waiting.get(type)?.resolve();
    });
  }

  return {
    heard,
    async next(type) {
      for (;;) {
        const index = taken.get(type) ?? 0;
        const found = heard.filter((one) => one.type === type)[index];
        if (found) {
          taken.set(type, index + 1);
          return found;
        }
        const more = Promise.withResolvers<void>();
        waiting.set(type, more);
        await more.promise;
      }
    },
    breakConnection() {
      const gate = Promise.withResolvers<void>();
      mayConnect = gate.promise;
      // Without its own error it would look like a connection closed by the client.
      connection.abort(new Error('The connection broke.'));
      connection = new AbortController();
      return gate.resolve;
    },
    close: () => source.close(),
  };
}

/** Prepends a `retry` of one ms to the stream, as a server may. */
function hurried(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const start = (controller: TransformStreamDefaultController<Uint8Array>) =>
    controller.enqueue(new TextEncoder().encode('retry: 1\n\n'));
  return body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>({ start }));
}
