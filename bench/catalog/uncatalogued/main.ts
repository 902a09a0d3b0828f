import { registerHooks } from 'node:module';

const ORIGINAL = new URL('../../../src/catalog/sync/own-changes.ts', import.meta.url).href;
const STAND_IN = new URL('own-changes.ts', import.meta.url).href;

// The service, but its changes do not go through the catalog.
let isReplaced = false;
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    if (resolved.url !== ORIGINAL) return resolved;
    isReplaced = true;
    return next(STAND_IN, context);
  },
});
// Its one user is loaded first. If it used another module, the service would be compared with itself.
await import('../../../src/catalog/catalog-keeper.ts');
if (!isReplaced) throw new Error(`Expected the catalog to use ${ORIGINAL}.`);
await import('../../../src/main.ts');
