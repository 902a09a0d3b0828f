import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listParameters, type ParameterEntry } from '../../src/delivery/parameters.ts';
import { imageLayer, textLayer } from '../../src/image/layers/parameters.ts';
import { imageSteps } from '../../src/image/steps/index.ts';
import type { Parameter, Shape } from '../../src/transformation/param.ts';
import { parseSegment } from '../../src/transformation/transformation.ts';
import { videoSteps } from '../../src/video/steps/index.ts';
import { ask } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';

const RULES = { outputSide: 8192 };

interface Listing {
  image: ParameterEntry[];
  video: ParameterEntry[];
  layer: ParameterEntry[];
  text: ParameterEntry[];
  presets: unknown;
}

let service: TestService;
beforeAll(async () => {
  service = await startService({
    MAX_OUTPUT_SIDE: '5000',
    PRESETS: 'thumb=w_200,h_200;hero=w_1600,q_auto',
    DELIVERY_MODE: 'signed',
    API_SECRET: 'test-secret-at-least-16-chars-long',
  });
});
afterAll(() => service.close());

describe('GET /transformations', () => {
  test('tells everybody the parameters, with the limits of this service, and keys with "read" the presets', async () => {
    const answer = await ask(service.url, '/transformations', { headers: { 'x-api-key': TEST_KEY } });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, '*']);
    expect(answer.headers['cache-control']).toBe('no-store');
    const anonymous = await ask(service.url, '/transformations');
    expect([anonymous.status, anonymous.headers['access-control-allow-origin']]).toEqual([200, '*']);
    expect(anonymous.json()).toEqual({ ...answer.json(), presets: [] });
    const { key } = await service.services.keyring.create({ permissions: ['upload', 'manage', 'admin'] });
    for (const presented of [key, 'wrong']) {
      const refused = await ask(service.url, '/transformations', { headers: { 'x-api-key': presented } });
      expect(refused.json()).toEqual(anonymous.json());
    }
    const { image, video, layer, text, presets } = answer.json() as unknown as Listing;
    expect(layer.map(({ key }) => key)).toEqual(imageLayer.map(({ key }) => key));
    expect(text.map(({ key }) => key)).toEqual(textLayer.map(({ key }) => key));
    expect(image.map(({ key }) => key)).toEqual(imageSteps.map(({ key }) => key));
    expect(video.map(({ key }) => key)).toEqual(videoSteps.map(({ key }) => key));
    expect(presets).toEqual([
      { name: 'thumb', transformation: 'w_200,h_200' },
      { name: 'hero', transformation: 'w_1600,q_auto' },
    ]);
    expect(image.find(({ key }) => key === 'w')).toEqual({
      key: 'w',
      aliases: [],
      separator: '_',
      name: 'width',
      summary: 'Width of the result. Without `h`, the height follows from the ratio.',
      forms: 'a whole number of pixels from 1 to `MAX_OUTPUT_SIDE`',
      examples: ['w_300'],
      shape: { kind: 'integer', min: 1, max: 5000, unit: 'pixels' },
    });
  });

  test.each(['open', 'presets'])('tells everybody the presets where DELIVERY_MODE is %s', async (DELIVERY_MODE) => {
    const open = await startService({ DELIVERY_MODE, PRESETS: 'thumb=w_200,h_200' });
    const { presets } = (await ask(open.url, '/transformations')).json();
    expect(presets).toEqual([{ name: 'thumb', transformation: 'w_200,h_200' }]);
    await open.close();
  });

  test('gives every parameter its shape and its default, as a URL would write it', async () => {
    const { image, video } = (await ask(service.url, '/transformations')).json() as unknown as Listing;
    const tell = (entries: ParameterEntry[]) =>
      Object.fromEntries(entries.map(({ key, shape, default: text }) => [key, [shape, text]]));
    const size = [{ kind: 'integer', min: 1, max: 5000, unit: 'pixels' }, undefined];
    const percent = [{ kind: 'integer', min: -100, max: 100 }, '0'];
    expect(tell(image)).toEqual({
      pg: [{ kind: 'integer', min: 1, max: 10_000 }, '1'],
      tr: [{ kind: 'integer', min: 1, max: 100 }, undefined],
      a: [{ kind: 'integer', min: 0, max: 359, unit: 'degrees', auto: true }, '0'],
      rg: [{ kind: 'text' }, undefined],
      ar: [{ kind: 'ratio' }, undefined],
      w: size,
      h: size,
      dpr: [{ kind: 'decimal', min: 0.5, max: 4 }, '1'],
      c: [{ kind: 'choice', values: ['fill', 'fit', 'scale', 'crop', 'pad'] }, 'fill'],
      el: [{ kind: 'boolean' }, 'true'],
      g: [
        {
          kind: 'choice',
          auto: true,
          values: [
            ...['center', 'north', 'south', 'east', 'west'],
            ...['north_east', 'north_west', 'south_east', 'south_west', 'face', 'focal'],
          ],
        },
        'focal',
      ],
      z: [{ kind: 'decimal', min: 1, max: 10, auto: true }, '1'],
      e_blur_faces: [{ kind: 'decimal', min: 0.3, max: 100, unit: 'pixels', auto: true }, undefined],
      e_pixelate_faces: [{ kind: 'integer', min: 2, max: 200, auto: true }, undefined],
      e_pixelate: [{ kind: 'integer', min: 2, max: 200 }, undefined],
      e_blur: [{ kind: 'decimal', min: 0.3, max: 100, unit: 'pixels' }, undefined],
      e_saturation: percent,
      e_hue: [{ kind: 'integer', min: -180, max: 180 }, '0'],
      e_grayscale: [{ kind: 'boolean' }, 'false'],
      e_sepia: [{ kind: 'integer', min: 1, max: 100 }, undefined],
      e_tint: [{ kind: 'text' }, undefined],
      e_duotone: [{ kind: 'text' }, undefined],
      e_negate: [{ kind: 'boolean' }, 'false'],
      e_brightness: percent,
      e_contrast: percent,
      e_sharpen: [{ kind: 'decimal', min: 0.3, max: 10 }, undefined],
      e_vignette: [{ kind: 'integer', min: 1, max: 100 }, undefined],
      e_cutout: [{ kind: 'boolean' }, 'false'],
      pd: [{ kind: 'text' }, '0'],
      b: [{ kind: 'colour', auto: true }, undefined],
      bo: [{ kind: 'text' }, undefined],
      r: [{ kind: 'corners' }, '0'],
      o: [{ kind: 'integer', min: 0, max: 100 }, '100'],
      an: [{ kind: 'boolean' }, 'false'],
      q: [{ kind: 'integer', min: 1, max: 100, auto: true }, '85'],
      f: [{ kind: 'choice', values: ['avif', 'webp', 'jpeg', 'png', 'gif', 'best', 'json'], auto: true }, 'auto'],
    });
    const time = { kind: 'decimal', min: 0, max: 86_400, unit: 'seconds' };
    expect(tell(video)).toEqual({
      so: [time, undefined],
      eo: [time, undefined],
      fps: [{ kind: 'integer', min: 1, max: 60 }, undefined],
      w: size,
      h: size,
      dpr: [{ kind: 'decimal', min: 0.5, max: 4 }, '1'],
      c: [{ kind: 'choice', values: ['fill', 'fit', 'scale', 'pad'] }, 'fill'],
      b: [{ kind: 'colour' }, '000000'],
      vc: [{ kind: 'choice', values: ['h264', 'vp9', 'av1', 'h265'] }, undefined],
      q: [{ kind: 'integer', min: 1, max: 100, auto: true }, '75'],
      au: [{ kind: 'choice', values: ['none', 'aac', 'opus', 'mp3'] }, undefined],
      ln: [{ kind: 'boolean' }, 'false'],
      f: [
        {
          kind: 'choice',
          values: [
            'mp4',
            'webm',
            'mov',
            'cmaf',
            'm3u8',
            'hls',
            'dash',
            'vtt',
            'avif',
            'webp',
            'jpeg',
            'png',
            'gif',
            'best',
            'json',
          ],
          auto: true,
        },
        'mp4',
      ],
      t: [{ kind: 'boolean' }, 'false'],
      tt: [time, undefined],
      an: [{ kind: 'boolean' }, 'false'],
      sb: [{ kind: 'boolean' }, 'false'],
      wf: [{ kind: 'boolean' }, 'false'],
      co: [{ kind: 'colour' }, '000000'],
    });
  });
});

