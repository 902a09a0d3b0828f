import type { Plugin } from 'vite';

/** Adds the `<base>` element during development; the service adds it to the built page. */
export function devBase(path: string): Plugin {
  return {
    name: 'dev-base',
    apply: 'serve',
    transformIndexHtml: () => [{ tag: 'base', attrs: { href: path }, injectTo: 'head-prepend' }],
  };
}
