import { ROUNDS, testCatalogModel } from './model-test.ts';
import { worldsIn } from './worlds.ts';

testCatalogModel('on a disk', async () => worldsIn({}), ROUNDS);
