export { encodePath } from './paths.ts';

/** Root path of the service with a trailing slash: `/`, or the prefix that a proxy strips. */
export const root = new URL('..', document.baseURI).pathname;

/** Path of the dashboard without a trailing slash, for the router. */
export const dashboardPath = new URL('.', document.baseURI).pathname.replace(/\/$/, '');

/** Path of an endpoint as requested by the browser. @param path without a leading slash */
export function urlOf(path: string): string {
  return root + path;
}

/** Query string of the defined values; lists repeat their name. Empty without values. */
export function queryOf(values: Record<string, string | number | boolean | readonly string[] | undefined>): string {
  const entries = Object.entries(values).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => [name, String(one)]),
  );
  const present = entries.filter(([, value]) => value !== '');
  return present.length === 0 ? '' : `?${new URLSearchParams(present)}`;
}
