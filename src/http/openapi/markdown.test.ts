import { expect, test } from 'vitest';
import { html } from '../transport/html.ts';
import { type MarkdownOptions, renderMarkdown } from './markdown.ts';

const render = (text: string, options?: MarkdownOptions) => html`${renderMarkdown(text, options).body}`.text;

test('paragraphs, code, links and emphasis', () => {
  expect(render('Use `a|b` and **[one](x.md)**,\n*not* two.\n\nNext.')).toBe(
    '<p>Use <code>a|b</code> and <strong><a href="x.md">one</a></strong>, <em>not</em> two.</p><p>Next.</p>',
  );
  expect(render('`` `…/$w` `` and `/t/*` or `/b/*`')).toBe(
    '<p><code>`…/$w`</code> and <code>/t/*</code> or <code>/b/*</code></p>',
  );
});

test('what looks like HTML is text, also in code and in addresses', () => {
  expect(render('a <b> `<i>`\n\n```html\n<s>**x**\n```')).toBe(
    '<p>a &lt;b&gt; <code>&lt;i&gt;</code></p><pre>&lt;s&gt;**x**</pre>',
  );
  expect(render('[a](x"onclick="y)')).toBe('<p><a href="x&quot;onclick=&quot;y">a</a></p>');
  expect(render('<!-- written by a program -->\na')).toBe('<p>a</p>');
});

test('a link that leads nowhere here keeps its text, and images are left out', () => {
  expect(render('see [`it`](../x.yaml) ![no](y.png)', { link: () => undefined })).toBe('<p>see <code>it</code> </p>');
});

test('headings have the anchors of GitHub, and are as deep as the page needs', () => {
  const { body, headings } = renderMarkdown('# `w` width\n## Sign-in, again\n## Sign-in, again', {
    hasAnchors: true,
    depth: 1,
  });
  expect(html`${body}`.text).toBe(
    '<h2 id="w-width"><code>w</code> width</h2><h3 id="sign-in-again">Sign-in, again</h3>' +
      '<h3 id="sign-in-again-1">Sign-in, again</h3>',
  );
  expect(headings[0]).toEqual({ level: 2, id: 'w-width', text: 'w width' });
});

test('tables, with bars in their cells, and without rows of images', () => {
  expect(render('| a | b |\n|---|---|\n| `x\\|y` | z |\n| ![a](b) | ![c](d) |\n\nafter')).toBe(
    '<table><thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead>' +
      '<tbody><tr><td><code>x|y</code></td><td>z</td></tr></tbody></table><p>after</p>',
  );
});

test('tables whose columns need no names', () => {
  expect(render('| | |\n|---|---|\n| a | b |')).toBe('<table><tbody><tr><td>a</td><td>b</td></tr></tbody></table>');
  expect(render('| | x |\n|---|---|\n| a | b |')).toContain('<tr><td></td><th scope="col">x</th></tr>');
});

test('lists, with paragraphs, code and lists in their items', () => {
  expect(render('- a\n- b\n  continued\n\nafter')).toBe('<ul><li>a</li><li>b continued</li></ul><p>after</p>');
  expect(render('1. One:\n\n   ```sh\n   x\n     y\n   ```\n\n   - a\n   - b\n\n2. Two.')).toBe(
    '<ol><li><p>One:</p><pre>x\n  y</pre><ul><li>a</li><li>b</li></ul></li><li>Two.</li></ol>',
  );
});
