export { encodePath } from './paths.ts';

/** The path below which the service answers, with a slash at its end: `/`, or a prefix that a proxy takes away. */
export const root = new URL('..', document.baseURI).pathname;

/** The path of the dashboard without a slash at its end, for the router. */
export const dashboardPath = new URL('.', document.baseURI).pathname.replace(/\/$/, '');

/** The path of an endpoint as the browser asks for it. @param path without a slash at its start */
export function urlOf(path: string): string {
  return root + path;
}

/** A query without what is undefined, a list as many times as it is long; an empty text where nothing is left. */
export function queryOf(values: Record<string, string | number | boolean | readonly string[] | undefined>): string {
  const entries = Object.entries(values).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => [name, String(one)]),
  );
  const present = entries.filter(([, value]) => value !== '');
  return present.length === 0 ? '' : `?${new URLSearchParams(present)}`;
}
