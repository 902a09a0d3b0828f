import { sameTestsInSpace } from './same-tests.ts';

sameTestsInSpace('host', 'queue', () => import('../api/queue.test.ts'));
sameTestsInSpace('host', 'video-queue', () => import('../api/video-queue.test.ts'));
sameTestsInSpace('host', 'video-status', () => import('../api/video-status.test.ts'));
sameTestsInSpace('host', 'events', () => import('../api/events.test.ts'));
sameTestsInSpace('host', 'download', () => import('../api/download.test.ts'));
sameTestsInSpace('host', 'download-tickets', () => import('../api/download-tickets.test.ts'));
sameTestsInSpace('host', 'asset-search', () => import('../api/asset-search.test.ts'));
sameTestsInSpace('host', 'asset-cursors', () => import('../api/asset-cursors.test.ts'));
sameTestsInSpace('host', 'stats', () => import('../api/stats.test.ts'));
