import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { svgOf } from '../pictures/svg-samples.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ EXTRA_TYPES: 'svg', DOCUMENT_TIMEOUT_MS: '20000' });
});
afterAll(() => service.close());

let count = 0;
async function shown(svg: string | Buffer, segment: string) {
  const name = `${++count}.svg`;
  await service.place(name, svg);
  const { status, body } = await ask(service.url, `/t/f_png,${segment}/${name}`);
  expect(status, body.toString('latin1', 0, 300)).toBe(200);
  const { data, info } = await sharp(body).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => [...data.subarray((y * info.width + x) * 4, (y * info.width + x) * 4 + 4)];
  return { at, size: [info.width, info.height] };
}

const RED = [255, 0, 0, 255];
const BLUE = [0, 0, 255, 255];
const NOTHING = [0, 0, 0, 0];

describe('the natural size of an SVG is that of CSS', () => {
  test.each([
    ['width="200mm" height="100mm" viewBox="0 0 200 100"', 756, 378],
    ['width="200mm" height="100mm"', 756, 378],
    ['width="20cm" height="10cm"', 756, 378],
    ['width="2in" height="1in"', 192, 96],
    ['width="72pt" height="36pt"', 96, 48],
    ['width="6pc" height="3pc"', 96, 48],
    ['width="800Q" height="400q"', 756, 378],
    ['width="10em" height="5rem"', 160, 80],
    ['width="10ex" height="5ex"', 80, 40],
    ['width="10em" height="5em" font-size="10"', 100, 50],
    ['width="10rem" height="10ex" font-size="10px"', 100, 50],
    ['width="10ch" height="5ch" style="fill:red; font-size : 15pt ! important"', 100, 50],
    ['width="10em" height="5em" font-size="7" style="font-size:20px;font-size:10px"', 100, 50],
    ['width="96px" height="48"', 96, 48],
    ['width="1e2" height="+.5e2"', 100, 50],
    ['width=" 30.4mm " height="10MM"', 115, 38],
    ['style="width:50mm;height:25mm" width="7" height="7"', 7, 7],
    ['width="100mm" viewBox="0 0 40 20"', 378, 189],
    ['height="100mm" viewBox="0,0 , 40 20"', 756, 378],
    ['width="100%" height="100%" viewBox="0 0 40 20"', 40, 20],
    ['style="width:100%;height:auto" viewBox="0 0 40 20"', 40, 20],
    ['viewBox="0 0 40 20"', 40, 20],
    ['width="60" height="30" viewBox=""', 60, 30],
  ])('%s', async (attributes, width, height) => {
    expect((await shown(svgOf('', attributes), 'q_85')).size).toEqual([width, height]);
  });

  test.each(['font-size="200%"', 'style="font:10px serif"', 'style="font-size:larger"'])(
    'by a font size that is no length, %s, it is what the renderer takes it for',
    async (font) => {
      const bar = '<rect width="10em" height="5em" fill="red"/>';
      const { at, size } = await shown(svgOf(bar, `width="10em" height="5em" viewBox="0 0 9 9" ${font}`), 'q_85');
      const [width = 0, height = 0] = size;
      expect(width).toBe(height * 2);
      expect(at(width / 2, height / 2)).toEqual(RED);
    },
  );

  test('also in the facts', async () => {
    await service.place('facts.svg', svgOf('', 'width="2in" height="1in"'));
    expect((await ask(service.url, '/t/f_json/facts.svg')).json()).toMatchObject({ width: 192, height: 96 });
  });
});

const HALVES = '<rect width="100" height="100" fill="red"/><rect x="100" width="100" height="100" fill="blue"/>';

