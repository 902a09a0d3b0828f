import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from '../config.ts';
import { createProxyCheck } from '../http/admission/client-address.ts';
import { variantMemoryOf } from './derive.ts';

const MEGABYTE = 1024 * 1024;

function linesOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.lines;
    throw error;
  }
  return [];
}

test.each([
  [0.5, 128],
  [2, 128],
  [4, 256],
  [16, 1024],
  [512, 1024],
])('%d GB of memory give %d MB to variants, unless told otherwise', (gigabytes, megabytes) => {
  expect(variantMemoryOf({ memoryBytes: gigabytes * 1024 * MEGABYTE })).toBe(megabytes * MEGABYTE);
  expect(readConfig({ CACHE_MEMORY_MB: '0' }).cache.memoryBytes).toBe(0);
});

describe('without any variable', () => {
  const config = readConfig({});

  test('the service listens on every address, port 3000, in full mode', () => {
    expect(config.http).toMatchObject({ port: 3000, host: '0.0.0.0', publicUrl: undefined });
    expect(config.mode).toBe('full');
  });

  test('everything lies below ./data', () => {
    expect(config.data).toEqual({
      directory: resolve('data'),
      originals: resolve('data/originals'),
      variants: resolve('data/variants'),
      temp: resolve('data/tmp'),
      uploads: resolve('data/uploads'),
      staged: resolve('data/staged'),
      retention: resolve('data/attic'),
      invalidated: resolve('data/invalidated'),
      database: resolve('data/darkroom.db'),
    });
  });

  test('a file may have 50 MB and a request 1,024 MB, of 1024 x 1024 bytes', () => {
    expect(config.upload).toMatchObject({ maxFileBytes: 50 * MEGABYTE, maxRequestBytes: 1024 * MEGABYTE });
  });

  test('pictures have at most 100 megapixels, results 50 and 8,192 pixels a side', () => {
    expect(config.limits).toMatchObject({ inputMegapixels: 100, outputSide: 8192, outputMegapixels: 50 });
  });

  test('variants and originals are cached for a year', () => {
    expect(config.http.cacheControl).toBe('public, max-age=31536000, must-revalidate');
  });

  test('stopping waits 20 seconds for requests in flight', () => {
    expect(config.http.shutdownTimeoutMs).toBe(20_000);
  });

  test('there is a render worker for each CPU and at least two, no secret, no first key and no admin', () => {
    expect(config.render.workers).toBe(Math.max(2, availableParallelism()));
    expect(config.auth).toMatchObject({ secret: undefined, firstKey: undefined, admin: undefined });
  });
});

describe('variables', () => {
  test('that are set win over the defaults', () => {
    const config = readConfig({
      PORT: '8080',
      MODE: 'api',
      DATA_DIR: '/srv/media',
      MAX_FILE_SIZE_MB: '5',
      CACHE_MAX_SIZE_MB: '7',
      PUBLIC_URL: 'https://media.example.org',
    });
    expect(config.http).toMatchObject({ port: 8080, publicUrl: 'https://media.example.org' });
    expect(config.mode).toBe('api');
    expect(config.data.originals).toBe('/srv/media/originals');
    expect(config.upload.maxFileBytes).toBe(5 * MEGABYTE);
    expect(config.cache.maxBytes).toBe(7 * MEGABYTE);
  });

  test('that are empty count as absent', () => {
    expect(readConfig({ PORT: '', API_SECRET: '', PUBLIC_URL: '' })).toEqual(readConfig({}));
  });

  test('that nobody knows are none of our business', () => {
    expect(readConfig({ PATH: '/bin', SHELL: '/bin/sh' })).toEqual(readConfig({}));
  });

  test('PUBLIC_URL loses the slash at its end', () => {
    expect(readConfig({ PUBLIC_URL: 'https://media.example.org/files//' }).http.publicUrl).toBe(
      'https://media.example.org/files',
    );
  });

  test('of the admin account belong together; the name has a default', () => {
    const admin = { ADMIN_EMAIL: 'me@example.org', ADMIN_PASSWORD: 'long enough' };
    expect(readConfig(admin).auth.admin).toEqual({
      email: 'me@example.org',
      password: 'long enough',
      name: 'Admin',
    });
    expect(linesOf({ ADMIN_EMAIL: admin.ADMIN_EMAIL })).toEqual([
      'ADMIN_PASSWORD: expected a value because ADMIN_EMAIL is set, received nothing',
    ]);
    expect(linesOf({ ADMIN_PASSWORD: admin.ADMIN_PASSWORD })).toEqual([
      'ADMIN_EMAIL: expected a value because ADMIN_PASSWORD is set, received nothing',
    ]);
  });
});

