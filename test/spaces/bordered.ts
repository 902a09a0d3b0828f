import { Contract, type DocumentedOperation } from '../contract.ts';
import { type Answer, ask, fixture } from '../http.ts';
import { addPerson } from '../people.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';

/** Part of every name and text outside of the space. No request has it. */
export const CANARY = 'canary';
/** A file of the library, which requests name. Its bytes have the canary. */
export const KNOWN = 'known.svg';
/** A video of the library. */
export const FILM = 'known.mp4';
/** A file of the library and of the space. */
export const BOTH = 'both.png';
/** The folder of the space. */
export const OUTER = `outer-${CANARY}/rooms/mine`;
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><title>${CANARY}</title></svg>`;
export const ADMIN = { authorization: `Bearer ${TEST_KEY}` };
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

export interface HostileRequest {
  method: string;
  target: string;
  body: object | undefined;
}

/** A service with the space `mine`, and files, keys, people and webhooks outside of it. */
export interface Bordered {
  service: TestService;
  contract: Contract;
  /** A key of the space with all permissions. */
  key: string;
  /** Ids of what lies outside of the space, by which requests may ask. */
  outside: readonly string[];
}

export async function openBordered(): Promise<Bordered> {
  const service = await startService({
    API_SECRET: 'test-secret-at-least-16-chars-long',
    COMPAT: 'cloudinary',
    EXTRA_TYPES: 'svg',
    OUTGOING_PRIVATE_NETWORKS: '127.0.0.0/8',
    VIDEO_JOB_RETRY_DELAY_MS: '1',
  });
  const change = (method: string, path: string, body?: object) => changeAt(service.url, method, path, body);
  const upload = (prefix: string, name: string, bytes: string | Buffer) => uploadTo(service.url, prefix, name, bytes);
  const contract = new Contract((await ask(service.url, '/api/openapi.json')).json());
  await change('POST', '/spaces', { id: 'mine', folder: OUTER });
  await change('POST', '/spaces', { id: `theirs-${CANARY}`, folder: `theirs-${CANARY}` });
  await upload('', KNOWN, SVG);
  await upload('', `${CANARY}.svg`, SVG);
  await upload(`/b/theirs-${CANARY}`, KNOWN, SVG);
  await upload(`/b/theirs-${CANARY}`, 'gone.svg', SVG);
  await upload('/b/mine', 'own.png', fixture('flag-alpha.png'));
  await upload('', BOTH, fixture('flag-alpha.png'));
  await upload('/b/mine', BOTH, fixture('flag-alpha.png'));
  await upload('', FILM, fixture('schizo_90.mp4'));
  await upload('', `${CANARY}.mp4`, fixture('schizo_90.mp4'));
  await upload('/b/mine', 'film.mp4', fixture('schizo_90.mp4'));
  await ask(service.url, `/t/w_16,f_mp4/${CANARY}.mp4`);
  await ask(service.url, '/b/mine/t/w_16,f_mp4/film.mp4');
  await change('DELETE', `/b/theirs-${CANARY}/storage/gone.svg?trash=true`);
  await change('PATCH', `/assets/${KNOWN}`, { tags: [CANARY] });
  for (const from of ['inner.svg', `old-${CANARY}.svg`])
    await change('POST', '/redirects', { from, to: `${CANARY}.svg` });
  await change('POST', '/api-keys/create', { name: CANARY, space: `theirs-${CANARY}` });
  await change('POST', '/webhooks', { url: `${service.url}/${CANARY}`, events: ['file.stored'] });
  const { userId } = await addPerson(service, { role: 'viewer', space: `theirs-${CANARY}` });
  const lists = ['/trash', '/api-keys/list', '/webhooks', '/queue/jobs', '/audit'].map((path) =>
    ask(service.url, path, { headers: ADMIN }),
  );
  const answers = await Promise.all(lists);
  const outside = [...new Set([userId, ...answers.flatMap((answer) => idsIn(answer.json()))])].slice(0, 20);
  const created = await change('POST', '/b/mine/api-keys/create', {
    name: 'mine',
    permissions: ['read', 'upload', 'manage', 'admin'],
  });
  const { key } = created.apiKey as { key: string };
  return { service, contract, key, outside };
}

async function changeAt(url: string, method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await ask(url, path, {
    method,
    headers: { ...ADMIN, ...(body && JSON_TYPE) },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body.toString()}`);
  return answer.body.length > 0 ? answer.json() : {};
}

