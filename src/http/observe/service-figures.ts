import type { Registry } from 'prom-client';
import type { LibraryServices } from '../../services.ts';
import { addCounter, addCounters, addGauge, addGauges } from './read-figures.ts';

/** Adds the figures that the modules of the service report. */
export function addServices(registry: Registry, services: LibraryServices): void {
  const recalled = 'Checks of originals that used the last known version, because the storage did not respond.';
  addCounter(registry, 'darkroom_stale_originals_total', recalled, () => services.originals.recalled);
  addRenders(registry, services);
  addCache(registry, services);
  addStorage(registry, services);
  addJobs(registry, services);
  addCluster(registry, services);
  addCatalog(registry, services);
  addWebhooks(registry, services);
  addAudit(registry, services);
  addFetched(registry, services);
  if (services.purges) addPurges(registry, services.purges);
}

function addRenders(registry: Registry, { pool }: Pick<LibraryServices, 'pool'>): void {
  registry.registerMetric(pool.durations.waiting);
  registry.registerMetric(pool.durations.rendering);
  addCounter(registry, 'darkroom_renders_total', 'Completed renders.', () => pool.stats().rendered);
  addGauge(registry, 'darkroom_renders_running', 'Running renders.', () => pool.stats().rendering);
  addGauge(registry, 'darkroom_renders_waiting', 'Waiting renders.', () => pool.stats().queued);
  const workers = 'Memory of all render workers after their last tasks.';
  addGauge(registry, 'darkroom_render_workers_resident_memory_bytes', workers, () => pool.stats().workerBytes);
}

/** Adds the running figure: counting all files would take seconds per scrape. */
function addCache(registry: Registry, { variants }: Pick<LibraryServices, 'variants'>): void {
  addGauge(registry, 'darkroom_cache_bytes', 'Size of the cached variants.', async () => (await variants.usage()).size);
  addGauge(registry, 'darkroom_cache_files', 'Cached variants.', async () => (await variants.usage()).fileCount);
}

/** Adds figures of the catalog: no file is read. */
function addStorage(registry: Registry, { stats }: Pick<LibraryServices, 'stats'>): void {
  addGauge(registry, 'darkroom_originals_bytes', 'Size of the originals.', async () => (await stats.usage()).size);
  addGauge(registry, 'darkroom_originals_files', 'Stored originals.', async () => (await stats.usage()).fileCount);
}

function addFetched(registry: Registry, { fetchBudget }: Pick<LibraryServices, 'fetchBudget'>): void {
  if (!fetchBudget) return;
  const fetched = 'Size of the originals fetched from previous hosts, by all nodes.';
  addGauge(registry, 'darkroom_fetched_originals_bytes', fetched, () => fetchBudget.used());
  const limit = 'Limit of their size; 0 for no limit.';
  addGauge(registry, 'darkroom_fetched_originals_limit_bytes', limit, () => fetchBudget.maxBytes);
}

function addCluster(registry: Registry, { cluster }: Pick<LibraryServices, 'cluster'>): void {
  const connected = '1 while this node is connected to the other nodes of the cluster, 0 while it is isolated.';
  addGauge(registry, 'darkroom_cluster_connected', connected, () => (cluster.stats().isConnected ? 1 : 0));
  const lag = 'Delay of messages between nodes; grows while none arrives. 0 on a single node.';
  addGauge(registry, 'darkroom_cluster_bus_lag_seconds', lag, () => cluster.stats().busLagMs / 1000);
  for (const [name, field, help] of [
    ['waits', 'waits', 'Variants that another node was already rendering.'],
    ['found', 'found', 'Variants fetched from another node instead of being rendered.'],
    ['timeouts', 'timeouts', 'Variants rendered here too because another node took too long.'],
    ['alone', 'alone', 'Variants rendered while the other nodes were unreachable.'],
  ] as const) {
    addCounter(registry, `darkroom_renders_elsewhere_${name}_total`, help, () => cluster.stats()[field]);
  }
}

function addJobs(registry: Registry, { queue, worker }: Pick<LibraryServices, 'queue' | 'worker'>): void {
  if (worker) registry.registerMetric(worker.durations);
  addGauges(registry, 'darkroom_jobs', 'Video jobs by status, of all nodes.', 'status', () => queue.jobs.counts());
  const due = 'Waiting time of the oldest due video job, of all nodes; 0 if none is due.';
  addGauge(registry, 'darkroom_job_oldest_due_seconds', due, async () => ((await queue.oldestDueMs()) ?? 0) / 1000);
  addCounter(registry, 'darkroom_jobs_claimed_total', 'Video jobs that this node has started.', () => queue.claimed);
  for (const [name, field, help] of [
    ['darkroom_job_places', 'maxConcurrent', 'Video jobs that this node runs in parallel.'],
    ['darkroom_job_places_taken', 'processingCount', 'Video jobs that this node is running.'],
  ] as const) {
    addGauge(registry, name, help, () => worker?.stats()[field] ?? 0);
  }
}

function addCatalog(
  registry: Registry,
  { catalog, describing }: Pick<LibraryServices, 'catalog' | 'describing'>,
): void {
  const undescribed = 'Files without a description, pending or failed, of all nodes.';
  addGauge(registry, 'darkroom_undescribed_files', undescribed, async () => {
    const { count } = await catalog.descriptions.waiting();
    return count;
  });
  for (const [name, field, help] of [
    ['darkroom_described_files_total', 'described', 'Files that this node has described.'],
    ['darkroom_describe_failures_total', 'failed', 'Failed attempts of this node to describe a file.'],
  ] as const) {
    addCounter(registry, name, help, () => describing?.counts[field] ?? 0);
  }
}

function addWebhooks(registry: Registry, { webhooks }: Pick<LibraryServices, 'webhooks'>): void {
  const waiting = 'Pending deliveries to webhooks, of all nodes.';
  addGauge(registry, 'darkroom_webhook_deliveries_waiting', waiting, () => webhooks.waiting());
  const attempts = 'Deliveries to webhooks that this node has attempted, by result.';
  addCounters(registry, 'darkroom_webhook_attempts_total', attempts, 'result', () => webhooks.attempts);
}

function addAudit(registry: Registry, { audit }: Pick<LibraryServices, 'audit'>): void {
  const dropped = 'Entries of the audit log that this node has dropped, because the database did not take them.';
  addCounter(registry, 'darkroom_audit_dropped_total', dropped, () => audit.dropped);
}

function addPurges(registry: Registry, purges: NonNullable<LibraryServices['purges']>): void {
  const unreceived = 'Purges that the CDN has not received yet, of all nodes.';
  addGauges(registry, 'darkroom_purges', unreceived, 'state', async () => {
    const { waiting, failed } = await purges.stats();
    return { waiting, failed };
  });
  const age = 'Waiting time of the oldest purge.';
  addGauge(registry, 'darkroom_purge_oldest_seconds', age, async () => {
    const { oldestAt = new Date() } = await purges.stats();
    return Math.max(0, Date.now() - oldestAt.getTime()) / 1000;
  });
  const requests = 'Requests of this node to the CDN, by result.';
  addCounters(registry, 'darkroom_purge_requests_total', requests, 'result', () => purges.requests);
}
