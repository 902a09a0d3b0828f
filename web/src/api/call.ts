import { serviceAnswered, serviceFailed } from './availability.ts';
import { installationUrlOf, urlOf } from './base.ts';
import { ApiError, errorOf } from './error.ts';
import { queryClient } from './query-client.ts';
import { sessionLost } from './session-state.ts';
import type { Answers } from './types.ts';

export interface Request {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  json?: unknown;
  form?: FormData;
  headers?: Record<string, string>;
  cache?: RequestCache;
  /** Completes the request also when the page is left. */
  keepalive?: boolean;
  /** Sends the request to the installation, also in a space. */
  isForInstallation?: boolean;
  signal?: AbortSignal;
}

/** Errors of a role that was another when the page read it. */
const ROLE_CODES: readonly string[] = ['missing_permission', 'role_too_high', 'wrong_space'];

/**
 * Sends a request. After a lost session it waits for the next sign-in and repeats the request.
 * @param operation operation of the API
 * @param path with its query, without a leading slash
 * @throws ApiError
 */
export async function call<Operation extends keyof Answers>(
  operation: Operation,
  path: string,
  request: Request = {},
): Promise<Answers[Operation]> {
  const response = await send(path, request);
  const text = await response.text();
  if (!response.ok) {
    const error = errorOf(response.status, (name) => response.headers.get(name), text);
    // The rights themselves are not read again: they would be without end.
    if (operation !== 'getAccess' && ROLE_CODES.includes(error.code))
      void queryClient.invalidateQueries({ queryKey: ['access'] });
    throw error;
  }
  return (text === '' ? undefined : JSON.parse(text)) as Answers[Operation];
}

/** Response of any status. Waits like `call` when the session is lost. */
export async function send(path: string, request: Request): Promise<Response> {
  for (;;) {
    const response = await attempt(path, request);
    if (response.status !== 401 || isSigningIn(path)) return response;
    await sessionLost(request.signal);
  }
}

/** On these endpoints a 401 is a regular response, not a lost session. */
const isSigningIn = (path: string) => /^api\/auth\/(sign-|setup|get-session|two-factor\/verify-|invitation)/.test(path);

async function attempt(path: string, request: Request): Promise<Response> {
  const { method = 'GET', json, form, headers, cache, keepalive = false, isForInstallation = false, signal } = request;
  try {
    const response = await fetch(isForInstallation ? installationUrlOf(path) : urlOf(path), {
      method,
      headers: {
        Accept: 'application/json',
        ...(json !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...(form && { body: form }),
      ...(cache && { cache }),
      ...(keepalive && { keepalive }),
      ...(signal && { signal }),
    });
    serviceAnswered(response);
    return response;
  } catch (error) {
    if (signal?.aborted) throw error;
    serviceFailed();
    throw new ApiError(0, 'The service cannot be reached.');
  }
}
