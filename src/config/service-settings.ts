import {
  baseUrl,
  boolean,
  databaseUrl,
  email,
  headerValue,
  hexadecimal,
  integer,
  listOf,
  networks,
  oneOf,
  origins,
  path,
  secrets,
  text,
} from './formats.ts';
import { inSection, setting } from './setting.ts';
import { signIn } from './sign-in-settings.ts';

/** Services whose URLs can be answered. */
const COMPATIBLE = ['cloudinary', 'imgproxy'] as const;

export const http = {
  ...inSection('Service', {
    port: setting('PORT', integer(0, 65_535), { default: '3000', about: 'Port to listen on; 0 selects a free one.' }),
    host: setting('HOST', text('a host name or an address'), { default: '0.0.0.0', about: 'Address to listen on.' }),
    publicUrl: setting('PUBLIC_URL', baseUrl(), {
      about:
        'Address at which visitors reach the service; `url` fields begin with it. Without it they begin with `/t/`, ' +
        'and the client puts its own base URL in front.',
    }),
    drainDelayMs: setting('DRAIN_DELAY_MS', integer(0, 3_600_000), {
      default: '0',
      about:
        'Time after SIGTERM during which the service continues to accept requests and connections, while `/readyz` ' +
        'is 503 and every response closes its connection. Set it longer than a load balancer takes to notice.',
    }),
    shutdownTimeoutMs: setting('SHUTDOWN_TIMEOUT_MS', integer(0, 3_600_000), {
      default: '20000',
      about: 'Time after SIGTERM for requests in flight, and variants being copied to a bucket, to finish.',
    }),
  }),
  ...inSection('Access', {
    corsOrigins: setting('CORS_ORIGIN', origins(), {
      default: '',
      about:
        'Origins, separated by commas, whose pages may call the endpoints that need a key. Delivery is open to all.',
    }),
    trustedProxies: setting('TRUSTED_PROXIES', networks(), {
      default: '',
      about:
        'Networks (CIDR, separated by commas) whose `X-Forwarded-For`, `X-Forwarded-Proto` and `X-Forwarded-Host` ' +
        'are [read](behind-a-proxy.md#forwarded-headers). `/0` is not accepted.',
    }),
    deliveryMode: setting('DELIVERY_MODE', oneOf(['open', 'signed', 'presets']), {
      default: 'open',
      about:
        '`open`, `signed` (only signed URLs deliver) or `presets` (unsigned URLs may use only named transformations).',
    }),
  }),
  ...inSection('Limits', {
    rateLimit: {
      max: setting('PUBLIC_RATE_LIMIT_MAX', integer(0, 1e9), {
        default: '100',
        about: 'Requests to public endpoints per window and client address. 0: no limit.',
      }),
      windowMs: setting('PUBLIC_RATE_LIMIT_WINDOW_MS', integer(1, 86_400_000), {
        default: '60000',
        about: 'Length of the window.',
      }),
      syncMs: setting('RATE_LIMIT_SYNC_MS', integer(10, 60_000), {
        default: '500',
        about:
          'Interval at which nodes that share a database (`DATABASE_URL`) add up their counts. Together they let a ' +
          'client exceed its limit by at most a fifth per node.',
      }),
    },
    maxConnections: setting('MAX_CONNECTIONS', integer(1, 1e6), { default: '20000', about: 'Open connections.' }),
    maxConnectionsPerAddress: setting('MAX_CONNECTIONS_PER_ADDRESS', integer(1, 1e6), {
      about:
        'Open connections of one client address. Default: a quarter of `MAX_CONNECTIONS`, from 64 to 1000. Addresses ' +
        'in `TRUSTED_PROXIES` have no limit.',
    }),
    maxPipelinedRequests: setting('MAX_PIPELINED_REQUESTS', integer(0, 1e6), {
      default: '5000',
      about: 'Requests that wait for an earlier one on their connection, for all connections together.',
    }),
    headersTimeoutMs: setting('HEADERS_TIMEOUT_MS', integer(100, 3_600_000), {
      default: '15000',
      about: 'Time for a client to send its headers.',
    }),
    socketTimeoutMs: setting('SOCKET_TIMEOUT_MS', integer(1000, 86_400_000), {
      default: '600000',
      about: 'A connection that is idle for this long is closed.',
    }),
    bodyTimeoutMs: setting('BODY_TIMEOUT_MS', integer(100, 3_600_000), {
      default: '30000',
      about: 'Time for a small (JSON) body to arrive.',
    }),
    refusedBodyTimeoutMs: setting('REFUSED_BODY_TIMEOUT_MS', integer(0, 3_600_000), {
      default: '5000',
      about:
        'Time for which a client may continue to send the body of a refused request before its connection is closed.',
    }),
    json: {
      maxBytes: setting('MAX_JSON_SIZE_MB', integer(1, 1024), {
        default: '1',
        unit: 'MB',
        about: 'Size of a JSON body.',
      }),
      maxDepth: setting('MAX_JSON_DEPTH', integer(1, 1000), {
        default: '32',
        about: 'Nesting of lists and objects in a JSON body.',
      }),
      maxValues: setting('MAX_JSON_VALUES', integer(1, 1e6), { default: '10000', about: 'Values in a JSON body.' }),
    },
  }),
  ...inSection('Cache', {
    cacheControl: setting('CACHE_CONTROL', headerValue('a Cache-Control value'), {
      default: 'public, max-age=31536000, must-revalidate',
      about: 'The `Cache-Control` header of originals and variants.',
    }),
    cdn: {
      cacheControl: setting('CDN_CACHE_CONTROL', headerValue('a Cache-Control value'), {
        about:
          'A header for CDNs only, sent as `CDN-Cache-Control` and `Surrogate-Control`, for example ' +
          '`max-age=31536000, stale-while-revalidate=60, stale-if-error=86400` ([more](cdn.md)).',
      }),
      hasTags: setting('CDN_TAGS', boolean(), {
        default: 'false',
        about:
          '`true` adds `Cache-Tag` and `Surrogate-Key`, by which a CDN finds everything that was made from a file or ' +
          'a folder.',
      }),
    },
  }),
};

