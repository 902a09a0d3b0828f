import createClient, { type Client, type ClientOptions } from 'openapi-fetch';
import type { components, paths } from './api-types.ts';
import { sendWithinOrigin } from './redirects.ts';
import { encodePath, encodeSegment } from './url.ts';

/** Types of requests and responses: `Schemas['StoredFile']`. */
export type Schemas = components['schemas'];

/** Typed client: `api.GET('/storage', { params })`. */
export type Api = Client<paths>;

export interface ApiOptions extends Pick<ClientOptions, 'fetch' | 'credentials'> {
  /** URL of the service: `https://media.example.com`. */
  baseUrl: string;
  /** Without it, requests are anonymous, or use the session of the signed-in user in a page of the service. */
  apiKey?: string | undefined;
}

/**
 * Creates a client of the entire API, based on openapi-fetch. Paths are those of the library, not encoded. Files in a
 * body (`Blob`, `File`) become a multipart body, or the body itself. Redirects are followed within the origin of
 * `baseUrl` only, and never for a request with a body; others reject with an error that names the target.
 */
export function createApi({ baseUrl, apiKey, fetch = globalThis.fetch, ...options }: ApiOptions): Api {
  const api = createClient<paths>({
    ...options,
    baseUrl,
    fetch: (request) => sendSafely(request, fetch),
    headers: { 'x-api-key': apiKey },
    redirect: 'manual',
    pathSerializer: writePath,
    bodySerializer: writeBody,
  });
  // openapi-fetch declares every body except `FormData` as JSON.
  api.use({
    onRequest({ request, schemaPath }) {
      if (request.method === 'PUT' && schemaPath === '/storage/{path}') request.headers.delete('content-type');
    },
  });
  return api;
}

function sendSafely(given: Request, fetch: (request: Request) => Promise<Response>): Promise<Response> {
  const request = given.redirect === 'manual' ? given : new Request(given, { redirect: 'manual' });
  const { url, method } = request;
  return sendWithinOrigin({ url, method, isRepeatable: request.body === null }, (target) =>
    fetch(target === url ? request : new Request(target, request)),
  );
}

const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  path: encodePath,
  transformations: encodeSegment,
};

function writePath(template: string, values: Record<string, unknown>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const encode = ENCODINGS[name] ?? encodeURIComponent;
    return encode(String(values[name]));
  });
}

function writeBody(body: unknown): string | Blob | FormData {
  if (body instanceof Blob) return body;
  const fields = Object.entries(body ?? {}).map(([name, values]) => [name, [values].flat()] as const);
  if (!fields.some(([, values]) => values.some((value) => value instanceof Blob))) return JSON.stringify(body);
  const form = new FormData();
  for (const [name, values] of fields) {
    for (const value of values)
      if (value !== undefined) form.append(name, value instanceof Blob ? value : String(value));
  }
  return form;
}
