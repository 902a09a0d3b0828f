import fc from 'fast-check';
import { Contract, type DocumentedOperation, type Parameter } from '../contract.ts';
import { type Answer, type Asking, ask } from '../http.ts';
import { startService, TEST_KEY } from '../service.ts';
import type { FuzzOrder, FuzzReport } from './run.ts';

/** A generated request: its operation and its parameters. */
interface Call {
  operation: DocumentedOperation;
  path: string;
  asking: Asking;
}

/** Excluded operations: endless streams, and those that would lock the fuzzer out. */
const LEFT_OUT: readonly string[] = ['/queue/events', '/api/auth/sign-in/email'];

const LONGEST_MS = 20_000;

const SEGMENTS = [
  'w_10',
  'w_0',
  'f_auto,q_auto',
  'so_1',
  'n_thumb',
  'photos',
  '%2e%2e',
  '%00',
  '%ff',
  '%zz',
  'a%2Fb',
  'é',
  '..',
  'a b',
];
const WORDS = [
  '',
  'a.png',
  'photos',
  '../x',
  'name',
  '\u0000',
  '"',
  '<b>',
  '💥',
  'x'.repeat(300),
  '-1',
  '1e9',
  'null',
  'true',
];

/**
 * Sends valid and invalid requests generated from the OpenAPI document, and compares each response with its
 * declaration. None may be 500, or of another status, type or schema.
 */
export async function fuzz({ count, seed }: FuzzOrder): Promise<FuzzReport> {
  const service = await startService({ API_SECRET: 'a secret for the fuzzer', PRESETS: 'thumb=w_20' });
  try {
    const contract = new Contract((await ask(service.url, '/api/openapi.json')).json());
    const operations = contract.operations.filter(({ path }) => !LEFT_OUT.includes(path));
    const calls = fc.sample(fc.constantFrom(...operations).chain(callOf), { numRuns: count, seed });
    const statuses = new Map<number, number>();
    const problems: string[] = [];
    for (const call of calls) {
      const answer = await inTime(ask(service.url, call.path, call.asking)).catch((error: Error) => error);
      const objection = answer instanceof Error ? answer.message : judge(contract, call, answer);
      if (objection !== undefined) problems.push(`${describe(call)}: ${objection}`);
      if (!(answer instanceof Error)) statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    }
    const tally = [...statuses].toSorted(([one], [other]) => one - other).map(([status, n]) => `${status}: ${n}`);
    return { lines: [`${operations.length} operations; ${tally.join(', ')}`], problems };
  } finally {
    await service.close();
  }
}

/** Rejects unless the response arrives within the timeout. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const late = AbortSignal.timeout(LONGEST_MS);
  const end = new Promise<never>((_, reject) => {
    late.addEventListener('abort', () => reject(new Error(`no answer within ${LONGEST_MS} ms`)));
  });
  return Promise.race([work, end]);
}

function judge(contract: Contract, { operation, path }: Call, answer: Answer): string | undefined {
  if (answer.status === 500) return `status 500: ${answer.body.toString().slice(0, 200)}`;
  // A generated path can match another endpoint, or none; then the rules of that one apply.
  const isAstray = answer.status === 404 || answer.status === 405 || answer.status === 400;
  if (isAstray && typeof answer.json().error === 'string') return undefined;
  return leadsTo(operation, path) ? contract.objection(operation, answer) : undefined;
}

/**
 * True if the path matches this operation and no other: names without a slash that the router could route elsewhere.
 */
function leadsTo({ path: template }: DocumentedOperation, path: string): boolean {
  const [plain = ''] = path.split('?');
  return (
    plain.split('/').length >= template.split('/').length &&
    !plain.includes('//') &&
    !/\/(metadata|size|move|copy)\//.test(plain)
  );
}