/** The photo of the reference has one page and no border. */
const WITHOUT_EXAMPLES = ['pg', 'tr'];

const all: [kind: string, Parameter<string, unknown>][] = [
  ...imageSteps.map((step): [string, Parameter<string, unknown>] => [`picture: ${step.key}`, step]),
  ...videoSteps.map((step): [string, Parameter<string, unknown>] => [`video: ${step.key}`, step]),
];

describe.each(all)('the declaration of a %s', (kind, { key, aliases = [], syntax, reference, ...parameter }) => {
  const shape = syntax.shape(RULES);
  const [own, foreign] = kind.startsWith('video') ? [videoSteps, imageSteps] : [imageSteps, videoSteps];

  /** Returns the canonical text of a value; undefined if the parser rejects it. */
  function canonical(text: string | number): string | undefined {
    const reading = syntax.parse(String(text), RULES);
    return reading && 'value' in reading ? syntax.format(reading.value) : undefined;
  }

  test('has examples, which are transformations with it', () => {
    expect(reference.examples.length > 0).toBe(!WITHOUT_EXAMPLES.includes(key));
    for (const example of reference.examples) {
      expect(parseSegment(example, own, [foreign], RULES), example).toBeDefined();
      const keys = example.split(',').map(keyOf);
      expect([key, ...aliases].some((name) => keys.some((one) => one === name || one.startsWith(`${name}_`)))).toBe(
        true,
      );
    }
  });

  test('has a shape whose values, and `auto` where it says so, the parser takes', () => {
    for (const text of valuesOf(shape)) expect([text, canonical(text)]).toEqual([text, expect.any(String)]);
    expect(canonical('auto') !== undefined).toBe(shape.auto === true);
  });

  test('has a default that fits', () => {
    if (parameter.default === undefined) return;
    const text = syntax.format(parameter.default);
    expect(canonical(text)).toBe(text);
    if ('min' in shape) expect(Number(text)).toSatisfy((value: number) => value >= shape.min && value <= shape.max);
    if ('values' in shape) expect([...shape.values, shape.auto && 'auto']).toContain(text);
  });

  test('has a shape beyond which there is nothing: what the parser takes there is a value within', () => {
    if (!('min' in shape)) return;
    const step = shape.kind === 'integer' ? 1 : 0.001;
    for (const beyond of [shape.min - step, shape.max + step, -1e6, 1e6]) {
      const text = canonical(beyond);
      if (text !== undefined)
        expect(Number(text)).toSatisfy((value: number) => value >= shape.min && value <= shape.max);
    }
    if (shape.kind === 'integer') expect(canonical(shape.min + 0.5)).toBeUndefined();
  });
});

