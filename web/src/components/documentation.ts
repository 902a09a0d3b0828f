import { installationUrlOf } from '../api/base.ts';

/** Pages of `docs/`, with a heading, that explain the pages of the dashboard, by the first names in their paths. */
export const DOCUMENTATION = {
  account: 'projects-and-people#sign-in',
  audit: 'audit-and-usage#audit-log',
  duplicates: 'library#duplicates',
  files: 'dashboard',
  index: '',
  jobs: 'video#jobs',
  keys: 'security#accounts',
  people: 'projects-and-people#roles',
  playground: 'url-reference',
  redirects: 'library#redirects',
  settings: 'configuration',
  space: 'projects-and-people#projects',
  spaces: 'projects-and-people#projects',
  start: 'dashboard',
  status: 'monitoring',
  tags: 'library#tags',
  trash: 'library#trash',
  replacement: 'cdn#names-that-are-used-again',
  usage: 'audit-and-usage#usage',
  webhooks: 'webhooks',
} as const;

export type DocumentationPage = keyof typeof DOCUMENTATION;

/** URL of a page of the documentation, which the service delivers. @param path a page of `docs/`, with its heading */
export function documentationUrlOf(path: string): string {
  return installationUrlOf(`api/docs/guide${path === '' ? '' : `/${path}`}`);
}

/** URL of the page that explains a page of the dashboard. @param pathname its path below that of the dashboard */
export function documentationOf(pathname: string): string {
  const [, page = ''] = pathname.split('/');
  const pages: Readonly<Record<string, string>> = DOCUMENTATION;
  return documentationUrlOf(pages[page] ?? DOCUMENTATION.index);
}
