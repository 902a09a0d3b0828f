import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { firstFree, pdfOf, plainPdfPage } from '../pictures/pdf-sample.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ EXTRA_TYPES: 'pdf', DOCUMENT_TIMEOUT_MS: '20000' });
  service.services.describing?.start();
});
afterAll(() => service.close());

async function shown(path: string) {
  const { status, body, headers } = await ask(service.url, path);
  expect(status, body.toString('latin1', 0, 300)).toBe(200);
  const { data, info } = await sharp(body)
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => [...data.subarray((y * info.width + x) * 3, (y * info.width + x) * 3 + 3)];
  return { at, width: info.width, height: info.height, type: headers['content-type'], data };
}

const RED = [255, 0, 0];
const BLUE = [0, 0, 255];
const WHITE = [255, 255, 255];
/** The left half red, the right half blue, nothing in the upper half. */
const HALVES = { width: 200, height: 100, paint: '1 0 0 rg 0 0 100 50 re f 0 0 1 rg 100 0 100 50 re f' };

describe('a PDF', () => {
  const bytes = pdfOf([HALVES, plainPdfPage(60, 90, [1, 0, 0]), plainPdfPage(50, 50, [0, 0, 1])]);
  beforeAll(() => service.place('pages.pdf', bytes));

  test('is uploaded, delivered as it is, and its first page is drawn on white', async () => {
    expect((await service.upload({ 'up.pdf': bytes })).status).toBe(200);
    const original = await ask(service.url, '/t/up.pdf');
    expect([original.headers['content-type'], original.body.equals(bytes)]).toEqual(['application/pdf', true]);
    expect(original.headers['content-security-policy']).toBe("default-src 'none'; sandbox");
    const { at, ...page } = await shown('/t/f_png/up.pdf');
    expect(page).toMatchObject({ width: 200, height: 100, type: 'image/png' });
    expect([at(10, 80), at(190, 80), at(100, 10)]).toEqual([RED, BLUE, WHITE]);
  });

  test('is a JPEG where nothing better is accepted, because a page is opaque', async () => {
    expect((await ask(service.url, '/t/w_100/pages.pdf')).headers['content-type']).toBe('image/jpeg');
    expect(
      (await ask(service.url, '/t/w_100/pages.pdf', { headers: { accept: 'image/avif' } })).headers['content-type'],
    ).toBe('image/avif');
  });

  test('pg names a page, each of its own size', async () => {
    expect(await shown('/t/pg_2,f_png/pages.pdf')).toMatchObject({ width: 60, height: 90 });
    const third = await shown('/t/pg_3,f_png/pages.pdf');
    expect([third.width, third.height, third.at(25, 25)]).toEqual([50, 50, BLUE]);
  });

  test.each(['pg_4', 'pg_10000,w_50,h_50,g_auto', 'pg_4,f_json'])(
    '%s beyond the last page is 400, and says how many there are',
    async (text) => {
      const { status, json } = await ask(service.url, `/t/${text}/pages.pdf`);
      expect([status, json().message]).toEqual([400, expect.stringContaining('from 1 to 3')]);
    },
  );

  test('is sharp at any size', async () => {
    const { at, width, height } = await shown('/t/w_1600,c_fit,f_png/pages.pdf');
    expect([width, height, at(798, 700), at(801, 700)]).toEqual([1600, 800, RED, BLUE]);
    const part = await shown('/t/rg_95:60:10:10,w_400,f_png/pages.pdf');
    expect([part.at(198, 200), part.at(201, 200)]).toEqual([RED, BLUE]);
  });

  test('is turned as its page says', async () => {
    await service.place('turned.pdf', pdfOf([{ ...HALVES, more: '/Rotate 90' }]));
    const { at, width, height } = await shown('/t/f_png/turned.pdf');
    expect([width, height, at(10, 10), at(10, 190)]).toEqual([100, 200, RED, BLUE]);
  });

  test('has facts: those of its page, and how many pages there are', async () => {
    expect((await ask(service.url, '/t/f_json/pages.pdf')).json()).toMatchObject({
      type: 'application/pdf',
      width: 200,
      height: 100,
      frames: 3,
      hasAlpha: false,
    });
    expect((await ask(service.url, '/t/f_json,pg_2/pages.pdf')).json()).toMatchObject({ width: 60, height: 90 });
    await service.upload({ 'facts.pdf': bytes });
    const asset = async () => (await (await service.authorized('/assets/facts.pdf')).json()) as Record<string, unknown>;
    await expect.poll(asset).toMatchObject({ kind: 'image', width: 200, height: 100, frames: 3 });
  });

  test('can be laid over a picture', async () => {
    const below = sharp({ create: { width: 300, height: 300, channels: 3, background: 'lime' } });
    await service.place('below.png', await below.png().toBuffer());
    const { at } = await shown('/t/f_png~l_pages.pdf,g_nw,w_100/below.png');
    expect([at(10, 40), at(90, 40), at(50, 5), at(150, 150)]).toEqual([RED, BLUE, WHITE, [0, 255, 0]]);
  });

  test('letters are black and white, without coloured edges', async () => {
    const font = '/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>';
    await service.place(
      'text.pdf',
      pdfOf([{ width: 100, height: 40, paint: 'BT /F 20 Tf 10 10 Td (Hello) Tj ET', more: font }]),
    );
    const { data } = await shown('/t/w_300,f_png/text.pdf');
    const pixels = Array.from({ length: data.length / 3 }, (_, index) => [...data.subarray(index * 3, index * 3 + 3)]);
    expect(pixels.every(([red, green, blue]) => red === green && green === blue)).toBe(true);
    expect(Math.min(...data)).toBeLessThan(30);
  });
});

