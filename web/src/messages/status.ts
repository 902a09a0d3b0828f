import { plural } from './plural.ts';

export const statusMessages = {
  title: 'Status',
  lead: 'Service health and storage usage',
  healthy: 'Healthy',
  unhealthy: 'Unhealthy',
  checks: 'Checks',
  checkedAgo: (ago: string) => `Checked ${ago}`,
  checkNames: {
    render: 'Rendering',
    storage: 'Storage',
    database: 'Database',
  } as Record<string, string>,
  good: 'OK',
  version: 'Version',
  originals: 'Originals',
  cache: 'Cache',
  byKind: 'By kind',
  byFolder: 'By folder',
  noFiles: 'No files yet.',
  countedAgo: (ago: string) => `Counted ${ago}`,
  recount: 'Recalculate',
  recounted: 'Usage recalculated.',
  clear: 'Clear cache',
  clearTitle: 'Clear the cache?',
  clearText: (variants: string, size: string) =>
    `Removes ${variants} (${size}). Variants are rendered again on request, which takes time and CPU.`,
  cleared: 'Cache cleared.',
  more: (count: number) => `and ${plural(count, 'more folder', 'more folders')}`,
  kinds: { image: 'Images', video: 'Videos', audio: 'Audio', model: '3D models', document: 'Documents' } as Record<
    string,
    string
  >,
  table: { name: 'Name', size: 'Size', files: 'Files' },
  unreachable: 'Unreachable',
  unknown: 'unknown',
  refused: {
    title: 'Refused requests',
    span: 'Days of refused requests',
    none: 'Nothing was refused.',
    reason: 'Reason',
    code: 'Code',
    count: 'Requests',
    more: (count: number) => `and ${plural(count, 'more reason', 'more reasons')}`,
  },
};