describe('the variables of PostgreSQL', () => {
  const bucket = { STORAGE_BUCKET_NAME: 'media', STORAGE_ACCESS_KEY_ID: 'id', STORAGE_SECRET_ACCESS_KEY: 'secret' };
  const DATABASE_URL = 'postgres://me:hidden@db.example/darkroom';

  test('name a database; its session is reached in the same way unless told otherwise', () => {
    const { database } = readConfig({ DATABASE_URL, ...bucket });
    expect(database).toEqual({
      url: DATABASE_URL,
      sessionUrl: DATABASE_URL,
      poolMax: 5,
      migrate: 'auto',
      waitMs: 2000,
    });
    const DATABASE_SESSION_URL = 'postgresql://db.example:6432/darkroom?sslmode=require';
    const settings = { DATABASE_URL, DATABASE_SESSION_URL, ...bucket };
    expect(readConfig(settings).database.sessionUrl).toBe(DATABASE_SESSION_URL);
    expect(readConfig({}).database).toMatchObject({ url: undefined, sessionUrl: undefined });
  });

  test('need a bucket, where the files of several machines are', () => {
    expect(linesOf({ DATABASE_URL })).toEqual([
      'STORAGE_BUCKET_NAME: expected a bucket for the files because DATABASE_URL is set, received nothing',
    ]);
    expect(linesOf({ JOB_WORKER: 'false' })).toEqual([
      'JOB_WORKER: expected true because without DATABASE_URL no other node runs jobs, received "false"',
    ]);
    expect(readConfig({ DATABASE_URL, ...bucket, JOB_WORKER: 'false' }).video.hasWorker).toBe(false);
    expect(linesOf({ DATABASE_SESSION_URL: DATABASE_URL })).toEqual([
      'DATABASE_URL: expected a value because DATABASE_SESSION_URL is set, received nothing',
    ]);
  });

  test.each([
    'mysql://me:hidden@db/darkroom',
    'postgres://me:hidden@db',
    'me:hidden@db/darkroom',
    'postgres://me:hidden@:x/d',
  ])('%s is none, and its password is not shown', (url) => {
    const [line = ''] = linesOf({ DATABASE_URL: url, ...bucket });
    expect(line).toMatch(
      /^DATABASE_URL: expected the URL of a PostgreSQL database, .*received a value of \d+ characters$/,
    );
    expect(line).not.toContain('hidden');
  });
});

describe('the variables of purges', () => {
  const url = 'https://api.example.com/zones/1/purge_cache?dry=1';
  const purging = { CDN_TAGS: 'true', CDN_PURGE_URL: url };

  test('name a CDN; without an address nobody is told', () => {
    expect(readConfig({ CDN_TAGS: 'true' }).purges).toBeUndefined();
    expect(readConfig({ ...purging, CDN_PURGE_STYLE: 'cloudflare', CDN_PURGE_TOKEN: 'a token' }).purges).toEqual({
      url,
      style: 'cloudflare',
      token: 'a token',
      delayMs: 1000,
      retryMax: 40,
      retryDelayMs: 1000,
      maxWaiting: 10_000,
    });
  });

  test('need the tags, and a token needs an address', () => {
    expect(linesOf({ CDN_PURGE_URL: url })).toEqual([
      'CDN_TAGS: expected true because CDN_PURGE_URL is set and a CDN purges by tags, received another value',
    ]);
    for (const name of ['CDN_PURGE_TOKEN', 'CDN_PURGE_STYLE']) {
      expect(linesOf({ [name]: 'fastly' })).toEqual([
        `CDN_PURGE_URL: expected a value because ${name} is set, received nothing`,
      ]);
    }
  });

  test.each(['https://me:hidden@cdn.example', 'ftp://cdn.example/hidden', 'https://cdn.example/#hidden', 'hidden'])(
    '%s is no address, and is not shown',
    (wrong) => {
      const [line = ''] = linesOf({ ...purging, CDN_PURGE_URL: wrong });
      expect(line).toMatch(/^CDN_PURGE_URL: expected an http or https URL .*, received a value of \d+ characters$/);
    },
  );

  test('a token that no header can have is not shown', () => {
    const [line = ''] = linesOf({ ...purging, CDN_PURGE_TOKEN: 'hidden\n' });
    expect(line).toBe('CDN_PURGE_TOKEN: expected the value of a header, received a value of 7 characters');
  });
});

