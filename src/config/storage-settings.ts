import { boolean, headerValue, integer, keyPrefix, oneOf, outgoingUrl, path, text, url } from './formats.ts';
import { inSection, setting } from './setting.ts';

export const storage = {
  bucket: setting('STORAGE_BUCKET_NAME', text('the name of a bucket'), {
    about: 'Bucket of an S3-compatible store for originals and variants.',
  }),
  accessKeyId: setting('STORAGE_ACCESS_KEY_ID', text('an access key'), { about: 'Access key of the bucket.' }),
  secretAccessKey: setting('STORAGE_SECRET_ACCESS_KEY', text('a secret key'), {
    secret: true,
    about: 'Secret of the access key.',
  }),
  region: setting('STORAGE_REGION', text('a region'), {
    default: 'auto',
    about: 'Region of the bucket. `auto` is right for stores without regions.',
  }),
  endpoint: setting('STORAGE_ENDPOINT', url(), {
    about: 'URL of the store; requests to it have the bucket in their path. Default: AWS.',
  }),
  prefix: setting('STORAGE_PREFIX', keyPrefix(), {
    default: '',
    about: 'Prefix of all keys, so that the bucket can hold other data too.',
  }),
  maxSockets: setting('STORAGE_MAX_CONNECTIONS', integer(1, 10_000), {
    default: '64',
    about: 'Open connections for downloads, and as many again for everything else.',
  }),
  timeoutMs: setting('STORAGE_TIMEOUT_MS', integer(100, 3_600_000), {
    default: '15000',
    about:
      'Time for one attempt of a request, and longest pause of a download. Uploads and copies have a multiple of it.',
  }),
  localCacheBytes: setting('STORAGE_LOCAL_CACHE_MB', integer(0, 1e9), {
    default: '2048',
    unit: 'MB',
    about: 'Copies of originals on disk, for rendering. The least recently used are evicted first.',
  }),
};

export const cache = {
  ...inSection('Cache', {
    maxBytes: setting('CACHE_MAX_SIZE_MB', integer(1, 1e9), {
      default: '10240',
      unit: 'MB',
      about:
        'Variants on disk. Variants that were requested once are evicted first, then the least recently used. With a ' +
        'bucket this is the near cache.',
    }),
    memoryBytes: setting('CACHE_MEMORY_MB', integer(0, 1e6), {
      unit: 'MB',
      about:
        'Small, frequently requested variants in memory, evicted by the same rule. Default: a sixteenth of the memory ' +
        'of the host or the container, at least 128 and at most 1024.',
    }),
    originalCheckMs: setting('ORIGINAL_CHECK_INTERVAL_MS', integer(0, 3_600_000), {
      about:
        'Time for which a change of an original by another program may go unnoticed. Default: 1000 on a disk, 10000 ' +
        'in a bucket. Changes through the service take effect immediately.',
    }),
  }),
  ...inSection('Bucket', {
    staleMs: setting('STALE_IF_ERROR_MS', integer(0, 31_536_000_000), {
      default: '86400000',
      about:
        'While the bucket is unreachable, an original counts as unchanged for this long after it was last checked, ' +
        'so that its cached variants are served. 0: not at all, and images are 503.',
    }),
    uploadQueue: {
      maxCount: setting('STORAGE_UPLOAD_QUEUE_MAX', integer(1, 10_000), {
        default: '500',
        about:
          'New variants that wait to be copied to the bucket after their responses. When the queue is full, further ' +
          'ones are not copied, and other nodes render them again.',
      }),
      maxBytes: setting('STORAGE_UPLOAD_QUEUE_MB', integer(1, 1e6), {
        default: '512',
        unit: 'MB',
        about: 'Size of the variants in this queue.',
      }),
    },
  }),
};

