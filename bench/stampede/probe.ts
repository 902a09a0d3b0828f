// A visitor of a page that is cached: asks for one URL at a steady rate, whether answers are slow or not, until it is told to stop; then
// it tells every answer's milliseconds. Arguments: URL, milliseconds between requests.
import { Agent, get } from 'node:http';

const [url = '', interval = '10'] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
const latencies: number[] = [];
let pending = 0;

const timer = setInterval(ask, Number(interval));
process.on('message', async () => {
  clearInterval(timer);
  while (pending > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  process.send?.(latencies, () => process.exit());
});

function ask(): void {
  const start = performance.now();
  pending++;
  const request = get(url, { agent }, (response) => {
    if (response.headers['x-cache'] !== 'hit')
      throw new Error(`Expected a cached answer, received ${response.statusCode}.`);
    response.resume().on('end', () => {
      pending--;
      latencies.push(performance.now() - start);
    });
  });
  request.on('error', (error) => {
    throw error;
  });
}
