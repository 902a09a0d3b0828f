import { urlOf } from './base.ts';
import { ApiError, errorOf } from './error.ts';
import { sessionLost } from './session-state.ts';
import type { Answers } from './types.ts';

export interface Request {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  json?: unknown;
  form?: FormData;
  headers?: Record<string, string>;
  cache?: RequestCache;
  signal?: AbortSignal;
}

/**
 * Asks the service. When the session has ended, it waits until somebody has signed in again and repeats the request.
 * @param _operation the operation of the API whose answer this is
 * @param path without a slash at its start, with its query
 * @throws ApiError
 */
export async function call<Operation extends keyof Answers>(
  _operation: Operation,
  path: string,
  request: Request = {},
): Promise<Answers[Operation]> {
  const response = await send(path, request);
  const text = await response.text();
  if (!response.ok) throw errorOf(response.status, (name) => response.headers.get(name), text);
  return (text === '' ? undefined : JSON.parse(text)) as Answers[Operation];
}

/** The answer itself, whatever its status. It waits as `call` does when the session has ended. */
export async function send(path: string, request: Request): Promise<Response> {
  for (;;) {
    const response = await attempt(path, request);
    if (response.status !== 401 || isSigningIn(path)) return response;
    await sessionLost(request.signal);
  }
}

/** There a 401 is the answer, and not a session that has ended. */
const isSigningIn = (path: string) => /^api\/auth\/(sign-|setup|get-session)/.test(path);

async function attempt(path: string, request: Request): Promise<Response> {
  const { method = 'GET', json, form, headers, cache, signal } = request;
  try {
    return await fetch(urlOf(path), {
      method,
      headers: {
        Accept: 'application/json',
        ...(json !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...(form && { body: form }),
      ...(cache && { cache }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, 'The service cannot be reached.');
  }
}