export const mode = setting('MODE', oneOf(['full', 'api']), {
  default: 'full',
  about: '`full` or `api` (without the [dashboard](dashboard.md), and without a response at `/`).',
});

export const log = {
  level: setting('LOG_LEVEL', oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']), {
    default: 'info',
    about: '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.',
  }),
  format: setting('LOG_FORMAT', oneOf(['auto', 'json', 'pretty']), {
    default: 'auto',
    about: '`json`, `pretty`, or `auto`: pretty on a terminal.',
  }),
  requests: setting('LOG_REQUESTS', oneOf(['all', 'errors']), {
    default: 'all',
    about: 'A line for `all` requests or for `errors` only.',
  }),
};

export const usage = {
  flushMs: setting('USAGE_FLUSH_MS', integer(100, 3_600_000), {
    default: '10000',
    about: 'Interval at which a node stores [usage](audit-and-usage.md#usage). A kill loses what was counted since.',
  }),
};

export const tracing = {
  module: setting('TRACING_MODULE', path('a file'), {
    about:
      'A JavaScript module that sets up an OpenTelemetry SDK ([traces](monitoring.md#traces)). It is loaded before ' +
      'the service starts.',
  }),
};

export const data = {
  directory: setting('DATA_DIR', path('a folder'), {
    default: './data',
    about: 'Folder for originals, variants, temporary files and the database.',
  }),
};

export const fonts = {
  own: setting('FONTS_DIR', path('a folder'), {
    about:
      'Folder with additional fonts (TTF, OTF and collections of these, in subfolders too) for text on images. ' +
      'Default: `DATA_DIR/fonts`, if it exists. WOFF is not supported. Fonts are read at the start.',
  }),
};

export const database = {
  url: setting('DATABASE_URL', databaseUrl(), {
    secret: true,
    about:
      'A PostgreSQL database (14 or later) instead of the file in `DATA_DIR`: ' +
      '`postgres://user:password@host:5432/darkroom`. It needs a bucket. See [clusters](cluster.md).',
  }),
  sessionUrl: setting('DATABASE_SESSION_URL', databaseUrl(), {
    secret: true,
    about:
      'The same database without a pooler in between, for the one connection of each node that has to stay the same. ' +
      'Default: `DATABASE_URL`.',
  }),
  poolMax: setting('DATABASE_POOL_MAX', integer(1, 1000), {
    default: '5',
    about: 'Connections to PostgreSQL that the requests of a node share.',
  }),
  migrate: setting('DATABASE_MIGRATE', oneOf(['auto', 'off']), {
    default: 'auto',
    about:
      '`auto`: the start migrates the tables. `off`: only `npm run admin -- migrate` does, and the service does not ' +
      'start while they are out of date.',
  }),
  waitMs: setting('DATABASE_WAIT_MS', integer(0, 60_000), {
    default: '2000',
    about: 'Time for which a request waits while another process locks the database; then 503. Only for SQLite.',
  }),
};