describe.each([
  ['mm', 'width="200mm" height="100mm" viewBox="0 0 200 100"'],
  ['cm', 'width="20cm" height="10cm" viewBox="0 0 200 100"'],
  ['in', 'width="8in" height="4in" viewBox="0 0 200 100"'],
  ['pt', 'width="600pt" height="300pt" viewBox="0 0 200 100"'],
  ['pc', 'width="50pc" height="25pc" viewBox="0 0 200 100"'],
  ['px', 'width="200px" height="100px"'],
  ['odd', 'width="41.3mm" height="20.65mm" viewBox="0 0 200 100"'],
  ['no unit, by a style of the file', 'style="width:100%;height:100%" viewBox="0 0 200 100"'],
])('in %s an SVG is sharp', (_unit, attributes) => {
  test.each([
    ['c_fit,w_64,h_64', 64, 32],
    ['w_200', 200, 100],
    ['w_5000', 5000, 2500],
  ])('at %s', async (segment, width, height) => {
    const { at, size } = await shown(svgOf(HALVES, attributes), segment);
    expect(size).toEqual([width, height]);
    expect([at(width / 2 - 1, 5), at(width / 2, 5)]).toEqual([RED, BLUE]);
  });
});

test('a rule of the file for its root does not decide the size that it is drawn at', async () => {
  const style = '<style>svg { width: 7px; height: 9px !important }</style>';
  const { at, size } = await shown(svgOf(style + HALVES, 'width="200" height="100"'), 'w_400');
  expect([size, at(199, 5), at(200, 5)]).toEqual([[400, 200], RED, BLUE]);
});

test.each([
  'width:9000px !important;height:20px!important',
  'WIDTH:9000px!important;height:20px!important;',
  'fill:lime;width:1px!important',
])('the style of the root does not decide it either: %s', async (style) => {
  const attributes = `width="200" height="100" style='${style}'`;
  const { at, size } = await shown(svgOf(HALVES, attributes), 'w_400');
  expect([size, at(199, 5), at(200, 5)]).toEqual([[400, 200], RED, BLUE]);
});

describe('what is measured within an SVG keeps its share of it at any size', () => {
  test.each(['w_200', 'w_50', 'w_1000'])('at %s', async (segment) => {
    // Half of the width: 100 pixels.
    const bar = '<rect width="26.4583mm" height="75pt" fill="red"/>';
    const { at, size } = await shown(svgOf(bar, 'width="200" height="100"'), segment);
    const [width = 0] = size;
    expect([at(width / 2 - 2, 5), at(width / 2 + 1, 5)]).toEqual([RED, NOTHING]);
  });

  test('also in shares of its box, without a view box', async () => {
    const bar = '<rect width="50%" height="100%" fill="red"/>';
    const { at } = await shown(svgOf(bar, 'width="100mm" height="50mm"'), 'w_1000');
    expect([at(498, 5), at(501, 5)]).toEqual([RED, NOTHING]);
  });

  test('letters without a size have 16 pixels', async () => {
    const one = await shown(svgOf('<rect width="10em" height="9" fill="red"/>', 'width="320" height="9"'), 'w_320');
    expect([one.at(158, 5), one.at(161, 5)]).toEqual([RED, NOTHING]);
    const own = svgOf('<rect width="10em" height="9" fill="red"/>', 'width="320" height="9" font-size="20"');
    const other = await shown(own, 'w_320');
    expect([other.at(198, 5), other.at(201, 5)]).toEqual([RED, NOTHING]);
  });
});

describe('an SVG whose elements have a prefix', () => {
  const prefixed = (prefix: string) =>
    `<?xml version="1.0"?>\n<${prefix}:svg xmlns:${prefix}="http://www.w3.org/2000/svg" width="60" height="40">` +
    `<${prefix}:rect width="60" height="40" fill="red"/></${prefix}:svg>`;

  test.each(['svg', 's', 'ns0', 'zeichnung-1', 'é'])('%s is uploaded and drawn', async (prefix) => {
    expect((await service.upload({ [`${encodeURIComponent(prefix)}.svg`]: prefixed(prefix) })).status).toBe(200);
    const { at, size } = await shown(prefixed(prefix), 'w_120');
    expect([size, at(5, 5), at(115, 75)]).toEqual([[120, 80], RED, RED]);
  });

  test('that no namespace explains is 422', async () => {
    await service.place('unbound.svg', '<svg:svg width="6" height="4"/>');
    expect((await ask(service.url, '/t/f_png/unbound.svg')).status).toBe(422);
  });
});