/** Returns the possible keys of a part. */
const keyOf = (part: string) =>
  part.startsWith('e_') ? part.replace(/:.*/, '') : part.slice(0, part.lastIndexOf('_'));

/** Returns its ends and a value between them, or all of its words. */
function valuesOf(shape: Shape): (string | number)[] {
  switch (shape.kind) {
    case 'integer':
      return [shape.min, shape.min + 1, shape.max - 1, shape.max];
    case 'decimal':
      return [shape.min, shape.min + 0.25, shape.max - 0.25, shape.max];
    case 'choice':
      return [...shape.values];
    case 'colour':
      return ['336699', 'rgb:33669980', 'fff', 'white'];
    case 'ratio':
      return ['1:1', '16:9', '1.91:1'];
    case 'corners':
      return ['0', '20', '20:0', '20:0:40', '1:2:3:4', 'max'];
    case 'boolean':
      return ['true', 'false'];
    case 'text':
      return [];
  }
}

test('shapes follow the limits of the service', () => {
  const { image } = listParameters({ outputSide: 300 });
  expect(image.find(({ key }) => key === 'h')?.shape).toMatchObject({ max: 300 });
});

test('GET /transformations answers without the presets while the database cannot check a key', async () => {
  const settings = {
    PRESETS: 'thumb=w_200',
    DELIVERY_MODE: 'signed',
    API_SECRET: 'test-secret-at-least-16-chars-long',
  };
  const broken = await startService(settings);
  await broken.services.database.close();
  const answer = await ask(broken.url, '/transformations', { headers: { 'x-api-key': TEST_KEY } });
  expect([answer.status, answer.json().presets]).toEqual([200, []]);
  await broken.close();
});