function callOf(operation: DocumentedOperation): fc.Arbitrary<Call> {
  const { method, parameters, requestBody } = operation;
  const json = requestBody?.content['application/json'];
  const body = json
    ? fc.oneof({ weight: 3, arbitrary: arbitraryOf(json.schema) }, { weight: 1, arbitrary: fc.jsonValue() })
    : fc.constant(undefined);
  const key = fc.constantFrom(TEST_KEY, TEST_KEY, TEST_KEY, 'wrong', '');
  return fc
    .record({ path: pathOf(operation), query: queryOf(parameters), body, key, isBroken: fc.nat(20) })
    .map((made) => {
      const headers: Record<string, string> = made.key ? { authorization: `Bearer ${made.key}` } : {};
      const asking: Asking = { method, headers };
      if (made.body !== undefined) {
        const text = JSON.stringify(made.body);
        headers['content-type'] = 'application/json';
        asking.body = made.isBroken === 0 ? text.slice(0, -1) : text;
      }
      return { operation, path: made.path + made.query, asking };
    });
}

function pathOf({ path }: DocumentedOperation): fc.Arbitrary<string> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const segment = fc.oneof(fc.constantFrom(...SEGMENTS), fc.string({ minLength: 1, maxLength: 20 })).map(clean);
  return fc.array(segment, { minLength: names.length, maxLength: names.length }).map((values) => {
    let next = 0;
    return path.replaceAll(/\{\w+\}/g, () => values[next++] ?? 'x');
  });
}

/** Keeps the characters that a request line may contain; intended defects remain. */
function clean(text: string): string {
  return SEGMENTS.includes(text) && !/[^!-~]/.test(text)
    ? text
    : encodeURIComponent(text.replaceAll(/[\uD800-\uDFFF]/g, ''));
}

function queryOf(parameters: readonly Parameter[]): fc.Arbitrary<string> {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  if (inQuery.length === 0) return fc.constantFrom('', '', '?', '?x=1&x=2', '?%zz');
  const values = inQuery.map(({ name, schema }) =>
    fc
      .option(fc.oneof(arbitraryOf(schema).map(String), fc.constantFrom(...WORDS)), { nil: undefined })
      .map((value) =>
        value === undefined ? '' : `${name}=${encodeURIComponent(value.replaceAll(/[\uD800-\uDFFF]/g, ''))}`,
      ),
  );
  return fc.tuple(...values).map((pairs) => `?${pairs.filter((pair) => pair !== '').join('&')}`);
}

/** Generates values of a schema, and sometimes of related schemas. */
function arbitraryOf(schema: Record<string, unknown>): fc.Arbitrary<unknown> {
  const {
    type,
    enum: words,
    properties,
    items,
    anyOf,
    const: only,
  } = schema as {
    type?: string;
    enum?: unknown[];
    const?: unknown;
    properties?: Record<string, Record<string, unknown>>;
    items?: Record<string, unknown>;
    anyOf?: Record<string, unknown>[];
  };
  if (only !== undefined) return fc.constant(only);
  if (words) return fc.oneof(fc.constantFrom(...words), fc.constantFrom(...WORDS));
  if (anyOf) return fc.oneof(...anyOf.map(arbitraryOf));
  if (type === 'object') {
    const record = Object.fromEntries(
      Object.entries(properties ?? {}).map(([name, inner]) => [name, arbitraryOf(inner)]),
    );
    return fc.record(record, { requiredKeys: [] });
  }
  if (type === 'array') return fc.array(arbitraryOf(items ?? {}), { maxLength: 5 });
  if (type === 'integer' || type === 'number') return fc.oneof(fc.integer(), fc.nat(400), fc.double({ noNaN: true }));
  if (type === 'boolean') return fc.boolean();
  if (type === 'null') return fc.constant(null);
  return fc.oneof(fc.constantFrom(...WORDS), fc.string());
}

function describe({ path, asking }: Call): string {
  return `${asking.method} ${path} ${JSON.stringify(asking.headers)} ${asking.body ?? ''}`;
}
