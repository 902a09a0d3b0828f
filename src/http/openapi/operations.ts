import type { Access, Endpoint, Operation } from '../endpoints/endpoint.ts';

/** An operation of the document with its endpoint. */
export interface DocumentedOperation extends Operation {
  path: string;
  endpoint: Endpoint;
}

/** Lists the operations of endpoints, in their order. */
export function operationsOf(endpoints: readonly Endpoint[]): DocumentedOperation[] {
  return endpoints.flatMap((endpoint) => {
    if (endpoint.openapi === 'hidden') return [];
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}').replace('*', '{path}');
    return [endpoint.openapi].flat().map((operation) => ({ path, ...operation, endpoint }));
  });
}

/** True if an operation needs a key, a session or a signature. */
export function needsCredentials(access: Access): boolean {
  return access !== 'public' && access !== 'own pages' && access !== 'signed';
}
