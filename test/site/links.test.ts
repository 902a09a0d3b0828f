import { expect, test } from 'vitest';
import { resolveLink } from '../../site/links.ts';

const pages = ['README.md', 'docs/video.md', 'docs/migrate/cloudinary.md'];
const repository = 'https://github.com/owner/darkroom/blob/main';

test.each([
  ['a page', 'docs/video.md', 'migrate/cloudinary.md#names', { kind: 'as-written' }],
  ['a heading of the same page', 'docs/video.md', '#jobs', { kind: 'as-written' }],
  ['another site', 'docs/video.md', 'https://example.com', { kind: 'as-written' }],
  ['a file', 'docs/video.md', '../deploy/haproxy.cfg', { kind: 'file', path: 'deploy/haproxy.cfg' }],
  ['a page that is none of the site', 'README.md', 'test/README.md', { kind: 'file', path: 'test/README.md' }],
])('a link to %s stays within the site', (_, page, href, link) => {
  expect(resolveLink(page, href, { pages })).toEqual(link);
});

test('a link to a file leads to the repository where one is named, and to a page still to the page', () => {
  const elsewhere = { kind: 'elsewhere', href: `${repository}/deploy/haproxy.cfg` };
  expect(resolveLink('docs/video.md', '../deploy/haproxy.cfg', { pages, repository })).toEqual(elsewhere);
  expect(resolveLink('README.md', 'docs/video.md', { pages, repository })).toEqual({ kind: 'as-written' });
});
