import type { Plugin } from 'vite';

/** Adds the `<base>` of the page for development, as the service adds it to the page that was built. */
export function devBase(path: string): Plugin {
  return {
    name: 'dev-base',
    apply: 'serve',
    transformIndexHtml: () => [{ tag: 'base', attrs: { href: path }, injectTo: 'head-prepend' }],
  };
}