describe('the variables of a bucket', () => {
  const bucket = { STORAGE_BUCKET_NAME: 'media', STORAGE_ACCESS_KEY_ID: 'id', STORAGE_SECRET_ACCESS_KEY: 'secret' };

  test('are all three there, or none', () => {
    expect(readConfig({}).storage).toEqual({ kind: 'disk' });
    expect(readConfig(bucket).storage).toMatchObject({
      bucket: 'media',
      region: 'auto',
      endpoint: undefined,
      prefix: '',
    });
    expect(linesOf({ STORAGE_BUCKET_NAME: 'media' })).toEqual([
      'STORAGE_ACCESS_KEY_ID: expected a value because STORAGE_BUCKET_NAME is set, received nothing',
      'STORAGE_SECRET_ACCESS_KEY: expected a value because STORAGE_BUCKET_NAME is set, received nothing',
    ]);
  });

  test('make originals be asked for less often, unless told otherwise', () => {
    expect(readConfig({}).cache.originalCheckMs).toBe(1000);
    expect(readConfig(bucket).cache.originalCheckMs).toBe(10_000);
    expect(readConfig({ ...bucket, ORIGINAL_CHECK_INTERVAL_MS: '0' }).cache.originalCheckMs).toBe(0);
  });

  test('make the catalog be compared with them less often, unless told otherwise', () => {
    expect(readConfig({}).catalog.scanMs).toBe(3_600_000);
    expect(readConfig(bucket).catalog.scanMs).toBe(6 * 3_600_000);
    expect(readConfig({ ...bucket, CATALOG_SCAN_INTERVAL_MIN: '0' }).catalog.scanMs).toBe(0);
  });

  test('a prefix may be given with a slash at its end', () => {
    expect(readConfig({ ...bucket, STORAGE_PREFIX: 'sites/one' }).storage).toMatchObject({ prefix: 'sites/one/' });
    expect(readConfig({ ...bucket, STORAGE_PREFIX: 'sites/one/' }).storage).toMatchObject({ prefix: 'sites/one/' });
    expect(linesOf({ ...bucket, STORAGE_PREFIX: '/sites' })).toHaveLength(1);
  });
});

describe('a wrong variable', () => {
  test.each([
    ['PORT', '70000', 'PORT: expected a whole number from 0 to 65535, received "70000"'],
    ['PORT', '-1', 'PORT: expected a whole number from 0 to 65535, received "-1"'],
    ['PORT', '80.5', 'PORT: expected a whole number from 0 to 65535, received "80.5"'],
    ['PORT', ' 80', 'PORT: expected a whole number from 0 to 65535, received " 80"'],
    ['PORT', '0x50', 'PORT: expected a whole number from 0 to 65535, received "0x50"'],
    ['MODE', 'dashboard', 'MODE: expected one of full, api, received "dashboard"'],
    ['PUBLIC_URL', 'ftp://a.example', 'PUBLIC_URL: expected an http or https URL, received "ftp://a.example"'],
    ['PUBLIC_URL', 'media.example', 'PUBLIC_URL: expected an http or https URL, received "media.example"'],
    ['ADMIN_EMAIL', 'me', 'ADMIN_EMAIL: expected an e-mail address, received "me"'],
    ['RENDER_WORKERS', '0', 'RENDER_WORKERS: expected a whole number from 1 to 256, received "0"'],
    ['MAX_FILE_SIZE_MB', 'fifty', 'MAX_FILE_SIZE_MB: expected a whole number from 1 to 1000000, received "fifty"'],
    ['CACHE_CONTROL', 'a\nb', 'CACHE_CONTROL: expected a Cache-Control value, received "a\\nb"'],
    ['CACHE_CONTROL', 'öffentlich', 'CACHE_CONTROL: expected a Cache-Control value, received "öffentlich"'],
    ['LOG_LEVEL', 'a\nb', expect.stringMatching(/^LOG_LEVEL: expected one of trace, .*, received "a\\nb"$/)],
  ])('%s=%j gives one line with its name, what was expected and what was received', (name, value, line) => {
    const lines = linesOf({ [name]: value, ...(name === 'ADMIN_EMAIL' && { ADMIN_PASSWORD: 'long enough' }) });
    expect(lines).toEqual([line]);
  });

  test('is reported together with all others, one line each', () => {
    const lines = linesOf({
      PORT: 'http',
      MODE: 'x',
      API_SECRET: 'short',
      ADMIN_EMAIL: 'me@example.org',
      RENDER_TIMEOUT_MS: '1',
    });
    expect(lines.map((line) => line.slice(0, line.indexOf(':'))).toSorted()).toEqual([
      'ADMIN_PASSWORD',
      'API_SECRET',
      'MODE',
      'PORT',
      'RENDER_TIMEOUT_MS',
    ]);
    for (const line of lines) expect(line).toMatch(/^[A-Z_]+: expected .+, received [^\n]+$/);
  });

  test('that is a secret is never shown', () => {
    const environment = {
      API_SECRET: 'hunter2',
      API_KEY: 'abcdefgh',
      ADMIN_PASSWORD: 'pa55',
      ADMIN_EMAIL: 'a@b.example',
    };
    const lines = linesOf(environment);
    expect(lines).toEqual([
      'API_SECRET: expected at least 16 characters, received a value of 7 characters',
      'API_KEY: expected at least 32 characters, received a value of 8 characters',
      'ADMIN_PASSWORD: expected 8 to 128 characters, received a value of 4 characters',
    ]);
  });
});

