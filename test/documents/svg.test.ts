import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFindInputs } from '../../src/delivery/inputs.ts';
import type { StoragePath } from '../../src/path.ts';
import type { Originals } from '../../src/storage/originals.ts';
import { ask } from '../http.ts';
import { multiplied, references, svgOf } from '../pictures/svg-samples.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ EXTRA_TYPES: 'svg', DOCUMENT_TIMEOUT_MS: '20000', MAX_INPUT_MEGAPIXELS: '4' });
  service.services.describing?.start();
});
afterAll(() => service.close());

async function shown(path: string) {
  const { status, body, headers } = await ask(service.url, path);
  expect(status, body.toString('latin1', 0, 300)).toBe(200);
  const { data, info } = await sharp(body).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => [...data.subarray((y * info.width + x) * 4, (y * info.width + x) * 4 + 4)];
  return { at, width: info.width, height: info.height, data, type: headers['content-type'] };
}

const RED = [255, 0, 0, 255];
const BLUE = [0, 0, 255, 255];
const NOTHING = [0, 0, 0, 0];
/** Red on the left, blue on the right, nothing below. */
const HALVES = svgOf('<rect width="20" height="20" fill="red"/><rect x="20" width="20" height="20" fill="blue"/>');

describe('an SVG', () => {
  beforeAll(() => service.place('halves.svg', HALVES));

  test('is uploaded, and drawn with its transparency', async () => {
    expect((await service.upload({ 'up.svg': HALVES })).status).toBe(200);
    const { at, ...picture } = await shown('/t/f_png/up.svg');
    expect(picture).toMatchObject({ width: 40, height: 30, type: 'image/png' });
    expect([at(5, 5), at(35, 5), at(5, 25)]).toEqual([RED, BLUE, NOTHING]);
  });

  test('has a state as other pictures have', async () => {
    await shown('/t/w_80,f_png/halves.svg');
    expect((await ask(service.url, '/video-status/w_80,f_png/halves.svg')).json()).toMatchObject({
      status: 'completed',
    });
  });

  test('is sharp at any size: its edge is one pixel wide at most', async () => {
    const { at, width, height } = await shown('/t/w_1600,f_png/halves.svg');
    expect([width, height]).toEqual([1600, 1200]);
    expect([at(798, 10), at(801, 10)]).toEqual([RED, BLUE]);
    expect([at(10, 798)[3], at(10, 801)[3]]).toEqual([255, 0]);
  });

  test.each([
    ['c_fit,w_800,h_800', 800, 600],
    ['c_fit,w_20,h_20', 20, 15],
    ['w_300,h_300', 300, 300],
    ['w_300,h_300,c_pad', 300, 300],
    ['w_300,el_false', 40, 30],
    ['a_90,w_300', 300, 400],
    ['rg_20:0:20:20,w_500', 500, 500],
    ['z_2', 20, 15],
    ['', 40, 30],
  ])('%s gives %i x %i', async (text, width, height) => {
    const picture = await shown(`/t/${['f_png', text].filter((part) => part !== '').join(',')}/halves.svg`);
    expect([picture.width, picture.height]).toEqual([width, height]);
  });

  test('a region is cut in its own pixels, and sharp', async () => {
    const { at } = await shown('/t/rg_15:5:10:10,w_400,f_png/halves.svg');
    expect([at(198, 200), at(201, 200)]).toEqual([RED, BLUE]);
  });

  test('is trimmed to what it paints, at any size', async () => {
    await service.place('island.svg', svgOf('<rect x="10" y="5" width="20" height="20" fill="red"/>'));
    const { at, width, height } = await shown('/t/tr,w_200,f_png/island.svg');
    expect([width, height, at(1, 1), at(198, 198)]).toEqual([200, 200, RED, RED]);
  });

  test('is drawn no larger than pictures may be, and enlarged beyond that', async () => {
    await service.place('thin.svg', svgOf('<rect width="4" height="4" fill="red"/>', 'width="4" height="4"'));
    const { width, at } = await shown('/t/w_4000,h_3000,f_png/thin.svg');
    expect([width, at(2000, 1500)]).toEqual([4000, RED]);
  });

  test('with sizes that no picture may have is drawn at the size that is asked for', async () => {
    await service.place(
      'vast.svg',
      svgOf('<rect width="100%" height="100%" fill="red"/>', 'width="30000" height="30000"'),
    );
    const { width, at } = await shown('/t/w_50,f_png/vast.svg');
    expect([width, at(25, 25)]).toEqual([50, RED]);
  });

  test('can be a layer of its own size, or of any other', async () => {
    const white = { create: { width: 200, height: 200, channels: 3 as const, background: 'white' } };
    await service.place('below.png', await sharp(white).png().toBuffer());
    const own = await shown('/t/f_png~l_halves.svg,g_nw/below.png');
    expect([own.at(39, 10), own.at(41, 10)]).toEqual([BLUE, [255, 255, 255, 255]]);
    const wide = await shown('/t/f_png~l_halves.svg,g_nw,w_200/below.png');
    expect([wide.at(98, 10), wide.at(101, 10)]).toEqual([RED, BLUE]);
  });

  test('is delivered as it is, for browsers that run and load nothing of it', async () => {
    const { status, headers, body } = await ask(service.url, '/t/halves.svg');
    expect([status, headers['content-type'], body.equals(HALVES)]).toEqual([200, 'image/svg+xml', true]);
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
    );
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  test('has facts in the catalog: those of its own size', async () => {
    await service.upload({ 'facts.svg': HALVES });
    const asset = async () => (await (await service.authorized('/assets/facts.svg')).json()) as Record<string, unknown>;
    await expect.poll(asset).toMatchObject({ kind: 'image', width: 40, height: 30, hasAlpha: true });
  });

  test('has texts in the fonts of the service', async () => {
    await service.place('text.svg', svgOf('<text x="2" y="20" font-size="20">Hello</text>'));
    const { data } = await shown('/t/w_400,f_png/text.svg');
    expect(data.some((value, index) => index % 4 === 3 && value === 255)).toBe(true);
  });
});

describe('an upload', () => {
  const PLAIN = '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>';
  test.each([
    ['an element alone', PLAIN],
    ['a declaration', `<?xml version="1.0" encoding="UTF-8"?>\n${PLAIN}`],
    ['a byte order mark', `\uFEFF${PLAIN}`],
    ['a comment', `<!-- <html> -->\n${PLAIN}`],
    ['a document type', `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/svg11.dtd">${PLAIN}`],
    ['a long comment', `<!-- ${'x'.repeat(3000)} -->${PLAIN}`],
  ])('that begins with %s is an SVG', async (what, text) => {
    expect((await service.upload({ [`${what}.svg`]: text }, { folder: 'kinds' })).status).toBe(200);
    expect((await shown(`/t/f_png/kinds/${encodeURIComponent(what)}.svg`)).width).toBe(4);
  });

  test.each([
    ['a page', '<html><svg xmlns="http://www.w3.org/2000/svg"/></html>'],
    ['another word', '<svgs/>'],
    ['a prefix of another name', '<svg:page xmlns:svg="http://www.w3.org/2000/svg"/>'],
    ['text', 'svg'],
    ['UTF-16', Buffer.from(`\uFEFF${PLAIN}`, 'utf16le')],
    ['an endless comment', `<!-- ${PLAIN}`],
    ['an endless document type', `<!DOCTYPE svg [ ${PLAIN}`],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0])],
    ['nothing', ''],
  ])('of %s is refused', async (_what, bytes) => {
    expect((await service.upload({ 'x.svg': bytes })).status).toBe(400);
  });
});

