import { Agent, get } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Darkroom } from './service.ts';

/**
 * Asks for all of these at once, each on a connection of its own.
 * @returns the bytes of each, and the milliseconds until the last has come
 * @throws Error unless every answer is 200
 */
export async function fetchAtOnce(urls: readonly string[]): Promise<{ bodies: Buffer[]; ms: number }> {
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
  const start = performance.now();
  try {
    const bodies = await Promise.all(urls.map((url) => fetchBody(url, agent)));
    return { bodies, ms: performance.now() - start };
  } finally {
    agent.destroy();
  }
}

/** Milliseconds for each of so many cold variants of `photo.jpg`, which are asked for one after the other. */
export async function timeVariants({ url }: Darkroom, width: number, count: number): Promise<number> {
  const start = performance.now();
  for (let n = 0; n < count; n++) {
    const answer = await fetch(`${url}/t/w_${width},h_${100 + n},f_jpeg/photo.jpg`);
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  }
  return (performance.now() - start) / count;
}

function fetchBody(url: string, agent: Agent): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent }, (response) => {
      buffer(response).then((body) => {
        if (response.statusCode === 200) resolve(body);
        else reject(new Error(`${url}: ${response.statusCode} ${body}`));
      }, reject);
    });
    request.on('error', reject);
  });
}
