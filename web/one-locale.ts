import type { Plugin } from 'vite';

const LOCALE_FILE = /\/intl\/[^?]*\/([a-z]{2}-[A-Z]{2})\.m?js$/;

/** Leaves out what React Aria says in other languages than the one that the dashboard has words for: some 35 KB. */
export function oneLocale(kept: string): Plugin {
  return {
    name: 'one-locale',
    enforce: 'pre',
    load(id) {
      const locale = LOCALE_FILE.exec(id)?.[1];
      return locale === undefined || locale === kept ? undefined : 'export default {};';
    },
  };
}
