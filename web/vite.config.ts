import { defineConfig } from 'vite';
import { devBase } from './dev-base.ts';
import { earlyScript } from './early-script.ts';
import { oneLocale } from './one-locale.ts';

/** The path that `npm run dev` serves the dashboard at. */
const DEV_BASE = '/dashboard/';

export default defineConfig(({ command }) => ({
  // The page names the address that everything is relative to, behind a proxy with a prefix too.
  base: command === 'serve' ? DEV_BASE : './',
  plugins: [oneLocale('en-US'), earlyScript('theme.js'), devBase(DEV_BASE)],
  server: {
    strictPort: true,
    // Everything else is answered by the service. It compares the host with the page's origin, so the proxy keeps it.
    proxy: {
      '^/(?!dashboard(/|$))': { target: `http://127.0.0.1:${process.env.PORT ?? 3000}`, changeOrigin: false },
    },
  },
  build: {
    // Every browser that has ES modules in workers and light-dark(): the last two years.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // One sheet compresses better than many, and what comes later has its looks already.
    cssCodeSplit: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        // What every page begins with is one file: browsers ask for six at once, and each costs a round trip.
        codeSplitting: { groups: [{ name: 'main', tags: ['$initial'] }] },
      },
    },
  },
}));
