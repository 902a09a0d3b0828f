import type { IconName } from '../components/icons.ts';

/** A prepared search of the library, as search parameters of its page. */
export interface LibraryView {
  id: 'recent' | 'untagged' | 'withoutAlt' | 'undecodable' | 'large';
  icon: IconName;
  search: Readonly<Record<string, string | number | true>>;
}

const LARGE = 10 * 1024 * 1024;

export const LIBRARY_VIEWS: readonly LibraryView[] = [
  { id: 'recent', icon: 'clock', search: { deep: true, sort: 'created', order: 'desc' } },
  { id: 'untagged', icon: 'tag', search: { untagged: true } },
  { id: 'withoutAlt', icon: 'pencil', search: { withoutAlt: true, kind: 'image' } },
  { id: 'undecodable', icon: 'alert', search: { undecodable: true } },
  { id: 'large', icon: 'database', search: { minSize: LARGE, sort: 'size', order: 'desc' } },
];
