import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Contract, type DocumentedOperation } from '../contract.ts';
import { type Answer, ask, fixture } from '../http.ts';
import { addPerson } from '../people.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';

/** Part of every name and text outside of the space. No request has it. */
const CANARY = 'canary';
/** A file of the library, which requests name. Its bytes have the canary. */
const KNOWN = 'known.svg';
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><title>${CANARY}</title></svg>`;
const ADMIN = { authorization: `Bearer ${TEST_KEY}` };
const JSON_TYPE = { 'content-type': 'application/json' };

/** Operations that answer no single request, or belong to a person's own session. */
const isCalled = ({ method, path }: DocumentedOperation) =>
  `${method} ${path}` !== 'GET /queue/events' && !path.startsWith('/api/auth');

const PATHS = [
  KNOWN,
  'inner.svg',
  'DIR/own.png',
  `../${KNOWN}`,
  `../../${KNOWN}`,
  `dir/../../../${KNOWN}`,
  `%2e%2e/%2E%2E/${KNOWN}`,
  `..%2f..%2f${KNOWN}`,
  `..%252f..%252f${KNOWN}`,
  `..%5c..%5c${KNOWN}`,
  `.%00./.%00./${KNOWN}`,
  `/${KNOWN}`,
  '..',
  '../..',
  'dir',
  '',
];

/** Texts in every field of a body in which a path, a folder or an id may stand. */
const TEXTS = [`../../${KNOWN}`, `/${KNOWN}`, KNOWN, '..', '../../elsewhere/x.png'];

let service: TestService;
let contract: Contract;
let key: string;
/** Ids of what lies outside of the space, by which requests may ask. */
let outside: string[];
beforeAll(async () => {
  service = await startService({
    API_SECRET: 'test-secret-at-least-16-chars-long',
    EXTRA_TYPES: 'svg',
    OUTGOING_PRIVATE_NETWORKS: '127.0.0.0/8',
  });
  contract = new Contract((await ask(service.url, '/api/openapi.json')).json());
  await change('POST', '/spaces', { id: 'mine', folder: `outer-${CANARY}/rooms/mine` });
  await change('POST', '/spaces', { id: `theirs-${CANARY}`, folder: `theirs-${CANARY}` });
  await upload('', KNOWN, SVG);
  await upload('', `${CANARY}.svg`, SVG);
  await upload(`/b/theirs-${CANARY}`, KNOWN, SVG);
  await upload(`/b/theirs-${CANARY}`, 'gone.svg', SVG);
  await upload('/b/mine', 'own.png', fixture('flag-alpha.png'));
  await change('DELETE', `/b/theirs-${CANARY}/storage/gone.svg?trash=true`);
  await change('PATCH', `/assets/${KNOWN}`, { tags: [CANARY] });
  await change('POST', '/api-keys/create', { name: CANARY, space: `theirs-${CANARY}` });
  await change('POST', '/webhooks', { url: `${service.url}/${CANARY}`, events: ['file.stored'] });
  const { userId } = await addPerson(service, { role: 'viewer', space: `theirs-${CANARY}` });
  const lists = ['/trash', '/api-keys/list', '/webhooks', '/audit'].map((path) =>
    ask(service.url, path, { headers: ADMIN }),
  );
  const answers = await Promise.all(lists);
  outside = [...new Set([userId, ...answers.flatMap((answer) => idsIn(answer.json()))])].slice(0, 20);
  const created = await change('POST', '/b/mine/api-keys/create', {
    name: 'mine',
    permissions: ['read', 'upload', 'manage', 'admin'],
  });
  ({ key } = created.apiKey as { key: string });
});
afterAll(() => service.close());

async function change(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await ask(service.url, path, {
    method,
    headers: { ...ADMIN, ...(body && JSON_TYPE) },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect([path, answer.status, answer.status < 300 ? '' : answer.body.toString()]).toEqual([
    path,
    expect.any(Number),
    '',
  ]);
  return answer.body.length > 0 ? answer.json() : {};
}

async function upload(prefix: string, name: string, bytes: string | Buffer): Promise<void> {
  const form = new FormData();
  form.append('files', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
  const { status } = await fetch(`${service.url}${prefix}/upload`, { method: 'POST', body: form, headers: ADMIN });
  expect(status).toBe(200);
}

function idsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(idsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => (name === 'id' && one !== null ? [String(one)] : idsIn(one)));
}

/** Paths of requests: with hostile paths, or with ids of others. */
function targetsOf({ path }: DocumentedOperation): string[] {
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const isPath = (name: string | undefined) => name !== undefined && /path|folder/i.test(name);
  const values = named.some(isPath) ? PATHS : named.length > 0 ? [...outside, 'default', KNOWN] : [''];
  return values.map((value) =>
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      if (isPath(name)) return value;
      if (name === 'transformations') return `w_10~l_${KNOWN}`;
      return named.some(isPath) ? (outside[0] ?? '') : encodeURIComponent(value);
    }),
  );
}

/** Bodies with each text in every field, by the type of the field. */
function bodiesOf({ requestBody }: DocumentedOperation): (object | undefined)[] {
  const schema = requestBody?.content['application/json']?.schema as { properties?: object } | undefined;
  if (!schema) return [undefined];
  const fields = Object.entries((schema.properties ?? {}) as Record<string, { type?: string }>);
  return [...TEXTS, ...outside.slice(0, 3)].map((text) =>
    Object.fromEntries(
      fields.flatMap(([name, { type }]): [string, unknown][] => {
        if (type === 'string') return [[name, text]];
        return type === 'array' ? [[name, [text]]] : [];
      }),
    ),
  );
}

const show = ({ status, headers, body }: Answer) => `${status} ${JSON.stringify(headers)} ${body.toString('latin1')}`;

test('the library shows what lies outside of the space', async () => {
  for (const path of ['/storage', '/tags', '/api-keys/list', '/webhooks', '/audit', '/spaces']) {
    const answer = await ask(service.url, path, { headers: ADMIN });
    expect([path, show(answer).includes(CANARY)]).toEqual([path, true]);
  }
});

describe.each(['', '/b/mine'])('with a key of the space, at "%s"', (prefix) => {
  test('no request has anything from outside in its answer', async () => {
    const leaks: string[] = [];
    let requests = 0;
    // Endpoints that could take the key away come last.
    const operations = contract.operations.filter(isCalled).toSorted((a, b) => rank(a) - rank(b));
    for (const operation of operations) {
      const { method } = operation;
      for (const target of targetsOf(operation)) {
        // Without a prefix, delivery is that of the library for everyone.
        if (prefix === '' && /^\/(t|authenticated)\//.test(target)) continue;
        for (const body of bodiesOf(operation)) {
          const answer = await ask(service.url, prefix + target, {
            method,
            headers: { 'x-api-key': key, ...(body && JSON_TYPE) },
            ...(body && { body: JSON.stringify(body) }),
          });
          requests++;
          const shown = show(answer);
          const isLeak = shown.includes(CANARY) || shown.includes(service.data) || shown.includes('rooms/mine');
          const isFault = answer.status >= 500 && answer.status !== 503;
          if (isLeak || isFault)
            leaks.push(`${method} ${prefix}${target} ${JSON.stringify(body)}: ${shown.slice(0, 500)}`);
        }
      }
    }
    expect(leaks).toEqual([]);
    expect(requests).toBeGreaterThan(500);
    // The key was valid to the end.
    const access = await ask(service.url, '/b/mine/access', { headers: { 'x-api-key': key } });
    expect(access.json()).toMatchObject({ via: 'key', space: { id: 'mine' } });
  });

  test('nothing outside has changed', async () => {
    const originals = await Promise.all(
      [`/t/${KNOWN}`, `/t/${CANARY}.svg`, `/b/theirs-${CANARY}/t/${KNOWN}`].map((path) => ask(service.url, path)),
    );
    expect(originals.map(({ body }) => body.toString())).toEqual([SVG, SVG, SVG]);
    const { items } = (await ask(service.url, `/b/theirs-${CANARY}/trash`, { headers: ADMIN })).json();
    expect(items).toHaveLength(1);
    const left = await ask(service.url, '/webhooks', { headers: ADMIN });
    expect(left.body.toString()).toContain(CANARY);
    const keys = await ask(service.url, `/b/theirs-${CANARY}/api-keys/list`, { headers: ADMIN });
    expect(keys.body.toString()).toContain(CANARY);
    const level = await ask(service.url, '/storage?recursive=true', { headers: ADMIN });
    expect(level.body.toString()).not.toContain('elsewhere');
  });
});

const rank = ({ method, path }: DocumentedOperation) =>
  Number(method === 'DELETE') + 2 * Number(/^\/(api-keys|spaces|members)/.test(path));
