import { Agent, get } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Darkroom } from './service.ts';

/**
 * Requests all URLs concurrently, each on its own connection.
 * @returns the bodies, and the ms until the last one
 * @throws Error unless every response is 200
 */
export async function fetchAll(urls: readonly string[]): Promise<{ bodies: Buffer[]; ms: number }> {
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
  const start = performance.now();
  try {
    const bodies = await Promise.all(urls.map((url) => fetchBody(url, agent)));
    return { bodies, ms: performance.now() - start };
  } finally {
    agent.destroy();
  }
}

/** Milliseconds per cold variant of `photo.jpg`, for `count` requests one after another. */
export async function timeVariants({ url }: Darkroom, width: number, count: number): Promise<number> {
  const start = performance.now();
  for (let n = 0; n < count; n++) {
    const response = await fetch(`${url}/t/w_${width},h_${100 + n},f_jpeg/photo.jpg`);
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    await response.arrayBuffer();
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
