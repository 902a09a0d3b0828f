import { sameTestsOnS3 } from '../../s3/bucket.ts';

/** How a page looks does not depend on where its files lie. */
const LOOKS = ['looks well in both themes and at both widths, as a grid', 'looks well as a list'];
/** Those in a bucket are counted a moment after they were delivered. */
const ABOUT_ONE_CACHE = 'say what is cached of it, and drop it';
const MORE_LOOKS = ['looks well with the details of a picture', 'looks well with some files selected'];

sameTestsOnS3('the library, on a bucket', () => import('../files.test.ts'), [...LOOKS, ...MORE_LOOKS, ABOUT_ONE_CACHE]);
sameTestsOnS3('uploads, to a bucket', () => import('../uploads.test.ts'), [
  'look well in both themes and at both widths',
]);
