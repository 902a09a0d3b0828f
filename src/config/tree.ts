import { cluster, events, limits, render, renderBudget, video } from './rendering-settings.ts';
import { auth, compat, data, database, fonts, http, log, mode, tracing, usage } from './service-settings.ts';
import { inSection, listOfSettings, SECTIONS, type Setting, type ValuesOf } from './setting.ts';
import { cache, catalog, purges, retention, storage, webhooks } from './storage-settings.ts';
import { outgoing, pull, upload } from './upload-settings.ts';

/** Every setting, at the position of its value in `Config`. */
export const tree = {
  http,
  ...inSection('Service', { mode, data, fonts, database, log, usage, tracing }),
  ...inSection('Access', { auth, compat }),
  ...inSection('Limits', { pull, outgoing, upload, kept: retention }),
  limits,
  ...inSection('Limits', { events }),
  ...inSection('Bucket', { storage }),
  cache,
  ...inSection('Cache', { purges, webhooks }),
  catalog,
  ...inSection('Images', { render, cluster, renderBudget }),
  ...inSection('Videos', { video }),
};

/** Values of all settings; sizes in bytes, times in ms. */
export type Values = ValuesOf<typeof tree>;

/** Every setting, in the order of `docs/configuration.md`. */
export const settings: readonly Setting[] = listOfSettings(tree).toSorted((a, b) => orderOf(a) - orderOf(b));

function orderOf({ section }: Setting): number {
  return section === undefined ? SECTIONS.length : SECTIONS.indexOf(section);
}