describe('what an SVG refers to is not read', () => {
  let asked: string[];
  let outside: ReturnType<typeof createServer>;
  let url: string;
  beforeAll(async () => {
    asked = [];
    outside = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end();
    });
    await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(outside.address() as AddressInfo).port}/red.svg`;
    await service.place('red.svg', svgOf('<g id="all"><rect width="40" height="30" fill="red"/></g>'));
    await service.place(
      'red.png',
      await sharp({ create: { width: 40, height: 30, channels: 3, background: 'red' } })
        .png()
        .toBuffer(),
    );
  });
  afterAll(() => outside.close());

  const targets = () => {
    const folder = join(service.data, 'originals');
    return [
      'red.svg',
      './red.png',
      `${folder}/red.png`,
      `file://${folder}/red.png`,
      `file://${folder}/red.svg`,
      url,
      'ftp://127.0.0.1/red.png',
      '/dev/zero',
    ];
  };

  test('by no element, and by no kind of address', async () => {
    for (const [index, target] of targets().entries()) {
      for (const [name, bytes] of Object.entries(references(target))) {
        const path = `references/${index}-${name}.svg`;
        await service.place(path, bytes);
        const { status, body } = await ask(service.url, `/t/f_png/${encodeURI(path)}`);
        expect([200, 422], `${name} of ${target}`).toContain(status);
        if (status !== 200) continue;
        const { channels } = await sharp(body).ensureAlpha().stats();
        expect(channels[3]?.max, `${name} of ${target} paints nothing`).toBe(0);
      }
    }
    expect(asked).toEqual([]);
  });

  test('by no entity: a file that declares any is 422', async () => {
    const folder = join(service.data, 'originals');
    for (const entity of [
      `SYSTEM "file://${folder}/red.svg"`,
      `SYSTEM "${url}"`,
      "\"&#60;rect width='40' height='30'/>\"",
      'SYSTEM "/etc/passwd"',
    ]) {
      await service.place('entity.svg', svgOf('&all;', undefined, `<!DOCTYPE svg [<!ENTITY all ${entity}>]>`));
      const { status, json } = await ask(service.url, '/t/f_png/entity.svg');
      expect([status, json().message]).toEqual([422, expect.stringContaining('entities')]);
    }
    expect(asked).toEqual([]);
  });

  test('but pictures that it has in itself are shown', async () => {
    const png = await sharp({ create: { width: 4, height: 4, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    await service.place(
      'data.svg',
      svgOf(
        `<image width="40" height="30" preserveAspectRatio="none" href="data:image/png;base64,${png.toString('base64')}"/>`,
      ),
    );
    expect((await shown('/t/f_png/data.svg')).at(20, 15)).toEqual(RED);
  });
});

describe('one that takes too long', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({ EXTRA_TYPES: 'svg', DOCUMENT_TIMEOUT_MS: '500' });
  });
  afterAll(() => service.close());

  test('is 422 that says so, and the next one waits for nothing', async () => {
    await service.place('bomb.svg', multiplied(9, 5));
    const first = await ask(service.url, '/t/w_300,f_png/bomb.svg');
    expect([first.status, first.json().message]).toEqual([422, expect.stringContaining('DOCUMENT_TIMEOUT_MS')]);
    const { rendered } = service.services.pool.stats();
    const second = await ask(service.url, '/t/w_200,f_webp/bomb.svg');
    expect([second.status, second.json().message]).toEqual([422, first.json().message]);
    expect(service.services.pool.stats().rendered).toBe(rendered);
  });

  test('for what is known of it, too', async () => {
    await service.place('unknown.svg', multiplied(9, 5));
    expect((await ask(service.url, '/t/f_json/unknown.svg')).status).toBe(422);
  });

  test('also as a layer, which is named, and where no size is given', async () => {
    const unsized = Buffer.from(multiplied(9, 5).toString().replace('width="40" height="30"', ''));
    await service.place('layer-bomb.svg', unsized);
    await service.place(
      'base.png',
      await sharp({ create: { width: 50, height: 50, channels: 3, background: 'red' } })
        .png()
        .toBuffer(),
    );
    const { status, json, headers } = await ask(service.url, '/t/f_png~l_layer-bomb.svg/base.png');
    expect([status, headers['x-transform-fallback']]).toEqual([422, undefined]);
    expect(json().message).toContain('layer-bomb.svg');
    const { rendered } = service.services.pool.stats();
    expect((await ask(service.url, '/t/w_20,f_webp~l_layer-bomb.svg,w_9/base.png')).status).toBe(422);
    expect(service.services.pool.stats().rendered).toBe(rendered);
  });
});

