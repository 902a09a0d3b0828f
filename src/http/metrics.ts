import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Services } from '../services.ts';
import { withoutOrigin, withoutPrefix } from './public-endpoints.ts';

export interface Metrics {
  hotAnswer(): void;
  answer(method: string, url: string, status: number, seconds: number): void;
  /** All figures as Prometheus reads them. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Families of endpoints, by the first name of their path: labels may not grow with what visitors ask for. */
const FAMILIES: ReadonlySet<string> = new Set([
  't',
  'authenticated',
  'upload',
  'download',
  'download-folder',
  'download-zip',
  'storage',
  'invalidate',
  'queue',
  'video-status',
  'api-keys',
  'health',
  'limits',
  'livez',
  'readyz',
  'metrics',
  'api',
]);
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS']);
const SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 60];

/** What is counted and measured of a running service. */
export function createMetrics({ pool, variants, queue }: Services): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  let hot = 0;
  const requests = new Counter({
    name: 'darkroom_requests_total',
    help: 'Requests by family of endpoints, method and status.',
    labelNames: ['family', 'method', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'darkroom_request_seconds',
    help: 'Time until the answer was sent, by family; without cached variants that were sent from memory at once.',
    labelNames: ['family'],
    buckets: SECONDS,
    registers,
  });
  new Counter({
    name: 'darkroom_hot_answers_total',
    help: 'Cached variants that were sent from memory at once.',
    registers,
    collect() {
      this.reset();
      this.inc(hot);
    },
  });
  addGauges(registers, { pool, variants, queue });

  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    hotAnswer() {
      hot++;
    },
    answer(method, url, status, seconds) {
      const family = familyOf(url);
      requests.inc({ family, method: METHODS.has(method) ? method : 'other', status });
      durations.observe({ family }, seconds);
    },
  };
}

/** Read when they are asked for. */
function addGauges(registers: Registry[], { pool, variants, queue }: Pick<Services, 'pool' | 'variants' | 'queue'>) {
  const read = { running: 'rendering', waiting: 'queued', total: 'rendered' } as const;
  for (const [name, field] of Object.entries(read) as [keyof typeof read, (typeof read)[keyof typeof read]][]) {
    new Gauge({
      name: `darkroom_renders_${name}`,
      help: `Renders that are ${name === 'total' ? 'done' : name}.`,
      registers,
      collect() {
        this.set(pool.stats()[field]);
      },
    });
  }
  new Gauge({
    name: 'darkroom_cache_bytes',
    help: 'Size of the cached variants.',
    registers,
    async collect() {
      this.set((await variants.stats()).size);
    },
  });
  new Gauge({
    name: 'darkroom_jobs',
    help: 'Video jobs by status.',
    labelNames: ['status'],
    registers,
    async collect() {
      const { throughput: _throughput, ...counts } = await queue.stats();
      for (const [status, count] of Object.entries(counts)) this.set({ status }, count);
    },
  });
}

function familyOf(url: string): string {
  const name = /^\/([^/?]*)/.exec(withoutPrefix(withoutOrigin(url)))?.[1] ?? '';
  return FAMILIES.has(name) ? name : 'other';
}
