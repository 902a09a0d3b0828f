import { registerHooks } from 'node:module';

/** The service as it would be without a catalog of what is stored. */
registerHooks({
  resolve(specifier, context, next) {
    if (!specifier.endsWith('/own-changes.ts')) return next(specifier, context);
    return next(new URL('own-changes.ts', import.meta.url).href, context);
  },
});
await import('../../../src/main.ts');
