import { sameTestsOnCluster } from './same-tests.ts';

sameTestsOnCluster('files', () => import('../api/storage.test.ts'));
sameTestsOnCluster('the trash', () => import('../api/trash.test.ts'), [
  'moves a file into the trash: it is no more listed, served, counted or downloaded',
]);
sameTestsOnCluster('redirects', () => import('../api/redirects.test.ts'), ['redirects are bounded']);
