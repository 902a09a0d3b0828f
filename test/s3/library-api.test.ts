import { sameTestsOnS3 } from './bucket.ts';

sameTestsOnS3('folders on a bucket', () => import('../api/folders.test.ts'), ['sorts by the time of the last change']);
// Their statements on the counts of both caches are tested in cache-api.test.ts.
sameTestsOnS3('deleting on a bucket', () => import('../api/delete.test.ts'), [
  "removes a file with its variants, and nobody else's",
  'of a folder needs recursive=true',
  'clears the variants and keeps the original',
  'of a folder clears those of all files in it',
  'POST /storage/cache/clear clears every variant',
]);
sameTestsOnS3('figures of a bucket', () => import('../api/stats.test.ts'), [
  'counts originals and variants, at once after every change',
]);
sameTestsOnS3('readers while the caches of a bucket are cleared', () => import('../api/cache-races.test.ts'));
sameTestsOnS3('versions on a bucket', () => import('../api/versions.test.ts'));
sameTestsOnS3('the trash of a bucket', () => import('../api/trash.test.ts'), [
  'moves a file into the trash: it is no more listed, served, counted or downloaded',
]);
sameTestsOnS3('redirects on a bucket', () => import('../api/redirects.test.ts'), ['redirects are bounded']);
