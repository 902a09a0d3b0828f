import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Services } from '../../services.ts';
import { withoutOrigin, withoutPrefix } from '../admission/public-endpoints.ts';

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
/** Gauges of the library with the ending of a counter; each is there without it as well, by type. */
const MISNAMED = ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total'];
const SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 60];

/** What is counted and measured of a running service. */
export function createMetrics({ pool, variants, queue }: Services): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
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
  addCounter(registers, 'darkroom_hot_answers_total', 'Cached variants that were sent from memory at once.', () => hot);
  addCounter(registers, 'darkroom_renders_total', 'Renders that are done.', () => pool.stats().rendered);
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

/** A figure that only grows and is counted elsewhere: read when it is asked for. */
function addCounter(registers: Registry[], name: string, help: string, read: () => number): void {
  new Counter({
    name,
    help,
    registers,
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}

/** Read when they are asked for. */
function addGauges(registers: Registry[], { pool, variants, queue }: Pick<Services, 'pool' | 'variants' | 'queue'>) {
  const read = { running: 'rendering', waiting: 'queued' } as const;
  for (const [name, field] of Object.entries(read) as [keyof typeof read, (typeof read)[keyof typeof read]][]) {
    new Gauge({
      name: `darkroom_renders_${name}`,
      help: `Renders that are ${name}.`,
      registers,
      collect() {
        this.set(pool.stats()[field]);
      },
    });
  }
  // The running figure: a count of all files would take seconds for each scrape.
  for (const [name, field, help] of [
    ['darkroom_cache_bytes', 'size', 'Size of the cached variants.'],
    ['darkroom_cache_files', 'fileCount', 'Cached variants.'],
  ] as const) {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set((await variants.usage())[field]);
      },
    });
  }
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
