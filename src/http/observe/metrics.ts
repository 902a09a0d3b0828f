import type { IncomingMessage } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import packageFile from '../../../package.json' with { type: 'json' };
import type { Delivery } from '../../delivery/deliver.ts';
import { ERRORS, type ErrorCode } from '../../errors.ts';
import type { LibraryServices } from '../../services.ts';
import { addCounter, addCounters } from './read-figures.ts';
import { addServices } from './service-figures.ts';

/** Gauges of the library whose names end like those of counters. Each also exists under another name, by type. */
const MISNAMED = ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total'];
/** Statuses that request a later retry. */
const REFUSALS: readonly number[] = [429, 503];
const SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 60];

/** The labels of requests, from the declared endpoints. */
interface RequestLabels {
  familyOf(url: string): string;
  methods: readonly string[];
}

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * Counts and measures a running service. The labels of requests come from its endpoints, so that requests cannot add
 * more.
 */
export function createMetrics(services: LibraryServices, { familyOf, methods }: RequestLabels) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  addServices(registry, services);
  addBuild(registry);
  const { requests, durations } = addRequests(registry);
  const errors: Partial<Record<ErrorCode, number>> = {};
  addRefusals(registry, errors);
  const variants = { memory: 0, cache: 0, client: 0, rendered: 0 };
  addVariants(registry, variants);

  return {
    contentType: registry.contentType,
    /** All figures in the format of Prometheus. */
    text: () => registry.metrics(),
    /** Since the start; hits and misses of variants. */
    async totals(): Promise<{ requests: number; hits: number; misses: number }> {
      const { values } = await requests.get();
      const counted = values.reduce((sum, { value }) => sum + value, 0);
      const { memory, cache, client, rendered } = variants;
      return { requests: counted + memory, hits: memory + cache + client, misses: rendered };
    },
    /** Responses with an error since the start, by its code. */
    errors: (): Readonly<Record<string, number>> => errors,
    countFastPathResponse(): void {
      variants.memory++;
    },
    /** Counts a variant that the fast path has read from the disk; its response is counted by `answer`. */
    countDiskHit(): void {
      variants.cache++;
    },
    /** Counts a delivery on the normal path. */
    delivered(delivery: Delivery): void {
      if (delivery.kind === 'unchanged') variants.client++;
      else if (delivery.kind === 'playlist' || (delivery.kind === 'variant' && delivery.isHit)) variants.cache++;
      else if (delivery.kind === 'variant') variants.rendered++;
    },
    /** @param code of the error in the response; @returns the family of the request */
    answer({ method = '', url = '' }: IncomingMessage, status: number, seconds: number, code?: ErrorCode): string {
      const family = familyOf(url);
      const isKnown = method === 'OPTIONS' || methods.includes(method);
      requests.inc({ family, method: isKnown ? method : 'other', status });
      durations.observe({ family }, seconds);
      if (code) errors[code] = (errors[code] ?? 0) + 1;
      return family;
    },
  };
}

function addRequests(registry: Registry) {
  const requests = new Counter({
    name: 'darkroom_requests_total',
    help: 'Requests by family of endpoints, method and status.',
    labelNames: ['family', 'method', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'darkroom_request_seconds',
    help: 'Time until the response was sent, by family; without the fast path.',
    labelNames: ['family'],
    buckets: SECONDS,
    registers: [registry],
  });
  return { requests, durations };
}

function addRefusals(registry: Registry, errors: Readonly<Partial<Record<ErrorCode, number>>>): void {
  const help = 'Refused requests that may be retried (429 and 503), by error code.';
  addCounters(registry, 'darkroom_refusals_total', help, 'code', () => {
    const codes = Object.entries(errors).filter(([code]) => REFUSALS.includes(ERRORS[code as ErrorCode].status));
    return Object.fromEntries(codes);
  });
}

/** Adds the sources of variants: this memory, the cache, the client, who already has it, or a render. */
function addVariants(registry: Registry, counts: Readonly<Record<string, number>>): void {
  const help = 'Cached variants sent from memory on the fast path.';
  addCounter(registry, 'darkroom_hot_answers_total', help, () => counts.memory ?? 0);
  const sources = 'Delivered variants by source; "client": not modified.';
  addCounters(registry, 'darkroom_variants_total', sources, 'source', () => counts);
}

function addBuild(registry: Registry): void {
  const build = new Gauge({
    name: 'darkroom_build_info',
    help: 'Always 1; its labels are the versions and the platform.',
    labelNames: ['version', 'node', 'platform'],
    registers: [registry],
  });
  build.set(
    { version: packageFile.version, node: process.versions.node, platform: `${process.platform}-${process.arch}` },
    1,
  );
}
