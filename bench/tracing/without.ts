/**
 * Loaded before the service (`--import`): takes the calls of tracing out of the delivery of files, with what is made for them. So what
 * is measured beside it is what they cost, attributes and closures included.
 */
import { registerHooks } from 'node:module';

const FILE = '/src/http/routes/delivery/answer.ts';

/** Each as it stands there, and what stands there without tracing. */
const CALLS = [
  ["import { describeSpan, tracedRequest } from '../../../tracing.ts';", ''],
  ['const { path, segment } = permit.wanted;', ''],
  ["const attributes = { path, transformation: segment, 'request.id': asked.id };", ''],
  [
    "return tracedRequest('deliver', asked.headers, attributes, () => answer(permit, asked, response, context));",
    'return answer(permit, asked, response, context);',
  ],
  ["describeSpan({ kind: delivery.kind, ...('isHit' in delivery && { hit: delivery.isHit }) });", ''],
] as const;

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.endsWith(FILE)) return loaded;
    const { source } = loaded;
    if (source === undefined || source === null) throw new Error(`Expected the text of ${FILE}.`);
    const text = typeof source === 'string' ? source : Buffer.from(source as Uint8Array).toString();
    return { ...loaded, source: withoutCalls(text) };
  },
});

/** @throws Error when the file is not as this benchmark knows it: then it would compare the service with itself. */
function withoutCalls(text: string): string {
  const rest = CALLS.reduce((left, [call, other]) => {
    if (left.split(call).length !== 2) throw new Error(`Expected once in ${FILE}: ${call}`);
    return left.replace(call, other);
  }, text);
  if (/trace|span/i.test(rest)) throw new Error(`There is more tracing in ${FILE} than the benchmark takes out.`);
  return rest;
}
