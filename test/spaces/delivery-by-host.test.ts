import { sameTestsInSpace } from './same-tests.ts';

sameTestsInSpace('host', 'delivery', () => import('../api/delivery.test.ts'));
sameTestsInSpace('host', 'ranges', () => import('../api/ranges.test.ts'));
sameTestsInSpace('host', 'conditional', () => import('../api/conditional.test.ts'));
sameTestsInSpace('host', 'caching', () => import('../api/caching.test.ts'));
sameTestsInSpace('host', 'cache-races', () => import('../api/cache-races.test.ts'));
sameTestsInSpace('host', 'layers', () => import('../api/layers.test.ts'));
sameTestsInSpace('host', 'missing-files', () => import('../api/missing-files.test.ts'));
sameTestsInSpace('host', 'fast-path', () => import('../api/fast-path.test.ts'));
sameTestsInSpace('host', 'fast-path-missing', () => import('../api/fast-path-missing.test.ts'));
sameTestsInSpace('host', 'signed-delivery', () => import('../api/signed-delivery.test.ts'));
sameTestsInSpace('host', 'delivery-sign', () => import('../api/delivery-sign.test.ts'));