describe('the fields of a form are drawn', () => {
  const FONT = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>';
  const form = (paint: string) => `<</Subtype/Form/BBox[0 0 40 20]/Length ${paint.length}>>stream\n${paint}\nendstream`;
  /** Returns a page with a field from 20, 40 to 60, 60, in points from the top left. */
  const withField = (field: string, objects: readonly string[] = [], more = '', annotations = '') => {
    const own = firstFree(1);
    const widget = `<</Type/Annot/Subtype/Widget/P 3 0 R/Rect[20 40 60 60]/T(a)${field}>>`;
    const catalog = `/AcroForm<</Fields[${own} 0 R]/DR<</Font<</F ${own + 1} 0 R>>>>/DA(/F 12 Tf 0 g)${more}>>`;
    const page = { width: 100, height: 100, paint: '', more: `/Annots[${own} 0 R${annotations}]` };
    return pdfOf([page], catalog, [widget, FONT, ...objects]);
  };
  const first = firstFree(1) + 2;
  const red = form('1 0 0 rg 0 0 40 20 re f');
  const blue = form('0 0 1 rg 0 0 40 20 re f');
  const states = `/AP<</N<</On ${first} 0 R/Off ${first + 1} 0 R>>>>`;

  test.each([
    ['a text', withField(`/FT/Tx/V(v)/F 4/AP<</N ${first} 0 R>>`, [red]), RED],
    ['a button', withField(`/FT/Btn/Ff 65536/F 4/AP<</N ${first} 0 R>>`, [red]), RED],
    ['a ticked box', withField(`/FT/Btn/F 4/AS/On${states}`, [red, blue]), RED],
    ['a box that is not ticked', withField(`/FT/Btn/F 4/AS/Off${states}`, [red, blue]), BLUE],
    ['a choice', withField(`/FT/Ch/Ff 131072/Opt[(v)]/V(v)/F 4/AP<</N ${first} 0 R>>`, [red]), RED],
    ['a signature', withField(`/FT/Sig/F 4/AP<</N ${first} 0 R>>`, [red]), RED],
    ['a hidden one, which is not', withField(`/FT/Tx/V(v)/F 2/AP<</N ${first} 0 R>>`, [red]), WHITE],
    ['one without a colour of its own, not highlighted', withField('/FT/Tx/F 4'), WHITE],
  ])('%s', async (what, bytes, colour) => {
    await service.place(`fields/${what}.pdf`, bytes);
    for (const segment of ['f_png', 'f_png,w_400']) {
      const { at, width } = await shown(`/t/${segment}/fields/${encodeURIComponent(what)}.pdf`);
      expect(at((width * 40) / 100, (width * 50) / 100)).toEqual(colour);
    }
  });

  test('a text that has no appearance yet is written', async () => {
    await service.place(
      'fields/bare.pdf',
      withField('/FT/Tx/V(WWWW)/F 4/DA(/F 12 Tf 0 g)', [], '/NeedAppearances true'),
    );
    const { data } = await shown('/t/f_png,w_400/fields/bare.pdf');
    expect(data.some((value) => value < 80)).toBe(true);
  });

  test('beside comments, each once', async () => {
    const field = `/FT/Tx/V(v)/F 4/AP<</N ${first} 0 R>>`;
    const square = `<</Type/Annot/Subtype/Square/F 4/Rect[70 40 90 60]/AP<</N ${first + 2} 0 R>>>>`;
    const faint = form('/G gs 0 0 1 rg 0 0 40 20 re f').replace(
      '/BBox',
      '/Resources<</ExtGState<</G<</ca 0.5>>>>>>/BBox',
    );
    await service.place('fields/both.pdf', withField(field, [red, square, faint], '', ` ${first + 1} 0 R`));
    const { at } = await shown('/t/f_png,w_400/fields/both.pdf');
    expect(at(160, 200)).toEqual(RED);
    expect(at(320, 200)[0]).toBeGreaterThan(120);
  });
});

