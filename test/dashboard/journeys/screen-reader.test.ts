import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fixture } from '../../http.ts';
import { startService, type TestService } from '../../service.ts';
import { FROM_ANYWHERE } from '../../session.ts';
import { ADMIN, describeInBrowser, openWindow, type Window } from '../browser.ts';
import { tile, whenDescribed } from '../library.ts';
import { readAloud } from './accessibility-tree.ts';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  service.services.describing?.start();
  await service.upload({ 'face.jpg': fixture('portrait-face.jpg'), 'clip.mp4': fixture('schizo_90.mp4') });
  await service.upload({ 'inside.jpg': fixture('no-face.jpg') }, { folder: 'Holidays' });
  await whenDescribed(service, 'face.jpg', 'clip.mp4');
});
afterEach(() => window?.close());
afterAll(() => service.close());

async function open(query = ''): Promise<Window['page']> {
  window = await openWindow({ service });
  const { page } = window;
  await page.goto(`${service.url}/dashboard/files${query}`);
  await page.getByText('800 × 533', { exact: false }).first().waitFor();
  return page;
}

describeInBrowser('what a screen reader is told of the files', () => {
  test('is a grid of cells that say what they are, and which are selected', async () => {
    const page = await open();
    await tile(page, 'face.jpg').click({ modifiers: ['Control'] });
    const cells = ['Holidays Folder 1 item', 'clip.mp4 Video 480 × 360 · 104 KB', 'face.jpg Image 800 × 533 · 56.1 KB'];
    await expect
      .poll(() => readAloud(page, 'grid'))
      .toEqual([
        'grid "Library" multiselectable',
        ' rowgroup',
        `  row "${cells.join(' ')}"`,
        `   gridcell "${cells[0]}"`,
        `   gridcell "${cells[1]}"`,
        `   gridcell "${cells[2]}" selected`,
      ]);
  });

  test('is a table with its columns, as a list', async () => {
    const page = await open('?view=list');
    const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' }).format(new Date());
    const row = (...cells: string[]) => [
      `  row "${cells.filter((cell) => cell !== '').join(' ')}"`,
      ...cells.map((cell) => (cell === '' ? '   gridcell' : `   gridcell "${cell}"`)),
    ];
    const columns = ['Name', 'Kind', 'Dimensions', 'Size', 'Modified'];
    expect(await readAloud(page, 'grid')).toEqual([
      'grid "Library" multiselectable',
      ' rowgroup',
      `  row "${columns.join(' ')}"`,
      ...columns.flatMap((column) => [`   columnheader "${column}"`, `    button "${column}"`]),
      ' rowgroup',
      ...row('Holidays', 'Folder', '', '', ''),
      ...row('clip.mp4', 'MP4', '480 × 360', '104 KB', day),
      ...row('face.jpg', 'JPEG', '800 × 533', '56.1 KB', day),
    ]);
  });
});
