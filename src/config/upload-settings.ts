import { folderUrls, integer, networks } from './formats.ts';
import { setting } from './setting.ts';

export const pull = {
  origins: setting('ORIGINS', folderUrls(), {
    default: '',
    about:
      '`folder=URL` pairs, separated by commas: sources of files that are requested in a folder and not stored yet ' +
      '([from an old host](migrate/old-host.md)).',
  }),
  maxBytes: setting('ORIGINS_MAX_MB', integer(0, 1e9), {
    default: '10240',
    unit: 'MB',
    about: 'Total size of the files that are fetched and stored; beyond that, 503 (`origins_full`). 0: no limit.',
  }),
  maxConcurrent: setting('ORIGINS_MAX_CONCURRENT', integer(1, 1000), {
    default: '8',
    about: 'Such files that are fetched in parallel. 256 more wait for up to 30 seconds.',
  }),
  timeoutMs: setting('ORIGINS_TIMEOUT_MS', integer(100, 3_600_000), {
    default: '60000',
    about: 'Time for such a file to arrive.',
  }),
};

export const outgoing = {
  privateNetworks: setting('OUTGOING_PRIVATE_NETWORKS', networks(), {
    default: '',
    about:
      'Private networks (CIDR, separated by commas) that the service may connect to when a client names a URL ' +
      '([uploads](storage-api.md#from-a-url), [webhooks](webhooks.md)). By default it connects to public addresses ' +
      'only. Hosts in the configuration itself, such as that of `CDN_PURGE_URL`, are not restricted.',
  }),
};

export const upload = {
  maxFileBytes: setting('MAX_FILE_SIZE_MB', integer(1, 1e6), {
    default: '50',
    unit: 'MB',
    about: 'Size of an uploaded file.',
  }),
  maxRequestBytes: setting('MAX_REQUEST_SIZE_MB', integer(1, 1e6), {
    default: '1024',
    unit: 'MB',
    about: 'Size of a whole upload request.',
  }),
  maxFiles: setting('MAX_FILES_PER_UPLOAD', integer(1, 100_000), {
    default: '1000',
    about: 'Files in an upload request.',
  }),
  maxTempBytes: setting('UPLOAD_TEMP_MAX_MB', integer(1, 1e9), {
    default: '4096',
    unit: 'MB',
    about:
      'Temporary files of all uploads in progress; beyond that, 503. A tenth of it, or `MAX_FILE_SIZE_MB` if that is ' +
      'more, is reserved for uploads with a key or a session. Never less than ten ninths of `MAX_FILE_SIZE_MB`.',
  }),
  maxTempBytesPerClient: setting('UPLOAD_TEMP_MAX_MB_PER_CLIENT', integer(1, 1e9), {
    unit: 'MB',
    about:
      'Temporary files of one client address without a key or a session; beyond that, 503. Default: a quarter of ' +
      '`UPLOAD_TEMP_MAX_MB`, but at least `MAX_REQUEST_SIZE_MB`. Never less than `MAX_FILE_SIZE_MB`, and never more ' +
      'than nine tenths of `UPLOAD_TEMP_MAX_MB`.',
  }),
  maxUnauthenticatedBytes: setting('UPLOAD_UNPROVEN_MAX_MB', integer(1, 1e9), {
    default: '256',
    unit: 'MB',
    about: 'Temporary files that arrived without a key and before their signature.',
  }),
  maxUnauthenticatedPerClient: setting('UPLOAD_UNPROVEN_MAX_PER_CLIENT', integer(1, 10_000), {
    default: '2',
    about: 'Such uploads of one client address in parallel; one more is 429.',
  }),
  minBytesPerSecond: setting('UPLOAD_MIN_RATE_KB', integer(1, 1e6), {
    default: '32',
    unit: 'KB',
    about: 'Minimum average rate of an upload, in KB per second; below that, 408.',
  }),
  graceMs: setting('UPLOAD_GRACE_MS', integer(100, 3_600_000), {
    default: '60000',
    about:
      'Additional time for any upload. A body that arrived fast may be slower than `UPLOAD_MIN_RATE_KB` for at most ' +
      'ten times as long.',
  }),
  maxFetches: setting('UPLOAD_URL_MAX_CONCURRENT', integer(1, 1000), {
    default: '8',
    about: 'Files that are [fetched from URLs](storage-api.md#from-a-url) in parallel. 32 more wait.',
  }),
  resumable: {
    maxOpen: setting('UPLOAD_RESUMABLE_MAX', integer(1, 100_000), {
      default: '1000',
      about:
        'Open [resumable uploads](resumable-uploads.md); beyond that, 503. Presigned ones may use nine tenths of it. ' +
        'As many results of completed ones are retained.',
    }),
    maxOpenPerClient: setting('UPLOAD_RESUMABLE_MAX_PER_CLIENT', integer(1, 100_000), {
      default: '20',
      about:
        'Open resumable uploads of one client address, counted separately for those with a key or a session and ' +
        'presigned ones; one more is 429.',
    }),
    expiresMs: setting('UPLOAD_RESUMABLE_HOURS', integer(1, 8760), {
      default: '24',
      unit: 'hours',
      about:
        'Hours for a resumable upload, plus the time that a large one takes at `UPLOAD_MIN_RATE_KB`. Its result is ' +
        'available for as long.',
    }),
    emptyMs: setting('UPLOAD_RESUMABLE_EMPTY_MINUTES', integer(1, 525_600), {
      default: '5',
      unit: 'minutes',
      about: 'Minutes for the first megabyte of a presigned resumable upload.',
    }),
    idleMs: setting('UPLOAD_RESUMABLE_IDLE_MINUTES', integer(1, 525_600), {
      default: '60',
      unit: 'minutes',
      about: 'Minutes for each further megabyte of it.',
    }),
  },
};
