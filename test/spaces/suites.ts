import type { Suite } from './same-tests.ts';

const METRICS = '`/metrics` belongs to the installation.';
const HAS_SECRET = 'A space always has a secret.';
const NAMED_SIGNATURE = 'A signature for uploads names its space.';
const MAKES_SPACES = 'It makes spaces.';
const PLACED_LATE = 'Files are written into a space after the first comparison, so the catalog lacks them.';

/** The suites of the API that run again inside a space, in four groups. `IN_LIBRARY_ONLY` has all others. */
export const STORAGE: readonly Suite[] = [
  { name: 'storage', tests: () => import('../api/storage.test.ts') },
  { name: 'delete', tests: () => import('../api/delete.test.ts') },
  { name: 'folders', tests: () => import('../api/folders.test.ts') },
  { name: 'batch', tests: () => import('../api/batch.test.ts') },
  {
    name: 'assets',
    tests: () => import('../api/assets.test.ts'),
    inLibraryOnly: [['files are described, and what is known of them can be asked for', METRICS]],
  },
  { name: 'asset-search', tests: () => import('../api/asset-search.test.ts') },
  { name: 'asset-cursors', tests: () => import('../api/asset-cursors.test.ts') },
  { name: 'listing', tests: () => import('../api/listing.test.ts') },
  { name: 'trash', tests: () => import('../api/trash.test.ts') },
  {
    name: 'redirects',
    isByHostAlone: true,
    tests: () => import('../api/redirects.test.ts'),
    inLibraryOnly: [
      ['has the ETag, the tags and the caching of the file, and follows its changes', 'Tags are of the library.'],
      ['a signature is over the requested path', HAS_SECRET],
      ['redirects are bounded', 'It writes rows of the library.'],
    ],
  },
  { name: 'versions', tests: () => import('../api/versions.test.ts') },
  {
    name: 'stats',
    tests: () => import('../api/stats.test.ts'),
    inLibraryOnly: [
      ['counts originals and variants, at once after every change', 'A space counts its variants once a minute.'],
    ],
  },
  { name: 'decomposed-names', tests: () => import('../api/decomposed-names.test.ts') },
  { name: 'late-names', tests: () => import('../api/late-names.test.ts') },
  { name: 'linked-folders', tests: () => import('../api/linked-folders.test.ts') },
];

export const DELIVERY: readonly Suite[] = [
  { name: 'delivery', tests: () => import('../api/delivery.test.ts') },
  { name: 'ranges', tests: () => import('../api/ranges.test.ts') },
  { name: 'conditional', tests: () => import('../api/conditional.test.ts') },
  { name: 'caching', tests: () => import('../api/caching.test.ts') },
  { name: 'cache-races', isByHostAlone: true, tests: () => import('../api/cache-races.test.ts') },
  {
    name: 'layers',
    tests: () => import('../api/layers.test.ts'),
    inLibraryOnly: [
      ['is among the tags of the answer', 'Tags are made of the paths of the library: `cdn-tags.test.ts`.'],
    ],
  },
  { name: 'missing-files', tests: () => import('../api/missing-files.test.ts') },
  { name: 'fast-path', tests: () => import('../api/fast-path.test.ts') },
  {
    name: 'fast-path-missing',
    isByHostAlone: true,
    tests: () => import('../api/fast-path-missing.test.ts'),
    inLibraryOnly: [['it is counted like one of the normal path', METRICS]],
  },
  {
    name: 'signed-delivery',
    tests: () => import('../api/signed-delivery.test.ts'),
    inLibraryOnly: [['is 500 without a secret, and then the form still counts first', HAS_SECRET]],
  },
  {
    name: 'delivery-sign',
    tests: () => import('../api/delivery-sign.test.ts'),
    inLibraryOnly: [['needs API_SECRET', HAS_SECRET]],
    byPrefixOnly: ['begins with PUBLIC_URL'],
  },
  {
    name: 'credentials',
    tests: () => import('../api/credentials.test.ts'),
    inLibraryOnly: [['GET /metrics', METRICS]],
  },
  { name: 'refused-signatures', tests: () => import('../api/refused-signatures.test.ts') },
  { name: 'download', tests: () => import('../api/download.test.ts') },
  {
    name: 'download-tickets',
    tests: () => import('../api/download-tickets.test.ts'),
    byPrefixOnly: ['begins with PUBLIC_URL'],
  },
  { name: 'escapes', tests: () => import('../api/escapes.test.ts') },
  { name: 'errors', tests: () => import('../api/errors.test.ts') },
  { name: 'refusals', tests: () => import('../api/refusals.test.ts') },
  {
    name: 'compat/imgproxy',
    tests: () => import('../api/compat/imgproxy.test.ts'),
    inLibraryOnly: [[/^are (not )?fetched /, 'Old hosts are those of the library.']],
  },
  {
    name: 'compat/cloudinary',
    isByHostAlone: true,
    tests: () => import('../api/compat/cloudinary.test.ts'),
    inLibraryOnly: [
      ['/demo/image/upload/w_40/IMG_1 is jpeg 40x27', PLACED_LATE],
      ['are told apart by the extension, else by the table of types, which a header says', PLACED_LATE],
    ],
  },
  { name: 'compat/found-names', tests: () => import('../api/compat/found-names.test.ts') },
];

