import type { Endpoint, RouteContext } from '../endpoints/endpoint.ts';
import { createDocument } from './document.ts';
import { fillPath } from './filled.ts';
import { entriesOf, referencePage } from './page.ts';

/** Creates the API reference on first use. Endpoints are static, and describing them takes too long for each request. */
export function createReference(endpoints: () => readonly Endpoint[]): RouteContext['reference'] {
  const document = once(() => createDocument(endpoints()));
  const entries = once(() => new Map(entriesOf(document()).map((entry) => [entry.operation.operationId, entry])));
  return {
    text: once(() => Buffer.from(JSON.stringify(document()))),
    page: once(() => referencePage(document())),
    pathOf: (id, values) => fillPath(entries().get(String(id)), values),
  };
}

/** Computes a value on first use. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
