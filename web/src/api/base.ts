import { spaceOfPath } from './space-path.ts';

export { encodePath } from './paths.ts';

/** Path of the installation with a trailing slash: `/`, or the prefix that a proxy strips. */
const installation = new URL('..', document.baseURI).pathname;

/** Path of the dashboard of the installation, without a trailing slash. */
const dashboard = new URL('.', document.baseURI).pathname.replace(/\/$/, '');

/** Id of the space in the URL of the page. The page of another space is another document. */
const spaceId = spaceOfPath(location.pathname.slice(dashboard.length));

/** True if the URL of the page names a space. At a host of a space it does not. */
export const isSpacePath = spaceId !== undefined;

/** Root path of the endpoints with a trailing slash: that of the installation, or of the space of the page. */
export const root = spaceId === undefined ? installation : `${installation}b/${spaceId}/`;

/** Root of the endpoints as an absolute URL, for copied URLs and commands. */
export const serviceUrl = location.origin + root;

/** Path of the dashboard without a trailing slash, for the router: in a space of its pages. */
export const dashboardPath = spaceId === undefined ? dashboard : `${dashboard}/b/${spaceId}`;

/** Path of the library's dashboard, or of that of a space. @param id undefined for the library */
export function dashboardOf(id: string | undefined): string {
  return id === undefined ? `${dashboard}/` : `${dashboard}/b/${id}/`;
}

/** Path of an endpoint as requested by the browser. @param path without a leading slash */
export function urlOf(path: string): string {
  return (isForInstallation(path) ? installation : root) + path;
}

/** Path of an endpoint of the installation, also in a space. @param path without a leading slash */
export function installationUrlOf(path: string): string {
  return installation + path;
}

/** Accounts, sessions and the version are those of the installation. */
const isForInstallation = (path: string) => path.startsWith('api/') || path === 'readyz';

/** URL of a link in a response: an absolute URL, or a path of the installation that names its space. */
export function linkOf(url: string): string {
  return /^https?:/.test(url) ? url : installation + url.slice(1);
}

/** Query string of the defined values; lists repeat their name. Empty without values. */
export function queryOf(values: Record<string, string | number | boolean | readonly string[] | undefined>): string {
  const entries = Object.entries(values).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => [name, String(one)]),
  );
  const present = entries.filter(([, value]) => value !== '');
  return present.length === 0 ? '' : `?${new URLSearchParams(present)}`;
}