async function uploadTo(url: string, prefix: string, name: string, bytes: string | Buffer): Promise<void> {
  const form = new FormData();
  form.append('files', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
  const response = await fetch(`${url}${prefix}/upload`, { method: 'POST', body: form, headers: ADMIN });
  if (response.status !== 200) throw new Error(`Upload of ${prefix}/${name}: ${await response.text()}`);
}

function idsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(idsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => (name === 'id' && one !== null ? [String(one)] : idsIn(one)));
}

/** Every operation of the OpenAPI document, with hostile paths, ids of others and hostile bodies. */
export function* hostileRequests({ contract, outside }: Bordered): Generator<HostileRequest> {
  // Endpoints that could take the key away come last.
  const operations = contract.operations.filter(isCalled).toSorted((a, b) => rank(a) - rank(b));
  for (const operation of operations) {
    for (const target of targetsOf(operation, outside)) {
      for (const body of bodiesOf(operation, outside)) yield { method: operation.method, target, body };
    }
  }
}

const rank = ({ method, path }: DocumentedOperation) =>
  Number(method === 'DELETE') + 2 * Number(/^\/(api-keys|spaces|members)/.test(path));

/** Paths of requests: with hostile paths, or with ids of others. */
function targetsOf({ path }: DocumentedOperation, outside: readonly string[]): string[] {
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
function bodiesOf({ requestBody }: DocumentedOperation, outside: readonly string[]): (object | undefined)[] {
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

export const show = ({ status, headers, body }: Answer) =>
  `${status} ${JSON.stringify(headers)} ${body.toString('latin1')}`;

/**
 * Sends a request with the key of the space.
 * @param prefix `/b/mine`, or nothing
 * @returns what is wrong with its answer: something from outside, or a fault
 */
export async function leakOf(
  { service, key }: Bordered,
  prefix: string,
  { method, target, body }: HostileRequest,
): Promise<string | undefined> {
  const answer = await ask(service.url, prefix + target, {
    method,
    headers: { 'x-api-key': key, ...(body && JSON_TYPE) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const shown = show(answer);
  const isLeak = shown.includes(CANARY) || shown.includes(service.data) || shown.includes('rooms/mine');
  const isFault = answer.status >= 500 && answer.status !== 503;
  if (!isLeak && !isFault) return undefined;
  return `${method} ${prefix}${target} ${JSON.stringify(body)}: ${shown.slice(0, 500)}`;
}

/** Without a prefix, delivery is that of the library for everyone. */
export const isOfLibrary = (prefix: string, { target }: HostileRequest) =>
  prefix === '' && /^\/(t|authenticated)\//.test(target);

/** @returns what has changed outside of the space */
export async function changesOutside({ service }: Bordered): Promise<string[]> {
  const shown = async (path: string) => (await ask(service.url, path, { headers: ADMIN })).body.toString();
  const changes: string[] = [];
  const require = (isKept: boolean, what: string) => {
    if (!isKept) changes.push(what);
  };
  for (const path of [`/t/${KNOWN}`, `/t/${CANARY}.svg`, `/b/theirs-${CANARY}/t/${KNOWN}`]) {
    require((await shown(path)) === SVG, `The bytes of ${path}.`);
  }
  const { items } = JSON.parse(await shown(`/b/theirs-${CANARY}/trash`)) as { items?: unknown[] };
  require(items?.length === 1, 'The trash of another space.');
  require((await shown('/webhooks')).includes(CANARY), 'The webhooks of the installation.');
  require((await shown(`/b/theirs-${CANARY}/api-keys/list`)).includes(CANARY), 'The keys of another space.');
  const level = await shown('/storage?recursive=true');
  require(!level.includes('elsewhere'), 'The files of the library.');
  return changes;
}