export const UPLOADS: readonly Suite[] = [
  { name: 'upload', tests: () => import('../api/upload.test.ts') },
  { name: 'upload-types', tests: () => import('../api/upload-types.test.ts') },
  { name: 'upload-requests', tests: () => import('../api/upload-requests.test.ts') },
  {
    name: 'upload-url',
    tests: () => import('../api/upload-url.test.ts'),
    inLibraryOnly: [['the library and all spaces share the fetches and their queue', MAKES_SPACES]],
  },
  { name: 'existing', tests: () => import('../api/existing.test.ts') },
  { name: 'prewarm', tests: () => import('../api/prewarm.test.ts') },
  { name: 'presigned-prewarm', isByHostAlone: true, tests: () => import('../api/presigned-prewarm.test.ts') },
  {
    name: 'signed-upload',
    tests: () => import('../api/signed-upload.test.ts'),
    inLibraryOnly: [
      [/ signs ".*" for \d+ seconds$/, NAMED_SIGNATURE],
      ['signing and presigned uploads are 500', HAS_SECRET],
    ],
  },
  {
    name: 'signature-purposes',
    tests: () => import('../api/signature-purposes.test.ts'),
    inLibraryOnly: [
      ['made for a folder that reads like a delivery text delivers nothing, nor tells of a video', NAMED_SIGNATURE],
    ],
  },
  { name: 'resumable-uploads', tests: () => import('../api/resumable-uploads.test.ts') },
  { name: 'anonymous-uploads', isByHostAlone: true, tests: () => import('../api/anonymous-uploads.test.ts') },
];

export const QUEUE: readonly Suite[] = [
  {
    name: 'queue',
    tests: () => import('../api/queue.test.ts'),
    byPrefixOnly: ['begins with PUBLIC_URL'],
  },
  { name: 'video-queue', isByHostAlone: true, tests: () => import('../api/video-queue.test.ts') },
  { name: 'video-status', tests: () => import('../api/video-status.test.ts') },
  {
    name: 'signed-video',
    isByHostAlone: true,
    tests: () => import('../api/signed-video.test.ts'),
    inLibraryOnly: [
      [
        'the status of a signed URL is the usual one, open to all; a folder may begin with "s--"',
        'Next to spaces, which may withhold files, a status has the signature of its URL.',
      ],
    ],
  },
  { name: 'video-library', tests: () => import('../api/video-library.test.ts') },
  {
    name: 'events',
    tests: () => import('../api/events.test.ts'),
    inLibraryOnly: [['of the library and of all spaces are counted together', MAKES_SPACES]],
  },
];