export const auth = {
  secret: setting('API_SECRET', text('at least 16 characters', 16), {
    secret: true,
    about: 'Signs delivery URLs and presigned uploads; at least 16 characters. Without it neither is available.',
  }),
  replacedSecrets: setting('API_SECRET_OLD', secrets(16, 5), {
    secret: true,
    default: '',
    about:
      'Earlier values of `API_SECRET`, separated by commas, newest first; at most 5. URLs and uploads signed with them ' +
      'stay valid; nothing is signed with them.',
  }),
  signatureMaxSeconds: setting('SIGNATURE_MAX_EXPIRES_IN', integer(1, 1e9), {
    default: '3600',
    about:
      'Longest lifetime of a presigned upload, in seconds. One that expires later is refused, regardless of who ' +
      'signed it.',
  }),
  firstKey: setting('API_KEY', text('at least 32 characters', 32), {
    secret: true,
    about:
      'An API key with this value, at least 32 characters, with all permissions, which each start stores in the ' +
      'database and enables. Without it, and if there is no key yet, the start creates one and prints it.',
  }),
  admin: {
    email: setting('ADMIN_EMAIL', email(), {
      about: 'E-mail address of the admin account, which is created if there is none. Needs `ADMIN_PASSWORD`.',
    }),
    password: setting('ADMIN_PASSWORD', text('8 to 128 characters', 8, 128), {
      secret: true,
      about: 'Password of the admin account, 8 to 128 characters. Needs `ADMIN_EMAIL`.',
    }),
    name: setting('ADMIN_NAME', text('a name'), { default: 'Admin', about: 'Name of the admin account.' }),
  },
  maxQueuedSignIns: setting('SIGN_IN_QUEUE_MAX', integer(0, 1000), {
    default: '10',
    about:
      'Sign-ins that may wait for their password to be checked, one at a time; one more is 429. Addresses that ' +
      'signed in before have a second queue of this length.',
  }),
  maxSignInFailures: setting('SIGN_IN_FAILURES_MAX', integer(1, 1e6), {
    default: '10',
    about:
      'Consecutive failed sign-ins of one account, from any address; further ones have to wait, up to a minute. For ' +
      'an address that signed in before, only its own failures count.',
  }),
  knownClients: {
    max: setting('SIGN_IN_KNOWN_MAX', integer(0, 10_000), {
      default: '1000',
      about:
        'Addresses (IPv6: networks of 64 bits) of successful sign-ins that are stored, as keyed hashes; beyond that, ' +
        'the oldest is deleted. 0: none.',
    }),
    days: setting('SIGN_IN_KNOWN_DAYS', integer(1, 3650), {
      default: '365',
      about: 'Days after the last sign-in from such an address until it is deleted.',
    }),
  },
  signIn,
};

export const compat = {
  services: setting('COMPAT', listOf(COMPATIBLE), {
    default: '',
    about:
      'Services whose URLs are answered in place, separated by commas: `cloudinary` ' +
      '([how](migrate/cloudinary.md#compatible-urls); not with `DELIVERY_MODE=signed`), `imgproxy` ' +
      '([how](migrate/imgproxy.md)).',
  }),
  imgproxyKeys: setting('IMGPROXY_KEY', hexadecimal(), {
    secret: true,
    about:
      "imgproxy's keys in hexadecimal digits, separated by commas. With keys, its URLs have to be signed. None may " +
      'be `API_SECRET`. Needs `IMGPROXY_SALT`.',
  }),
  imgproxySalts: setting('IMGPROXY_SALT', hexadecimal(), {
    secret: true,
    about: "imgproxy's salts in hexadecimal digits, separated by commas: one for each key. Needs `IMGPROXY_KEY`.",
  }),
};
