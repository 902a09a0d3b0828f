import { once } from 'node:events';
import http from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Contract, type DocumentedOperation } from '../contract.ts';
import { ask, askRaw, fixture } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';
import { FROM_ANYWHERE, signIn } from '../session.ts';

const ADMIN = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'a long enough password' };
const SETTINGS = { ...ADMIN, API_SECRET: 'test-secret-at-least-16-chars-long', SIGN_IN_QUEUE_MAX: '1000' };
const FILE = 'folder/alpha.png';
const CONCURRENT = 8;

/** No response may contain it, in any position. */
const FOREIGN = 'evil.example';

/** Each is sent in every header. A list sends the same header twice. */
const FORMS: readonly (string | readonly string[])[] = [
  ...['', ' ', ' , ,', '"', '%00', '-1', '80', '65536', 'null', '__proto__'],
  ...['http', 'https', 'HTTPS', '\t https \t', 'https,', 'https, http', 'http,https'],
  ...['javascript', 'ftp', 'wss', 'https:', 'https, javascript', 'javascript, https', 'http\u00e9'],
  ...[FOREIGN, `${FOREIGN}:8443`, `${FOREIGN}:70000`, `${FOREIGN}, ${FOREIGN}`, `me@${FOREIGN}`, `a b.${FOREIGN}`],
  ...[`https://${FOREIGN}/`, `//${FOREIGN}/`, `/${FOREIGN}`, `javascript://${FOREIGN}`],
  ...['203.0.113.66:567', '2001:db8::66', '[2001:db8::66]:80', '[::1', '::ffff:203.0.113.66'],
  ...['fe80::1%eth0', '999.1.1.1', '1.1.1.1, unknown, 127.0.0.1', '_hidden'],
  `for="[2001:db8::66]:80";host=${FOREIGN};proto=javascript, for=unknown;proto=ftp`,
  ['https', 'javascript'],
  ['javascript', 'https'],
  [FOREIGN, FOREIGN],
];

/** Nearly the maximum total size of a request's headers. */
const LONG = 15_000;
const longForms = (length: number): readonly string[] => [
  ','.repeat(length),
  'x'.repeat(length),
  `${' '.repeat(length)}https`,
  '127.0.0.1,'.repeat(length / 10),
  `${FOREIGN},`.repeat(length / 13),
  'for=127.0.0.1;'.repeat(length / 14),
];

const HOST = 'X-Forwarded-Host';
const HEADERS = ['X-Forwarded-Proto', 'X-Forwarded-Port', 'Forwarded', 'X-Forwarded-For'] as const;
/** Other headers that tell some servers of another URL or method. */
const OTHERS = {
  'X-Original-URL': `https://${FOREIGN}/livez`,
  'X-Rewrite-URL': `//${FOREIGN}/livez`,
  'X-Forwarded-Prefix': `/${FOREIGN}`,
  'X-Forwarded-Server': FOREIGN,
  'X-Forwarded-Scheme': 'javascript',
  'X-Original-Host': FOREIGN,
  'X-Real-IP': '203.0.113.66',
  'X-HTTP-Method-Override': 'DELETE',
};

type Headers = Record<string, string | readonly string[]>;

/** Returns requests with one value for each header; long ones share the space, and one has the maximum length. */
function requestsOf(headers: readonly string[]): Headers[] {
  const short = FORMS.map((_, n): Headers => {
    const chosen = headers.map((header, at) => [header, FORMS[(n + at * 17) % FORMS.length] ?? '']);
    return { ...OTHERS, ...Object.fromEntries(chosen) };
  });
  const shared = longForms(LONG / headers.length - 30);
  const long = shared.map((form): Headers => Object.fromEntries(headers.map((header) => [header, form])));
  const [longest = ''] = longForms(LONG);
  return [...short, ...long, { [headers.at(-1) ?? '']: longest }];
}

