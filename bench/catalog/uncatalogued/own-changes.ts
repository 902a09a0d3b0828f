import type { catalogueChanges as Original } from '../../../src/catalog/sync/own-changes.ts';

/** Stands for the module of the same name: the store changes, and the catalog does not hear of it. */
export const catalogueChanges: typeof Original = ({ store }) => store;
