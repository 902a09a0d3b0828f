import { defineConfig } from 'vitest/config';

/** Only `npm run image` runs these: they need an image. */
export default defineConfig({
  test: { root: import.meta.dirname, include: ['*.smoke.ts'], testTimeout: 300_000, hookTimeout: 300_000 },
});