const JSON_TYPE = { 'content-type': 'application/json' };
const TUS = { 'tus-resumable': '1.0.0', 'upload-length': '5', 'upload-metadata': 'filename YS50eHQ=' };
/** Setup of operations whose responses have URLs only then. */
const SPECIAL: Record<string, { headers?: Record<string, string>; body?: string }> = {
  'POST /delivery/sign': { body: JSON.stringify({ path: FILE, transformation: 'w_10' }) },
  'POST /upload/resumable': { headers: TUS, body: '' },
  'POST /upload': {
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    body: '--b\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\nx\r\n--b--\r\n',
  },
  'POST /api/auth/sign-in/email': { body: JSON.stringify({ email: 'nobody@example.com', password: 'a wrong one' }) },
};
/** Operations that need a session, or end one. The others use an API key. */
const WITH_SESSION = /^\w+ \/api\/auth\/(change-password|account|sessions|oidc|two-factor\/(enable|disable))/;

interface Sender {
  url: string;
  agent: http.Agent;
}

interface Received {
  status: number;
  text: string;
}

/** Sends a request with headers as written, also repeated ones, and returns the whole response. */
async function send(
  { url, agent }: Sender,
  method: string,
  path: string,
  headers: Headers,
  body = '',
): Promise<Received> {
  const { hostname, port } = new URL(url);
  const lines = Object.entries(headers).flatMap(([name, values]) => [values].flat().map((value) => [name, value]));
  const all = [['Host', `${hostname}:${port}`], ...lines, ['Content-Length', String(Buffer.byteLength(body))]];
  const request = http.request({ hostname, port, path, method, agent, headers: all.flat() as never });
  request.end(body);
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const head = `${response.statusCode} ${response.rawHeaders.join('\n')}`;
  // Event streams do not end.
  if (response.headers['content-type'] === 'text/event-stream') {
    request.destroy();
    return { status: response.statusCode ?? 0, text: head };
  }
  return { status: response.statusCode ?? 0, text: `${head}\n${(await buffer(response)).toString('latin1')}` };
}

async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: CONCURRENT }, async () => {
      for (const item of left) await work(item);
    }),
  );
}

const VALUES: Record<string, string> = {
  transformations: 'w_10',
  signature: '0123456789abcdef',
  expires: '9999999999',
};

