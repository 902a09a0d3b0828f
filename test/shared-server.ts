/** Started servers by name. Each project of a run loads its modules again, so they are stored on the process. */
const STARTED = Symbol.for('darkroom.tests.servers');

interface Started {
  server: Promise<{ close(): Promise<unknown> }>;
  users: number;
}

/** Returns a server shared by the projects of a run: the first one starts it, and the last one stops it. */
export async function sharedServer<T extends { close(): Promise<unknown> }>(
  name: string,
  start: () => Promise<T>,
): Promise<{ server: T; leave(): Promise<void> }> {
  const kept = globalThis as { [STARTED]?: Map<string, Started> };
  kept[STARTED] ??= new Map();
  const all = kept[STARTED];
  const started = all.get(name) ?? { server: start(), users: 0 };
  all.set(name, started);
  started.users++;
  const server = (await started.server) as T;
  return {
    server,
    async leave() {
      if (--started.users > 0) return;
      all.delete(name);
      await server.close();
    },
  };
}
