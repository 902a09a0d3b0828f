import {
  changesOutside,
  type HostileRequest,
  hostileRequests,
  isOfLibrary,
  leakOf,
  openBordered,
} from '../spaces/bordered.ts';
import type { FuzzOrder, FuzzReport } from './run.ts';
import { seededRandom } from './seeded-random.ts';

export const unit = 'requests';
export const defaultCount = 100_000;

/** Pieces of paths, joined at random. */
const PIECES = [
  '..',
  '%2e%2e',
  '.',
  '',
  'a',
  'dir',
  'known.svg',
  'own.png',
  '..%2f',
  '%5c..',
  '%00',
  'b',
  'default',
  '%C3%A9',
  'e%CC%81',
];

/**
 * Sends hostile requests with a key of a space: those of the test of its border, again and again, with paths that are
 * put together at random. Nothing from outside may be in an answer, and nothing outside may change.
 */
export async function fuzz({ count, seed }: FuzzOrder): Promise<FuzzReport> {
  const { pick, below } = seededRandom(seed);
  const bordered = await openBordered();
  const known = [...hostileRequests(bordered)].filter(({ target }) => !/^\/(api-keys|members|spaces)/.test(target));
  const randomPath = () => Array.from({ length: 1 + below(6) }, () => pick(PIECES)).join('/');
  const changed = (request: HostileRequest): HostileRequest => {
    const target = request.target.replace(/known\.svg|own\.png|inner\.svg|\.\.$/i, randomPath);
    const { body } = request;
    if (body === undefined) return { ...request, target };
    const texts = Object.entries(body).map(([name, value]) => [
      name,
      Array.isArray(value) ? [randomPath()] : randomPath(),
    ]);
    return { ...request, target, body: Object.fromEntries(texts) };
  };
  try {
    const problems: string[] = [];
    for (let sent = 0; sent < count; sent++) {
      const request = changed(pick(known));
      const prefix = pick(['', '/b/mine']);
      const leak = isOfLibrary(prefix, request) ? undefined : await leakOf(bordered, prefix, request);
      if (leak !== undefined) problems.push(leak);
    }
    return {
      lines: [`${known.length} kinds of requests`],
      problems: [...problems, ...(await changesOutside(bordered))],
    };
  } finally {
    await bordered.service.close();
  }
}
