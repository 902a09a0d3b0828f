import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Services } from '../../services.ts';
import type { EndpointLookup } from '../endpoints/lookup.ts';

/** Gauges of the library whose names end like those of counters. Each is there under another name as well, by type. */
const MISNAMED = ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total'];
const SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 60];

export type Metrics = ReturnType<typeof createMetrics>;

/** Counts and measures what a running service does. The labels of requests come from its endpoints, and do not grow with requests. */
export function createMetrics(services: Services, { familyOf, methods }: EndpointLookup) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  const { requests, durations } = addRequests(registers);
  let hot = 0;
  addCounter(registers, 'darkroom_hot_answers_total', 'Cached variants that were sent from memory at once.', () => hot);
  const recalled = 'Look-ups of originals that gave the last known version, because the storage did not answer.';
  addCounter(registers, 'darkroom_stale_originals_total', recalled, () => services.originals.recalled);
  addRenders(registers, services);
  addCache(registers, services);
  addJobs(registers, services);
  addCluster(registers, services);
  if (services.purges) addPurges(registers, services.purges);

  return {
    contentType: registry.contentType,
    /** All figures as Prometheus reads them. */
    text: () => registry.metrics(),
    hotAnswer(): void {
      hot++;
    },
    answer(method: string, url: string, status: number, seconds: number): void {
      const family = familyOf(url);
      const isKnown = method === 'OPTIONS' || methods.includes(method);
      requests.inc({ family, method: isKnown ? method : 'other', status });
      durations.observe({ family }, seconds);
    },
  };
}

function addRequests(registers: Registry[]) {
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
  return { requests, durations };
}

/** A figure that only grows and is counted elsewhere. It is read when the metrics are asked for. */
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

function addRenders(registers: Registry[], { pool }: Pick<Services, 'pool'>): void {
  addCounter(registers, 'darkroom_renders_total', 'Renders that are done.', () => pool.stats().rendered);
  for (const [name, field] of [
    ['running', 'rendering'],
    ['waiting', 'queued'],
  ] as const) {
    new Gauge({
      name: `darkroom_renders_${name}`,
      help: `Renders that are ${name}.`,
      registers,
      collect() {
        this.set(pool.stats()[field]);
      },
    });
  }
}

/** The running figure: a count of all files would take seconds for each scrape. */
function addCache(registers: Registry[], { variants }: Pick<Services, 'variants'>): void {
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
}

function addCluster(registers: Registry[], { cluster }: Pick<Services, 'cluster'>): void {
  new Gauge({
    name: 'darkroom_cluster_connected',
    help: '1 while this machine is in touch with the other ones of its installation, 0 while it works alone.',
    registers,
    collect() {
      this.set(cluster.stats().isConnected ? 1 : 0);
    },
  });
  for (const [name, field, help] of [
    ['waits', 'waits', 'Variants that another machine was found to be rendering.'],
    ['found', 'found', 'Variants that were taken from another machine instead of being rendered.'],
    ['timeouts', 'timeouts', 'Variants that were rendered as well because another machine took too long.'],
    ['alone', 'alone', 'Variants that were rendered while the other machines could not be asked.'],
  ] as const) {
    addCounter(registers, `darkroom_renders_elsewhere_${name}_total`, help, () => cluster.stats()[field]);
  }
}

/** Those of all nodes come from the database: when it does not answer, they are missing, and all else is there. */
function addJobs(registers: Registry[], { queue, worker }: Pick<Services, 'queue' | 'worker'>): void {
  new Gauge({
    name: 'darkroom_jobs',
    help: 'Video jobs by status, of all machines.',
    labelNames: ['status'],
    registers,
    async collect() {
      this.reset();
      const counts = await queue.jobs.counts().catch(() => ({}));
      for (const [status, count] of Object.entries(counts)) this.set({ status }, count);
    },
  });
  new Gauge({
    name: 'darkroom_job_oldest_due_seconds',
    help: 'How long the video job has been waiting that has been due for longest, of all machines; 0 when none is due.',
    registers,
    async collect() {
      const age = await queue.oldestDueMs().catch(() => Number.NaN);
      this.set((age ?? 0) / 1000);
    },
  });
  addCounter(registers, 'darkroom_jobs_claimed_total', 'Video jobs that this machine has begun.', () => queue.claimed);
  for (const [name, field, help] of [
    ['darkroom_job_places', 'maxConcurrent', 'Video jobs that this machine does at a time.'],
    ['darkroom_job_places_taken', 'processingCount', 'Video jobs that this machine is doing.'],
  ] as const) {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(worker?.stats()[field] ?? 0);
      },
    });
  }
}

function addPurges(registers: Registry[], purges: NonNullable<Services['purges']>): void {
  new Gauge({
    name: 'darkroom_purges',
    help: 'Purges that the CDN has not received, of all nodes.',
    labelNames: ['state'],
    registers,
    async collect() {
      const { waiting, failed } = await purges.stats();
      this.set({ state: 'waiting' }, waiting);
      this.set({ state: 'failed' }, failed);
    },
  });
  new Gauge({
    name: 'darkroom_purge_oldest_seconds',
    help: 'For how long the oldest purge has waited for the CDN.',
    registers,
    async collect() {
      const { oldestAt = new Date() } = await purges.stats();
      this.set(Math.max(0, Date.now() - oldestAt.getTime()) / 1000);
    },
  });
  new Counter({
    name: 'darkroom_purge_requests_total',
    help: 'Requests of this node to the CDN, by result.',
    labelNames: ['result'],
    registers,
    collect() {
      this.reset();
      for (const [result, count] of Object.entries(purges.requests)) this.inc({ result }, count);
    },
  });
}