describe('thin lines are as dark in a small result as in a large one that is shrunk', () => {
  const lines = Array.from({ length: 75 }, (_, index) => `50 ${100 + index * 4} m 545 ${100 + index * 4} l S`);
  const font = '/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>';
  const texts = Array.from({ length: 20 }, () => '(Bold by a stroke of 0.4 points, as word processors write it) Tj T*');
  const pages: [string, string][] = [
    ['hairlines', `0.25 w ${lines.join(' ')}`],
    ['bold letters', `BT /F 10 Tf 2 Tr 0.4 w 50 700 Td 12 TL ${texts.join(' ')} ET`],
    ['letters', `BT /F 8 Tf 50 700 Td 12 TL ${texts.join(' ')} ET`],
    ['a hatching', `0.3 w ${lines.map((line) => line.replaceAll(' m', ' m').replace('545', '300')).join(' ')}`],
  ];

  test.each(pages)('%s', async (what, paint) => {
    const name = encodeURIComponent(what);
    await service.place(`thin/${what}.pdf`, pdfOf([{ width: 595, height: 842, paint, more: font }]));
    const meanOf = async (segment: string) => {
      const { body } = await ask(service.url, `/t/f_png,${segment}/thin/${name}.pdf`);
      const { channels } = await sharp(body).removeAlpha().stats();
      return 255 - (channels[0]?.mean ?? 0);
    };
    const wanted = await meanOf('w_4760');
    for (const width of [100, 200, 300, 595, 1000]) {
      const ink = await meanOf(`w_${width}`);
      expect(Math.abs(ink / wanted - 1), `${width} wide: ${ink}, expected ${wanted}`).toBeLessThan(0.2);
    }
  });
});

describe('one that cannot be shown is 422 and says why', () => {
  const whole = pdfOf([HALVES]);
  /** A standard handler with an unknown password (ISO 32000-1, 7.6.3). */
  const lock = `/Encrypt<</Filter/Standard/V 1/R 2/O(${'o'.repeat(32)})/U(${'u'.repeat(32)})/P -4>>/ID[(0123456789abcdef)(0123456789abcdef)]`;
  const unknown = '/Encrypt<</Filter/Unheard/V 9>>/ID[(0123456789abcdef)(0123456789abcdef)]';

  test.each([
    ['encrypted', pdfOf([HALVES], '', [], lock), 'opens with a password alone'],
    ['encrypted in an unknown way', pdfOf([HALVES], '', [], unknown), 'encrypted'],
    ['cut in its header', whole.subarray(0, 12), 'damaged'],
    ['without pages', pdfOf([]), 'no pages'],
    ['of noise', Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(5000, 'endobj obj << >> ')]), 'damaged'],
  ])('%s', async (what, bytes, reason) => {
    await service.place(`broken/${what}.pdf`, bytes);
    const { status, json, headers } = await ask(service.url, `/t/w_50,f_png/broken/${encodeURIComponent(what)}.pdf`);
    expect([status, json().code, headers['x-transform-fallback']]).toEqual([422, 'unprocessable_media', undefined]);
    expect(json().message).toContain(reason);
  });

  test('but one whose table is wrong is shown', async () => {
    const wrong = whole.toString('latin1').replace(/startxref\n\d+/, 'startxref\n7');
    await service.place('cut.pdf', Buffer.from(wrong, 'latin1'));
    expect((await shown('/t/f_png/cut.pdf')).at(10, 80)).toEqual(RED);
  });
});

