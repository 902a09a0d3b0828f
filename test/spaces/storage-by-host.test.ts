import { sameTestsInSpace } from './same-tests.ts';

sameTestsInSpace('host', 'storage', () => import('../api/storage.test.ts'));
sameTestsInSpace('host', 'delete', () => import('../api/delete.test.ts'));
sameTestsInSpace('host', 'folders', () => import('../api/folders.test.ts'));
sameTestsInSpace('host', 'batch', () => import('../api/batch.test.ts'));
sameTestsInSpace('host', 'assets', () => import('../api/assets.test.ts'));
sameTestsInSpace('host', 'listing', () => import('../api/listing.test.ts'));
sameTestsInSpace('host', 'trash', () => import('../api/trash.test.ts'));
sameTestsInSpace('host', 'versions', () => import('../api/versions.test.ts'));
