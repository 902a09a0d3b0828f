/** Files open to every module; they import one another. */
export const HALLWAY = [
  'errors.ts',
  'client.ts',
  'installation.ts',
  'media.ts',
  'media',
  'tracing.ts',
  'path.ts',
  'focal-point.ts',
  'lab.ts',
  'concurrency.ts',
  'availability.ts',
  'bytes.ts',
  'bounded-cache.ts',
  'json.ts',
  'log.ts',
  'runtime',
];

/** Imports everything; nothing imports it, except through the `windows` below. */
export const ROOF = [
  'main.ts',
  'serve.ts',
  'services.ts',
  'library-services.ts',
  'space-services.ts',
  'space-work.ts',
  'open-parts.ts',
  'open-storage.ts',
  'rendering.ts',
  'admin.ts',
  'admin',
  'check-config.ts',
];

export interface Room {
  /** Modules, or single files of them, that it may import. */
  doors?: readonly string[];
  /** Files of which it may import types only. */
  windows?: readonly string[];
}

/** The modules, each with its permitted imports. `ARCHITECTURE.md` shows the same. */
export const ROOMS: Readonly<Record<string, Room>> = {
  transformation: {},
  storage: { windows: ['db/schema.ts'] },
  db: {},
  catalog: {
    doors: ['db', 'queue', 'storage'],
    windows: ['render/describer.ts', 'render/facts.ts', 'cluster/cluster.ts'],
  },
  'config.ts': { doors: ['config'] },
  config: {},
  image: { doors: ['transformation'] },
  video: { doors: ['transformation'] },
  auth: { doors: ['db'] },
  audit: { doors: ['db', 'cluster/sweep.ts'], windows: ['cluster/cluster.ts'] },
  usage: { doors: ['db', 'cluster/sweep.ts'], windows: ['cluster/cluster.ts'] },
  cluster: {},
  outgoing: {},
  pull: { doors: ['outgoing', 'storage'], windows: ['cluster/cluster.ts', 'db/schema.ts'] },
  queue: { doors: ['db'] },
  outbox: { doors: ['db', 'queue'] },
  webhooks: { doors: ['db', 'outbox', 'outgoing', 'queue'], windows: ['cluster/cluster.ts'] },
  cdn: {
    doors: ['outbox', 'queue', 'delivery/cache-tags.ts'],
    windows: ['cluster/cluster.ts', 'storage/blob-store.ts', 'storage/retention-store.ts'],
  },
  render: { doors: ['image', 'video', 'transformation'] },
  jobs: { doors: ['video', 'storage', 'transformation', 'db', 'queue'], windows: ['cluster/cluster.ts'] },
  delivery: {
    // The parameters of the URL language are declared in the steps.
    doors: [
      'auth/signature.ts',
      'render',
      'jobs',
      'storage',
      'transformation',
      'image/steps/index.ts',
      'image/analysis/needed.ts',
      'image/layers/layer.ts',
      'image/layers/parameters.ts',
      'image/layers/segment.ts',
      'video/steps/index.ts',
      'video/options.ts',
      'video/kinds.ts',
      'video/product.ts',
      'video/storyboard-plan.ts',
      'video/source/fragments.ts',
      'video/stream-options.ts',
    ],
    windows: [
      'image/pipeline.ts',
      'image/limits.ts',
      'image/input.ts',
      'image/failure.ts',
      'image/layout/geometry.ts',
      'image/analysis/analysis.ts',
      'video/limits.ts',
      'video/step.ts',
      'cluster/cluster.ts',
    ],
  },
  library: {
    doors: [
      'catalog',
      'delivery',
      'jobs',
      'storage',
      'render',
      'transformation',
      'audit/audit-entry.ts',
      'cluster/sweep.ts',
    ],
    windows: [
      'image/input.ts',
      'image/limits.ts',
      'image/analysis/capture-detail.ts',
      'cluster/cluster.ts',
      'cdn/purges.ts',
      'audit/audit-log.ts',
      'usage/usage-meter.ts',
    ],
  },
  spaces: {
    doors: ['catalog', 'storage', 'delivery', 'db', 'auth/member-rows.ts', 'cluster/retrying-task.ts'],
    windows: ['jobs', 'cluster', 'cdn/purges.ts', 'webhooks/webhooks.ts', 'config.ts'],
  },
  http: {
    doors: [
      'delivery',
      'library',
      'jobs',
      'auth',
      'audit',
      'spaces',
      'usage',
      'outgoing',
      'webhooks',
      'transformation',
      'db/health.ts',
      'storage/blob-store.ts',
    ],
    windows: ['catalog', 'storage', 'services.ts', 'library-services.ts', 'config.ts', 'db/locks.ts'],
  },
};
