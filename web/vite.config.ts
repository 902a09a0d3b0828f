import { defineConfig } from 'vite';
import { devBase } from './dev-base.ts';
import { earlyScript } from './early-script.ts';
import { oneLocale } from './one-locale.ts';

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
    // One style sheet compresses better, and lazy components are styled at once.
    cssCodeSplit: false,
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
