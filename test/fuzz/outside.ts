import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that must not be requested. */
export interface Outside {
  /** URL of an image on it. */
  url: string;
  /** Returns the number of requests it received nevertheless. */
  asked(): number;
  close(): void;
}

export async function listenOutside(): Promise<Outside> {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked++;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/sound.png`, asked: () => asked, close: () => server.close() };
}
