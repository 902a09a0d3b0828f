import { sameTestsOnCluster } from './same-tests.ts';

sameTestsOnCluster('the records of files', () => import('../api/assets.test.ts'));
sameTestsOnCluster('searching the library', () => import('../api/asset-search.test.ts'));
sameTestsOnCluster('cursors of searches', () => import('../api/asset-cursors.test.ts'));
sameTestsOnCluster('many files at once', () => import('../api/batch.test.ts'));
sameTestsOnCluster('listings', () => import('../api/listing.test.ts'));
