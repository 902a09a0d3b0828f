import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { renderMarkdown } from '../../../src/http/openapi/markdown.ts';

const ROOT = join(import.meta.dirname, '../../..');

test('every page of the dashboard has a page of docs/, with a heading that there is', async () => {
  Object.assign(globalThis, {
    document: { baseURI: 'http://localhost/dashboard/' },
    location: new URL('http://localhost/dashboard/'),
  });
  const { DOCUMENTATION, documentationUrlOf } = await import('./documentation.ts');
  for (const [page, target] of Object.entries(DOCUMENTATION)) {
    if (target === '') continue;
    const [name, anchor] = target.split('#');
    const { headings } = renderMarkdown(readFileSync(join(ROOT, `docs/${name}.md`), 'utf8'), { hasAnchors: true });
    expect([page, anchor === undefined || headings.some(({ id }) => id === anchor)]).toEqual([page, true]);
  }
  expect(documentationUrlOf(DOCUMENTATION.trash)).toBe('/api/docs/guide/library#trash');
  expect(documentationUrlOf(DOCUMENTATION.index)).toBe('/api/docs/guide');
});