test.each([
  ['cut', HALVES.subarray(0, 90)],
  ['of an unknown encoding', svgOf('', undefined, '<?xml version="1.0" encoding="UTF-7"?>')],
  ['with a zero byte', svgOf('<text>\0</text>')],
  ['larger than ten megabytes', svgOf(`<!-- ${'x'.repeat(10 * 1024 * 1024)} -->`)],
  ['without anything', svgOf('', '')],
  ['of an endless size', svgOf('', 'width="40000" height="1"')],
])('one %s is 422, and not the file in the place of a picture', async (what, bytes) => {
  const path = `broken/${encodeURIComponent(what)}.svg`;
  await service.place(decodeURIComponent(path), bytes);
  const { status, json, headers } = await ask(service.url, `/t/w_20,f_png/${path}`);
  expect([status, json().code, headers['x-transform-fallback']]).toEqual([422, 'unprocessable_media', undefined]);
  expect(json().message).not.toContain(service.data);
});

test('the letters of other encodings are those that were written', async () => {
  const text = svgOf(
    '<style>.\u00e9 { fill: red }</style><rect class="\u00e9" width="40" height="30"/>',
    undefined,
    '<?xml version="1.0" encoding="ISO-8859-1"?>',
  );
  await service.place('latin.svg', Buffer.from(text.toString(), 'latin1'));
  expect((await shown('/t/f_png/latin.svg')).at(20, 15)).toEqual(RED);
});