/** Suites that run on a bucket and PostgreSQL too: some of each group, those that store few files there. */
const ON_CLUSTER: readonly string[] = [
  'asset-cursors',
  'asset-search',
  'assets',
  'batch',
  'conditional',
  'delete',
  'delivery',
  'download',
  'folders',
  'layers',
  'queue',
  'ranges',
  'resumable-uploads',
  'signed-upload',
  'storage',
  'trash',
  'upload',
  'upload-types',
  'versions',
  'video-queue',
];
/** The slowest of them. */
const BY_HOST_ON_CLUSTER: readonly string[] = ['download', 'storage'];

/** Returns those of a group that run on a bucket and PostgreSQL. */
export function onCluster(entrance: 'host' | 'prefix', ...groups: readonly (readonly Suite[])[]): Suite[] {
  return groups
    .flat()
    .filter(({ name }) => ON_CLUSTER.includes(name) && (entrance === 'host' || !BY_HOST_ON_CLUSTER.includes(name)));
}

/** Tests of these suites that are about the disk, or about one cache alone. */
export const ON_ONE_MACHINE: readonly string[] = [
  'sorts by the time of the last change',
  "removes a file with its variants, and nobody else's",
  'of a folder needs recursive=true',
  'clears the variants and keeps the original',
  'of a folder clears those of all files in it',
  'POST /storage/cache/clear clears every variant',
  'moves a file into the trash: it is no more listed, served, counted or downloaded',
  'a 304 touches no pixel, also when the variant is gone from the cache',
];

/** All other suites of the API, by the reason for which they do not run inside a space. */
export const IN_LIBRARY_ONLY: Readonly<Record<string, readonly string[]>> = {
  'People, keys and sessions belong to the installation.': [
    'access',
    'account',
    'api-keys',
    'audit',
    'auth',
    'import-openinary',
    'invitations',
    'members',
    'oidc',
    'sign-in',
    'two-factor',
    'unknown-fields',
  ],
  'Health, settings, figures and documents are those of the installation.': [
    'dashboard',
    'guide',
    'health',
    'history',
    'openapi',
    'root',
    'settings',
    'transformations',
    'usage',
  ],
  'It is about connections, hosts and requests before a space is known.': [
    'adding-an-endpoint',
    'connections',
    'empty-bodies',
    'endpoints',
    'forwarded-headers',
    'host',
    'json-bodies',
    'pipelining',
  ],
  'The limits and resources that it exhausts are shared by all spaces.': [
    'clock',
    'eviction',
    'fast-path-disk',
    'full-disk',
    'load',
    'render-fairness',
    'streams',
    'upload-capacity',
    'video-full-disk',
  ],
  'It takes the database or the tables of the installation away.': ['broken-catalog', 'focal-point', 'locked-database'],
  'Its messages, purges and previous hosts name paths of the library; spaces have tests of their own.': [
    'cdn-headers',
    'changes',
    'pull-through',
    'purges',
    'rate-limit',
  ],
  'It generates requests for long; `border-mutations` and `hostile-requests` do so across the border of a space.': [
    'fuzz',
    'library-model',
    'redirects-model',
    'random-urls',
  ],
  'It spends its time on pixels and sound: what a space changes ends before a render begins.': [
    'animation',
    'animation-video',
    'best-format',
    'facts',
    'findings',
    'fonts',
    'format-limits',
    'image-bytes',
    'images',
    'limits',
    'matrix',
    'pages',
    'previews',
    'sounds',
    'storyboard-cues',
    'storyboards',
    'streaming',
    'streaming-access',
    'streaming-changes',
    'streaming-together',
    'video',
    'video-alpha',
    'video-frames',
    'video-layers',
    'video-limits',
  ],
};
