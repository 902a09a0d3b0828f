import { sameTestsOnS3 } from '../../s3/bucket.ts';

/** The layout does not depend on the storage backend. */
const LAYOUTS = ['looks well in both themes and at both widths, as a grid', 'looks well as a list'];
/** Variants in a bucket are counted shortly after delivery. */
const ABOUT_ONE_CACHE = 'say what is cached of it, and drop it';
const MORE_LAYOUTS = ['looks well with the details of an image', 'looks well with some files selected'];

sameTestsOnS3('the library, on a bucket', () => import('../files.test.ts'), [
  ...LAYOUTS,
  ...MORE_LAYOUTS,
  ABOUT_ONE_CACHE,
]);
sameTestsOnS3('uploads, to a bucket', () => import('../uploads.test.ts'), [
  'look well in both themes and at both widths',
]);
