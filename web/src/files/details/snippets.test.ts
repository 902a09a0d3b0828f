import { expect, test } from 'vitest';
import { snippetsOf } from './snippets.ts';

const ROOT = 'https://example.com/media/';
const image = {
  path: 'a b/ü#1.jpg',
  kind: 'image',
  alt: 'A "cat" & <dog>',
  width: 1000,
  height: 500,
  problem: null,
} as const;
const textOf = (name: string, asset: Parameters<typeof snippetsOf>[0] = image) =>
  snippetsOf(asset, ROOT).find((one) => one.name === name)?.text;

test('an address is absolute, keeps the prefix of a proxy and encodes every name', () => {
  expect(textOf('url')).toBe('https://example.com/media/t/a%20b/%C3%BC%231.jpg');
  expect(textOf('webp')).toBe('https://example.com/media/t/w_800,f_auto/a%20b/%C3%BC%231.jpg');
});

test('an img has the full size of the image and no wider source, its size and an escaped alt text', () => {
  const img = textOf('img') ?? '';
  expect([...img.matchAll(/ (\d+)w/g)].map(([, width]) => width)).toEqual(['320', '640', '1000']);
  expect(img).toContain('width="1000" height="500" alt="A &quot;cat&quot; &amp; &lt;dog>"');
  expect(textOf('img', { ...image, width: 100, height: 50 })).toContain('w_100,f_auto/a%20b/%C3%BC%231.jpg 100w');
});

test('a small image is offered at its own width, and never larger', () => {
  const logo = { ...image, width: 600, height: 240 };
  expect([...(textOf('img', logo) ?? '').matchAll(/ (\d+)w/g)].map(([, width]) => width)).toEqual(['320', '600']);
  expect(textOf('webp', logo)).toBeUndefined();
  expect(textOf('markdown', logo)).toContain('/t/w_600,f_auto/');
  const large = { ...image, width: 6000, height: 3000 };
  expect([...(textOf('img', large) ?? '').matchAll(/ (\d+)w/g)].map(([, width]) => Number(width)).at(-1)).toBe(2048);
});

test('nothing is enlarged before the size is known', () => {
  const unknown = { ...image, width: null, height: null };
  const url = 'https://example.com/media/t/f_auto/a%20b/%C3%BC%231.jpg';
  expect(textOf('webp', unknown)).toBeUndefined();
  expect(textOf('img', unknown)).toBe(`<img src="${url}" alt="A &quot;cat&quot; &amp; &lt;dog>" loading="lazy">`);
  expect(textOf('picture', unknown)).not.toMatch(/ \d+w|sizes=|w_/);
  expect(textOf('markdown', unknown)).toContain(`(${url})`);
});

test('a picture offers smaller formats first, then the one that suits the browser', () => {
  const picture = textOf('picture') ?? '';
  expect([...picture.matchAll(/<source type="([^"]+)"/g)].map(([, type]) => type)).toEqual([
    'image/avif',
    'image/webp',
  ]);
  expect(picture).toContain('t/w_320,f_avif/a%20b/%C3%BC%231.jpg 320w');
  expect([...picture.matchAll(/ (\d+)w/g)].map(([, width]) => Number(width))).not.toContain(1280);
  expect(picture.endsWith(`${textOf('img')}</picture>`)).toBe(true);
});

test('a video has a frame for its poster, and other files only their address', () => {
  expect(textOf('video', { ...image, kind: 'video' })).toContain('poster="https://example.com/media/t/t_true,tt_1,');
  expect(snippetsOf({ ...image, kind: 'document' }, ROOT).map(({ name }) => name)).toEqual(['url']);
});

test('names and texts with code in them stay texts, in HTML and in Markdown', () => {
  const alt = 'a](javascript:alert(1)) <img src=x onerror=alert(2)> **b** `c`\n\n# d\u202e{{e}} "f" \\';
  const hostile = { ...image, path: 'a")(<script>\'.jpg', alt };
  const img = textOf('img', hostile) ?? '';
  expect(img.match(/</g)).toHaveLength(1);
  expect(img).not.toMatch(/[\n\u202e]|\{\{/u);
  expect(/ alt="([^"]*)"/.exec(img)?.[1]).toContain('a](javascript:alert(1)) &lt;img src=x onerror=alert(2)> **b**');
  const markdown = textOf('markdown', hostile) ?? '';
  expect(markdown).toBe(
    '![a\\]\\(javascript\\:alert\\(1\\)\\) \\<img src\\=x onerror\\=alert\\(2\\)\\> \\*\\*b\\*\\* \\`c\\` \\# d&#8238;\\{\\{e\\}\\} \\"f\\" \\\\]' +
      '(https://example.com/media/t/w_1000,f_auto/a%22%29%28%3Cscript%3E%27.jpg)',
  );
  const video = textOf('video', { ...hostile, kind: 'video' }) ?? '';
  expect(video.match(/</g)).toHaveLength(2);
});

test('what cannot be decoded has no variants to embed', () => {
  const damaged = { ...image, problem: 'The file cannot be read as an image.' };
  expect(snippetsOf(damaged, ROOT).map(({ name }) => name)).toEqual(['url']);
});
