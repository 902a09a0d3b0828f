import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { PHOTO, VARIANT } from '../cached.ts';
import { KeptConnection } from '../tools/connection.ts';
import { type Darkroom, type DarkroomOptions, startDarkroom, warm } from '../tools/service.ts';

const WITHOUT = fileURLToPath(new URL('./without.ts', import.meta.url));
const SMALL = new URL('../../test/fixtures/flag-alpha.png', import.meta.url);
const CONNECTIONS = 8;

/** The service as it is, and without the calls of tracing. */
export const SIDES = ['traced', 'without'] as const;
export type Side = (typeof SIDES)[number];

/** What is asked for: the first is sent by the short way, the others by the usual one. */
export const CASES = [
  { label: 'a variant from memory, sent at once', path: VARIANT, headers: '' },
  { label: 'a variant from memory, the usual way (a range)', path: VARIANT, headers: 'Range: bytes=0-999\r\n' },
  { label: 'an original of 1 KB, the usual way', path: '/t/flag.png', headers: 'Range: bytes=0-999\r\n' },
] as const;

export type Case = (typeof CASES)[number];

export async function startSide(side: Side, options: DarkroomOptions): Promise<Darkroom> {
  // Without an SDK, and quiet: a line of the log costs more than what is looked for.
  const environment = {
    ...options.environment,
    LOG_REQUESTS: 'errors',
    RENDER_WORKERS: '1',
    CATALOG_DESCRIBE: 'false',
    ...(side === 'without' && { NODE_OPTIONS: `--import=${WITHOUT}` }),
  };
  const darkroom = await startDarkroom({ ...options, environment });
  await darkroom.upload('photo.jpg', await readFile(PHOTO));
  await darkroom.upload('flag.png', await readFile(SMALL));
  await warm(darkroom.url + VARIANT);
  return darkroom;
}

/**
 * Measures while the service is asked so often, on some connections that are open by then. They are new each time, because the
 * service closes those that wait for long.
 * @param measure is given the work, and surrounds it
 */
export async function askOften<T>(
  { url }: Darkroom,
  one: Case,
  count: number,
  measure: (work: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => KeptConnection.open(url)));
  const ask = async (times: number) => {
    let left = times;
    const askOn = async (connection: KeptConnection) => {
      while (left-- > 0) {
        const { head } = await connection.get(one.path, one.headers);
        if (!head.startsWith('http/1.1 20')) throw new Error(`Unexpected answer of ${one.path}: ${head}`);
      }
    };
    await Promise.all(connections.map(askOn));
  };
  try {
    // The first request of a connection costs more.
    await ask(4 * CONNECTIONS);
    return await measure(() => ask(count));
  } finally {
    for (const connection of connections) connection.close();
  }
}

/** Until the code that is asked is compiled. */
export function warmUpWith(darkroom: Darkroom, one: Case, count: number): Promise<void> {
  return askOften(darkroom, one, count, (work) => work());
}
