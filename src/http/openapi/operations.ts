import type { Access, Endpoint, Operation } from '../endpoints/endpoint.ts';

/** An operation of the document, and the endpoint that it belongs to. */
export interface DocumentedOperation extends Operation {
  path: string;
  endpoint: Endpoint;
}

/** The operations of endpoints, in their order. */
export function operationsOf(endpoints: readonly Endpoint[]): DocumentedOperation[] {
  return endpoints.flatMap((endpoint) => {
    if (endpoint.openapi === 'hidden') return [];
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}').replace('*', '{path}');
    return [endpoint.openapi].flat().map((operation) => ({ path, ...operation, endpoint }));
  });
}

/** Whether somebody has to be known, by a key, a session or a signature in the form. */
export function needsCredentials(access: Access): boolean {
  return access !== 'public' && access !== 'own pages' && access !== 'signed';
}
