import { expect, test } from 'vitest';
import { Html, html } from './html.ts';

test('what is put in is escaped, in text and in attributes', () => {
  expect(html`<a title="${'"><script>&'}">${'<b>'}</a>`.text).toBe(
    '<a title="&quot;&gt;&lt;script&gt;&amp;">&lt;b&gt;</a>',
  );
});

test('HTML is put in as it is, lists one after the other', () => {
  const items = ['a', '<', 3].map((item) => html`<li>${item}`);
  expect(html`<ul>${items}</ul>${new Html('<br>')}`.text).toBe('<ul><li>a<li>&lt;<li>3</ul><br>');
});
