import { readdir } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { buildDashboard } from '../scripts/dashboard.mjs';
import { type Component, findComponents, writeNotices } from '../scripts/third-party-notices.ts';
import { ROOT } from './source-files.ts';

const BUILDING_MS = 300_000;

let components: Component[];
let notices: string;
beforeAll(async () => {
  await buildDashboard();
  components = findComponents();
  notices = writeNotices(components);
}, BUILDING_MS);

test('every component has a licence and its text, or says why the text is not its own', () => {
  expect(components.length).toBeGreaterThan(100);
  for (const { name, licence, texts, note } of components) {
    expect([name, licence]).toEqual([name, expect.stringMatching(/\w/)]);
    expect([name, texts.length > 0 && texts.every((text) => text.length > 80)]).toEqual([name, true]);
    if (/no licence text/.test(note)) expect(note).toMatch(/names the licence and, as its author: \w/);
  }
});

test('every component is named once, with the numbers of texts that are there', () => {
  const named = [...notices.matchAll(/^(\S+(?: \d[\w.+-]*)?): .*?((?: \[\d+\])+)$/gm)];
  expect(named.map(([, name]) => name)).toEqual(components.map(({ name, version }) => `${name} ${version}`.trim()));
  for (const [, , numbers = ''] of named) {
    for (const number of numbers.trim().split(' ')) expect(notices).toContain(`\n${number} `);
  }
});

test('libraries under the LGPL come with it, with the GPL that it refers to, and with what libvips is built of', () => {
  const lesser = components.filter(({ licence }) => licence.includes('LGPL'));
  expect(lesser.map(({ name }) => name)).toEqual(expect.arrayContaining(['libheif-js']));
  expect(lesser.some(({ name }) => name.startsWith('@img/sharp-libvips-'))).toBe(true);
  for (const { texts, source } of lesser) {
    expect(texts.some((text) => /GNU LESSER GENERAL PUBLIC LICENSE/.test(text))).toBe(true);
    expect(texts.some((text) => /^ +GNU GENERAL PUBLIC LICENSE/m.test(text))).toBe(true);
    expect(source).toMatch(/^https?:/);
  }
  const libvips = lesser.find(({ name }) => name.startsWith('@img/sharp-libvips-'));
  for (const part of ['libheif', 'librsvg', 'pango', 'mozjpeg']) expect(libvips?.texts.join('\n')).toContain(part);
});

test('what others have made and lies among the sources is named', async () => {
  const names = components.map(({ name }) => name);
  for (const folder of ['src/image/cutout', 'packages/faces/src/cascades', 'packages/image-files/src/profiles']) {
    const files = (await readdir(`${ROOT}/${folder}`)).filter((file) => !/README|LICENSE|\.ts$/.test(file));
    for (const file of files) expect(names).toContain(file);
  }
  // The other samples were drawn for the project, as their README says.
  expect(names).toEqual(expect.arrayContaining(['portrait.jpg', 'workshop.jpg']));
});

test('what is built into the dashboard is named, development packages that are not are left out', () => {
  const names = components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['qr', 'react', 'react-aria-components', 'tus-js-client', 'url-parse']));
  for (const name of ['vite', 'vitest', 'typescript', 'hls.js', 'shaka-player', 'lightningcss']) {
    expect(names).not.toContain(name);
  }
});