test('scripts do not run, and nothing is fetched', async () => {
  const asked: string[] = [];
  const outside = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end();
  });
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
  const script = '(app.launchURL("URL", true); this.getURL("URL"); this.submitForm("URL"); while (true);)';
  const actions = [
    `<</S/JavaScript/JS ${script}>>`,
    '<</S/URI/URI(URL)>>',
    '<</S/GoToR/F<</FS/URL/F(URL)>>/D[0/Fit]>>',
    '<</S/SubmitForm/F<</FS/URL/F(URL)>>>>',
    '<</S/Launch/F(/bin/sh)>>',
    '<</S/ImportData/F<</FS/URL/F(URL)>>>>',
  ].map((action) => action.replaceAll('URL', url));
  const outsideStream = `<</Length 0/F<</FS/URL/F(${url})>>/FFilter/FlateDecode>>stream\n\nendstream`;
  for (const [index, action] of actions.entries()) {
    const at = firstFree(1);
    const names = `/OpenAction ${at} 0 R/AA<</WC ${at} 0 R>>/Names<</JavaScript<</Names[(a) ${at} 0 R]>>>>`;
    const more = `/AA<</O ${at} 0 R>>/Annots[<</Type/Annot/Subtype/Link/Rect[0 0 200 100]/A ${at} 0 R>>]`;
    await service.place(`acts/${index}.pdf`, pdfOf([{ ...HALVES, more }], names, [action, outsideStream]));
    expect((await shown(`/t/f_png/acts/${index}.pdf`)).at(10, 80)).toEqual(RED);
  }
  expect(asked).toEqual([]);
  outside.close();
});

test('one that takes too long is 422, and the next one waits for nothing', async () => {
  const impatient = await startService({ EXTRA_TYPES: 'pdf', DOCUMENT_TIMEOUT_MS: '300' });
  const forms = Array.from({ length: 12 }, (_, level) => {
    const own = firstFree(1) + level;
    const paint = level === 11 ? '1 0 0 rg 0 0 200 100 re f' : '/X Do '.repeat(10);
    const used = level === 11 ? '' : `/Resources<</XObject<</X ${own + 1} 0 R>>>>`;
    return `<</Type/XObject/Subtype/Form/BBox[0 0 200 100]${used}/Length ${paint.length}>>stream\n${paint}\nendstream`;
  });
  const more = `/Resources<</XObject<</X ${firstFree(1)} 0 R>>>>`;
  await impatient.place('bomb.pdf', pdfOf([{ width: 200, height: 100, paint: '/X Do', more }], '', forms));
  const first = await ask(impatient.url, '/t/w_100,f_png/bomb.pdf');
  expect([first.status, first.json().message]).toEqual([422, expect.stringContaining('DOCUMENT_TIMEOUT_MS')]);
  const { rendered } = impatient.services.pool.stats();
  expect((await ask(impatient.url, '/t/w_120,f_webp/bomb.pdf')).status).toBe(422);
  expect(impatient.services.pool.stats().rendered).toBe(rendered);
  await impatient.close();
});

test('one with many endless pages is refused as a whole after two of them, also those that wait already', async () => {
  const impatient = await startService({ EXTRA_TYPES: 'pdf', DOCUMENT_TIMEOUT_MS: '300' });
  const count = 20;
  const forms = Array.from({ length: 12 }, (_, level) => {
    const own = firstFree(count) + level;
    const paint = level === 11 ? '1 0 0 rg 0 0 200 100 re f' : '/X Do '.repeat(10);
    const used = level === 11 ? '' : `/Resources<</XObject<</X ${own + 1} 0 R>>>>`;
    return `<</Type/XObject/Subtype/Form/BBox[0 0 200 100]${used}/Length ${paint.length}>>stream\n${paint}\nendstream`;
  });
  const more = `/Resources<</XObject<</X ${firstFree(count)} 0 R>>>>`;
  const pages = Array.from({ length: count }, () => ({ width: 200, height: 100, paint: '/X Do', more }));
  await impatient.place('bombs.pdf', pdfOf(pages, '', forms));
  const { rendered } = impatient.services.pool.stats();
  const answers = await Promise.all(pages.map((_, page) => ask(impatient.url, `/t/w_100,pg_${page + 1}/bombs.pdf`)));
  expect(answers.map(({ status }) => status)).toEqual(pages.map(() => 422));
  for (const { json } of answers) expect(json().message).toContain('DOCUMENT_TIMEOUT_MS');
  // Two, and one that begins before the second of them is recorded.
  expect(impatient.services.pool.stats().rendered - rendered).toBeLessThanOrEqual(3);
  await impatient.close();
});
