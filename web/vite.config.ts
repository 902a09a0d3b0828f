import { defineConfig } from 'vite';
import { earlyScript } from './early-script.ts';
import { oneLocale } from './one-locale.ts';

export default defineConfig({
  // The page names the address that everything is relative to, behind a proxy with a prefix too.
  base: './',
  plugins: [oneLocale('en-US'), earlyScript('theme.js')],
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
});
