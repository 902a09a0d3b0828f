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
  const variants = { hits: 0, misses: 0 };
  addCounter(registers, 'darkroom_hot_answers_total', 'Cached variants that were sent from memory at once.', () => hot);
  const recalled = 'Look-ups of originals that gave the last known version, because the storage did not answer.';
  addCounter(registers, 'darkroom_stale_originals_total', recalled, () => services.originals.recalled);
  addRenders(registers, services);
  addCache(registers, services);
  addStorage(registers, services);
  addJobs(registers, services);
  addCluster(registers, services);
  addCatalog(registers, services);
  if (services.purges) addPurges(registers, services.purges);

  return {
    contentType: registry.contentType,
    /** All figures as Prometheus reads them. */
    text: () => registry.metrics(),
    /** Since the start; hits and misses of variants. */
    async totals(): Promise<{ requests: number; hits: number; misses: number }> {
      const { values } = await requests.get();
      const counted = values.reduce((sum, { value }) => sum + value, 0);
      return { requests: counted + hot, hits: variants.hits + hot, misses: variants.misses };
    },
    hotAnswer(): void {
      hot++;
    },
    /** A variant was delivered in the usual way, or was known to its visitor. */
    variant(isHit: boolean): void {
      if (isHit) variants.hits++;
      else variants.misses++;
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

/** A figure that is read when the metrics are asked for. When the database that knows it does not answer, it is NaN. */
function addGauge(registers: Registry[], name: string, help: string, read: () => number | Promise<number>): void {
  new Gauge({
    name,
    help,
    registers,
    async collect() {
      this.set(await orElse(Number.NaN, read));
    },
  });
}

/** Such figures by a label. When the database that knows them does not answer, they are missing. */
function addGauges(
  registers: Registry[],
  name: string,
  help: string,
  label: string,
  read: () => Promise<Readonly<Record<string, number>>>,
): void {
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers,
    async collect() {
      this.reset();
      for (const [value, count] of Object.entries(await orElse({}, read))) this.set({ [label]: value }, count);
    },
  });
}

/** One figure that cannot be read must not keep all others from being seen. */
async function orElse<T>(otherwise: T, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch {
    return otherwise;
  }
}

function addRenders(registers: Registry[], { pool }: Pick<Services, 'pool'>): void {
  addCounter(registers, 'darkroom_renders_total', 'Renders that are done.', () => pool.stats().rendered);
  addGauge(registers, 'darkroom_renders_running', 'Renders that are running.', () => pool.stats().rendering);
  addGauge(registers, 'darkroom_renders_waiting', 'Renders that are waiting.', () => pool.stats().queued);
}

/** The running figure: a count of all files would take seconds for each scrape. */
function addCache(registers: Registry[], { variants }: Pick<Services, 'variants'>): void {
  addGauge(
    registers,
    'darkroom_cache_bytes',
    'Size of the cached variants.',
    async () => (await variants.usage()).size,
  );
  addGauge(registers, 'darkroom_cache_files', 'Cached variants.', async () => (await variants.usage()).fileCount);
}

/** What the catalog knows: no file is looked at. */
function addStorage(registers: Registry[], { stats }: Pick<Services, 'stats'>): void {
  addGauge(registers, 'darkroom_originals_bytes', 'Size of the originals.', async () => (await stats.usage()).size);
  addGauge(registers, 'darkroom_originals_files', 'Stored originals.', async () => (await stats.usage()).fileCount);
}

function addCluster(registers: Registry[], { cluster }: Pick<Services, 'cluster'>): void {
  const connected = '1 while this machine is in touch with the other ones of its installation, 0 while it works alone.';
  addGauge(registers, 'darkroom_cluster_connected', connected, () => (cluster.stats().isConnected ? 1 : 0));
  for (const [name, field, help] of [
    ['waits', 'waits', 'Variants that another machine was found to be rendering.'],
    ['found', 'found', 'Variants that were taken from another machine instead of being rendered.'],
    ['timeouts', 'timeouts', 'Variants that were rendered as well because another machine took too long.'],
    ['alone', 'alone', 'Variants that were rendered while the other machines could not be asked.'],
  ] as const) {
    addCounter(registers, `darkroom_renders_elsewhere_${name}_total`, help, () => cluster.stats()[field]);
  }
}

function addJobs(registers: Registry[], { queue, worker }: Pick<Services, 'queue' | 'worker'>): void {
  addGauges(registers, 'darkroom_jobs', 'Video jobs by status, of all machines.', 'status', () => queue.jobs.counts());
  const due =
    'How long the video job has been waiting that has been due for longest, of all machines; 0 when none is due.';
  addGauge(registers, 'darkroom_job_oldest_due_seconds', due, async () => ((await queue.oldestDueMs()) ?? 0) / 1000);
  addCounter(registers, 'darkroom_jobs_claimed_total', 'Video jobs that this machine has begun.', () => queue.claimed);
  for (const [name, field, help] of [
    ['darkroom_job_places', 'maxConcurrent', 'Video jobs that this machine does at a time.'],
    ['darkroom_job_places_taken', 'processingCount', 'Video jobs that this machine is doing.'],
  ] as const) {
    addGauge(registers, name, help, () => worker?.stats()[field] ?? 0);
  }
}

function addCatalog(registers: Registry[], { catalog, describing }: Pick<Services, 'catalog' | 'describing'>): void {
  const undescribed = 'Files of all machines that are not described, because it is to be done or cannot be done.';
  addGauge(registers, 'darkroom_undescribed_files', undescribed, async () => {
    const { count } = await catalog.descriptions.waiting();
    return count;
  });
  for (const [name, field, help] of [
    ['darkroom_described_files_total', 'described', 'Files that this machine has described.'],
    ['darkroom_describe_failures_total', 'failed', 'Files that this machine could not describe, each time it tried.'],
  ] as const) {
    addCounter(registers, name, help, () => describing?.counts[field] ?? 0);
  }
}

function addPurges(registers: Registry[], purges: NonNullable<Services['purges']>): void {
  const unreceived = 'Purges that the CDN has not received, of all nodes.';
  addGauges(registers, 'darkroom_purges', unreceived, 'state', async () => {
    const { waiting, failed } = await purges.stats();
    return { waiting, failed };
  });
  const age = 'For how long the oldest purge has waited for the CDN.';
  addGauge(registers, 'darkroom_purge_oldest_seconds', age, async () => {
    const { oldestAt = new Date() } = await purges.stats();
    return Math.max(0, Date.now() - oldestAt.getTime()) / 1000;
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
