import { defineConfig } from 'vite';
import { oneLocale } from './one-locale.ts';

export default defineConfig({
  // The page names the address that everything is relative to, behind a proxy with a prefix too.
  base: './',
  plugins: [oneLocale('en-US')],
  build: {
    // Every browser that has ES modules in workers and light-dark(): the last two years.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
  },
});
