import { readFile } from 'node:fs/promises';
import { defineConfig, type Plugin } from 'vite';

/** Path of the dashboard under `npm run dev`. */
const DEV_BASE = '/dashboard/';

export default defineConfig(({ command }) => ({
  // URLs are relative to the `<base>` of the page, also behind a proxy with a prefix.
  base: command === 'serve' ? DEV_BASE : './',
  plugins: [oneLocale('en-US'), earlyScript('theme.js'), devBase(DEV_BASE)],
  server: {
    strictPort: true,
    // The service handles all other paths. It compares `Host` with the origin of the page, so the proxy keeps it.
    proxy: {
      '^/(?!dashboard(/|$))': { target: `http://127.0.0.1:${process.env.PORT ?? 3000}`, changeOrigin: false },
    },
  },
  build: {
    // Browsers of the last two years: module workers and `light-dark()`.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // Lazy components load their own style sheets, so that the first load stays small.
    cssCodeSplit: true,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        // One file for the first load: every further request costs a round trip.
        codeSplitting: { groups: [{ name: 'main', tags: ['$initial'] }] },
      },
    },
  },
}));

/** Adds the `<base>` element during development; the service adds it to the built page. */
function devBase(path: string): Plugin {
  return {
    name: 'dev-base',
    apply: 'serve',
    transformIndexHtml: () => [{ tag: 'base', attrs: { href: path }, injectTo: 'head-prepend' }],
  };
}

/**
 * Names a render-blocking script by its content hash, so that browsers cache it.
 * @param file next to `index.html`, which refers to it
 */
function earlyScript(file: string): Plugin {
  return {
    name: 'early-script',
    apply: 'build',
    async buildStart() {
      this.emitFile({ type: 'asset', name: file, source: await readFile(new URL(file, import.meta.url)) });
    },
    transformIndexHtml: {
      order: 'post',
      handler(page, { bundle = {} }) {
        const built = Object.values(bundle).find((one) => one.type === 'asset' && one.names.includes(file));
        if (built === undefined) throw new Error(`The build has made nothing of ${file}.`);
        return page.replace(`"./${file}"`, `"./${built.fileName}"`);
      },
    },
  };
}

const LOCALE_FILE = /\/intl\/[^?]*\/([a-z]{2}-[A-Z]{2})\.m?js$/;

/** Removes the translations of React Aria except one locale; saves about 35 KB. */
function oneLocale(locale: string): Plugin {
  return {
    name: 'one-locale',
    enforce: 'pre',
    load(id) {
      const found = LOCALE_FILE.exec(id)?.[1];
      return found === undefined || found === locale ? undefined : 'export default {};';
    },
  };
}