describe.each([
  ['from a trusted proxy', '127.0.0.1'],
  ['from anybody else', '127.0.0.2'],
])('forwarded headers %s', (_, localAddress) => {
  const isTrusted = localAddress === '127.0.0.1';
  let service: TestService;
  let sender: Sender;
  let operations: readonly DocumentedOperation[];
  let cookie: string;
  beforeAll(async () => {
    service = await startService({ ...SETTINGS, ...FROM_ANYWHERE });
    sender = { url: service.url, agent: new http.Agent({ keepAlive: true, maxSockets: CONCURRENT, localAddress }) };
    await service.place(FILE, fixture('flag-alpha.png'));
    operations = new Contract((await ask(service.url, '/api/openapi.json')).json()).operations;
    cookie = await signIn(service, ADMIN);
  });
  afterAll(async () => {
    sender.agent.destroy();
    await service.close();
  });

  const call = ({ method, path }: DocumentedOperation, forwarded: Headers): Promise<Received> => {
    const name = `${method} ${path}`;
    const special = SPECIAL[name];
    const target = path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => {
      if (parameter === 'path') return method === 'GET' ? FILE : 'nowhere/missing.png';
      return VALUES[parameter] ?? 'unknown';
    });
    const credentials = WITH_SESSION.test(name) ? { cookie, origin: service.url } : { 'x-api-key': TEST_KEY };
    const hasBody = method !== 'GET' && method !== 'DELETE';
    const headers = { ...credentials, ...(hasBody && { ...JSON_TYPE, ...special?.headers }), ...forwarded };
    return send(sender, method, target, headers, hasBody ? (special?.body ?? '{}') : '');
  };

  test('keep a cookie on https where a trusted proxy says https, and nowhere else', async () => {
    const body = JSON.stringify({ email: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD });
    const secure: string[] = [];
    // Few sign-ins are allowed from one address.
    const forms = isTrusted ? FORMS : ['https'];
    for (const [n, form] of forms.entries()) {
      const headers = { ...JSON_TYPE, 'X-Forwarded-Proto': form, 'X-Forwarded-For': `198.18.55.${n}` };
      const { status, text } = await send(sender, 'POST', '/api/auth/sign-in/email', headers, body);
      expect(status, `${form}`).toBe(200);
      if (/; Secure/i.test(text)) secure.push(JSON.stringify(form));
    }
    const https = [
      'https',
      'HTTPS',
      '\t https \t',
      'https,',
      'http,https',
      'javascript, https',
      ['javascript', 'https'],
    ];
    expect(secure).toEqual(isTrusted ? https.map((form) => JSON.stringify(form)) : []);
  });

  test('name the header that is refused, and not what was in it', async () => {
    const headers = { 'X-Forwarded-Host': `https://${FOREIGN}/` };
    const { status, text } = await send(sender, 'GET', '/livez', headers);
    expect(status).toBe(isTrusted ? 400 : 200);
    if (isTrusted) expect(text).toContain('"X-Forwarded-Host\\"');
  });

  test('do not have an absolute request target take the place of the host', async () => {
    const host = `127.0.0.1:${new URL(service.url).port}`;
    for (const path of ['/api/auth/get-session', '/livez', '/nothing', `/t/w_10/${FILE}`, '/dashboard', '/']) {
      const head = `GET http://${FOREIGN}${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/html\r\nConnection: close`;
      const answer = await askRaw(service.url, `${head}\r\n\r\n`);
      expect(answer).toMatch(path === '/nothing' ? /^HTTP\/1.1 404 / : /^HTTP\/1.1 (200|302|503) /);
      expect(answer).not.toContain(FOREIGN);
    }
  });

  test('of another URL or method have no effect', async () => {
    const answer = await send(sender, 'GET', '/api/version', OTHERS);
    expect([answer.status, answer.text.includes('"version"')]).toEqual([200, true]);
  });

  test('are no error of ours, and name no other site in an answer, at any endpoint in any form', async () => {
    // An invalid host is 400 where it is trusted, so it has separate requests there.
    const requests = isTrusted ? [...requestsOf(HEADERS), ...requestsOf([HOST])] : requestsOf([HOST, ...HEADERS]);
    expect(operations.length).toBeGreaterThan(80);
    const found: string[] = [];
    const jobs = operations.flatMap((operation) => requests.map((headers) => ({ operation, headers })));
    await inParallel(jobs, async ({ operation, headers }) => {
      const { status, text } = await call(operation, headers);
      if (status < 500 && !text.includes(FOREIGN)) return;
      const sent = JSON.stringify(headers).slice(0, 300);
      found.push(`${operation.method} ${operation.path} with ${sent}: ${text.slice(0, 600)}`);
    });
    expect(found.slice(0, 5)).toEqual([]);
  }, 180_000);
});

test('a proxy of a proxy is followed to the client, and the limit counts for that address', async () => {
  const service = await startService({ ...FROM_ANYWHERE, PUBLIC_RATE_LIMIT_MAX: '1000' });
  const remaining = async (forwarded: string) =>
    Number(
      (await ask(service.url, '/health', { headers: { 'x-forwarded-for': forwarded } })).headers[
        'x-ratelimit-remaining'
      ],
    );
  const same = [
    '203.0.113.66',
    '203.0.113.66:567',
    '::ffff:203.0.113.66',
    '[::ffff:203.0.113.66]:80',
    'junk, 203.0.113.66',
  ];
  for (const [n, form] of [...same, '203.0.113.66, 127.0.0.1:80', '::FFFF:cb00:7142'].entries())
    expect(await remaining(form), form).toBe(999 - n);
  await service.close();
});