export const catalog = {
  ...inSection('Cache', {
    scanMs: setting('CATALOG_SCAN_INTERVAL_MIN', integer(0, 35_000), {
      unit: 'minutes',
      about:
        'Minutes between reconciliations of all originals with the database, which also happen at each start. ' +
        'Default: 60 on a disk, 360 in a bucket. On a disk under Linux they have a low priority and take several ' +
        'times as long while renders use all CPUs. In between, files that other programs change in place are noticed ' +
        'when they are opened; on a disk, added and deleted files are noticed when their folder is listed. 0: never.',
    }),
  }),
  ...inSection('Catalog', {
    isDescribing: setting('CATALOG_DESCRIBE', boolean(), {
      default: 'true',
      about:
        '`false`: this node does not [describe](library.md#file-records) files in the background; other ' +
        'nodes of the cluster may.',
    }),
    fieldsSchema: setting('ASSET_FIELDS_SCHEMA', path('the path of a JSON Schema'), {
      about:
        'Path of a JSON Schema that the [custom fields](library.md#custom-fields) of all files have to match. By ' +
        'default all fields are accepted.',
    }),
  }),
};

/** Deleted and replaced originals. */
export const retention = {
  versions: setting('VERSIONS_KEEP', integer(0, 1000), {
    default: '10',
    about: 'Versions of each file that are retained when it is replaced. 0: none.',
  }),
  versionDays: setting('VERSIONS_DAYS', integer(1, 36_500), {
    default: '90',
    about: 'Days for which a version is retained.',
  }),
  trashDays: setting('TRASH_DAYS', integer(1, 36_500), {
    default: '30',
    about: 'Days after which files in the trash are deleted permanently.',
  }),
  auditDays: setting('AUDIT_DAYS', integer(0, 36_500), {
    default: '90',
    about:
      'Days for which entries of the [audit log](audit-and-usage.md) are retained. 0: they are only written to the ' +
      'log of the service.',
  }),
};

export const purges = {
  url: setting('CDN_PURGE_URL', outgoingUrl(), {
    secret: true,
    about:
      'URL that receives purges for a CDN; needs `CDN_TAGS` ([how, for each CDN](cdn.md#purges)). Redirects are not ' +
      'followed.',
  }),
  style: setting('CDN_PURGE_STYLE', oneOf(['generic', 'cloudflare', 'fastly', 'varnish']), {
    default: 'generic',
    about: 'Format of purges: `generic`, `cloudflare`, `fastly` or `varnish`.',
  }),
  token: setting('CDN_PURGE_TOKEN', headerValue('the value of a header'), {
    secret: true,
    about: 'Token that is sent with purges.',
  }),
  delayMs: setting('CDN_PURGE_DELAY_MS', integer(500, 60_000), {
    default: '1000',
    about:
      'Time for which changes are collected for one purge, at least 500. Each waits for at least half of it, until ' +
      'the other nodes have received it.',
  }),
  retryMax: setting('CDN_PURGE_RETRY_MAX', integer(0, 1000), {
    default: '40',
    about: 'Retries of a failed purge before it is abandoned.',
  }),
  retryDelayMs: setting('CDN_PURGE_RETRY_DELAY_MS', integer(1, 3_600_000), {
    default: '1000',
    about: 'Delay before the first retry. It doubles each time, up to an hour.',
  }),
  maxWaiting: setting('OUTBOX_MAX', integer(1, 1e6), {
    default: '10000',
    about: 'Changes that may wait for the CDN. Beyond that, everything is purged instead.',
  }),
};

export const webhooks = {
  timeoutMs: setting('WEBHOOK_TIMEOUT_MS', integer(100, 60_000), {
    default: '10000',
    about: 'Time for the receiver of a [webhook](webhooks.md) to respond.',
  }),
  maxWaiting: setting('WEBHOOK_QUEUE_MAX', integer(1, 1e7), {
    default: '100000',
    about: 'Deliveries that may wait for one webhook. Beyond that, it is disabled.',
  }),
  keepMs: setting('WEBHOOK_LOG_DAYS', integer(2, 365), {
    default: '7',
    unit: 'days',
    about: 'Days for which deliveries are retained, at least 2.',
  }),
};
