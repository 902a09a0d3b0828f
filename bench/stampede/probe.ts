// Client of a cached image: requests one URL at a fixed rate, however slow the responses are. On a message it stops and
// sends the latencies in ms. Arguments: URL, milliseconds between requests.
import { Agent, get } from 'node:http';

const [url = '', interval = '10'] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
const latencies: number[] = [];
let pending = 0;

const timer = setInterval(request, Number(interval));
process.on('message', async () => {
  clearInterval(timer);
  while (pending > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  process.send?.(latencies, () => process.exit());
});

function request(): void {
  const start = performance.now();
  pending++;
  const sent = get(url, { agent }, (response) => {
    if (response.headers['x-cache'] !== 'hit')
      throw new Error(`Expected a cache hit, received ${response.statusCode}.`);
    response.resume().on('end', () => {
      pending--;
      latencies.push(performance.now() - start);
    });
  });
  sent.on('error', (error) => {
    throw error;
  });
}