test('what is called encoding elsewhere than in the declaration says nothing of the letters', async () => {
  const drawn = svgOf('<rect width="40" height="30" fill="red"/>', 'width="40" height="30" data-encoding="none"');
  await service.place('none.svg', Buffer.concat([Buffer.from('<!-- encoding="mine" -->'), drawn]));
  expect((await shown('/t/f_png/none.svg')).at(20, 15)).toEqual(RED);
});

test('one whose mark of UTF-8 contradicts its declaration is 422, before anything of it is read', async () => {
  const declared = svgOf('', undefined, '<?xml version="1.0" encoding="ISO-8859-1"?>');
  await service.place('two.svg', Buffer.concat([Buffer.from('\ufeff'), declared]));
  const { status, json } = await ask(service.url, '/t/f_png/two.svg');
  expect([status, json().message]).toEqual([422, 'The file does not begin with the element of an SVG.']);
});

test('facts of it are those of its own size', async () => {
  await service.place('known.svg', HALVES);
  const { json } = await ask(service.url, '/t/f_json/known.svg');
  expect(json()).toMatchObject({ type: 'image/svg+xml', width: 40, height: 30, hasAlpha: true });
});

test('its variants are those of the fonts that there are, also as a layer', async () => {
  const originals = { stat: async () => ({ etag: 'e' }) } as unknown as Originals;
  const find = createFindInputs(originals, 'these fonts');
  const fontsOf = async (original: string, layers: readonly string[] = []) => {
    const named = layers.map((path) => ({ kind: 'picture', path: path as StoragePath, options: {} }) as const);
    return (await find({ path: original as StoragePath, version: 'e' }, { layers: named })).layers.fonts;
  };
  expect([await fontsOf('a.svg'), await fontsOf('a.jpg', ['b.svg'])]).toEqual(['these fonts', 'these fonts']);
  expect([await fontsOf('a.jpg'), await fontsOf('a.jpg', ['b.png'])]).toEqual([undefined, undefined]);
});