test('nobody can change the configuration, at any depth', () => {
  const config = readConfig({ ADMIN_EMAIL: 'me@example.org', ADMIN_PASSWORD: 'long enough' });
  expect(Object.isFrozen(config)).toBe(true);
  for (const room of Object.values(config)) expect(Object.isFrozen(room)).toBe(true);
  expect(Object.isFrozen(config.auth.admin)).toBe(true);
});

describe('access', () => {
  test('by default any transformation is open, 100 requests a minute pass, and no proxy or other origin is trusted', () => {
    expect(readConfig({}).http).toMatchObject({
      deliveryMode: 'open',
      rateLimit: { max: 100, windowMs: 60_000 },
      trustedProxies: [],
      corsOrigins: [],
    });
  });

  test('presets and lists are read', () => {
    const { http, limits } = readConfig({
      PRESETS: 'thumb=w_200,h_200,c_fill; hero=w_1600;',
      TRUSTED_PROXIES: '10.0.0.0/8, ::1',
      CORS_ORIGIN: 'https://a.example,http://localhost:5173',
    });
    expect(limits.presets).toEqual({ thumb: 'w_200,h_200,c_fill', hero: 'w_1600' });
    expect(http.trustedProxies).toEqual(['10.0.0.0/8', '::1']);
    expect(http.corsOrigins).toEqual(['https://a.example', 'http://localhost:5173']);
  });

  test.each([
    ['PRESETS', 'thumb'],
    ['PRESETS', 'a b=w_1'],
    ['PRESETS', 'a=w_1;a=w_2'],
    ['TRUSTED_PROXIES', 'proxy.example'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['TRUSTED_PROXIES', '0.0.0.0/0'],
    ['TRUSTED_PROXIES', '::1,::/0'],
    ['TRUSTED_PROXIES', 'loopback'],
    ['TRUSTED_PROXIES', '10.0.0.0/255.0.0.0'],
    ['CORS_ORIGIN', 'www.example.com'],
    ['CORS_ORIGIN', 'https://www.example.com/'],
    ['DELIVERY_MODE', 'closed'],
  ])('%s=%s is refused', (name, value) => {
    expect(linesOf({ [name]: value })).toEqual([
      expect.stringMatching(
        new RegExp(`^${name}: expected .+, received "${value.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}"$`),
      ),
    ]);
  });

  const networks = (address: string, bits: number) =>
    Array.from({ length: bits }, (_, n) => `${address}/${n + 1}`).join();

  test.each(['127.0.0.1', networks('10.0.0.1', 32), '::1', networks('fd00::1', 128), networks('::ffff:10.0.0.1', 128)])(
    'TRUSTED_PROXIES=%s is what the reader of forwarded addresses takes',
    (value) => {
      const { trustedProxies } = readConfig({ TRUSTED_PROXIES: value }).http;
      expect(createProxyCheck(trustedProxies)(trustedProxies[0]?.replace(/\/.*/, '') ?? '')).toBe(true);
    },
  );

  test('signed delivery needs a secret', () => {
    expect(linesOf({ DELIVERY_MODE: 'signed' })).toEqual([
      'API_SECRET: expected a value because DELIVERY_MODE is signed, received nothing',
    ]);
  });

  test('imgproxy has other keys than our own texts', () => {
    const secret = 'a secret of 16 bytes and more';
    const key = Buffer.from(secret).toString('hex').toUpperCase();
    const given = { API_SECRET: secret, COMPAT: 'imgproxy', IMGPROXY_SALT: 'aa,bb' };
    expect(linesOf({ ...given, IMGPROXY_KEY: `aabb,${key}` })).toEqual([
      'IMGPROXY_KEY: expected other keys than API_SECRET, which signs texts of other purposes, received it',
    ]);
    expect(linesOf({ ...given, IMGPROXY_KEY: `aabb,${key}00` })).toEqual([]);
  });
});
