import { createDiskWorld } from './disk-world.ts';
import { testCatalogModel } from './model-test.ts';

testCatalogModel('on a disk', createDiskWorld, 100);
