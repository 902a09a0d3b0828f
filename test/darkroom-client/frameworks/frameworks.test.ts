import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { fixture } from '../../http.ts';
import { startService, type TestService } from '../../service.ts';
import { isAnswered, widthOf } from '../answered.ts';

/** Larger sizes take long to render, and use the same code. */
const LARGEST = 800;

let service: TestService;
let base: string;

/** Returns the markup that a framework generates for images, by its own code. */
async function madeBy<Shown>(framework: string): Promise<Shown> {
  const program = join(import.meta.dirname, 'programs', `${framework}.ts`);
  return JSON.parse((await promisify(execFile)('node', [program, base])).stdout);
}

/**
 * Requests the images of a srcset that has widths.
 * @returns their number
 */
async function haveTheirWidths(srcset: string): Promise<number> {
  const all = srcset.split(/,\s+/).map((one) => one.split(' ') as [address: string, descriptor: string]);
  const small = all.filter(([, descriptor]) => Number.parseInt(descriptor, 10) <= LARGEST);
  for (const [address, descriptor] of small)
    expect([address, `${await widthOf(address)}w`]).toEqual([address, descriptor]);
  return small.length;
}

describe.skipIf('missing' in inject('frameworks'))('pictures of the library', () => {
  beforeAll(async () => {
    service = await startService();
    base = service.url;
    await service.upload({ 'face.jpg': fixture('portrait-face.jpg') }, { folder: 'people' });
  });
  afterAll(() => service.close());

  test('are shown by next/image', async () => {
    type Props = { src: string; srcSet: string };
    const { fixed, filling } = await madeBy<Record<'fixed' | 'filling', Props>>('next');
    expect(fixed.srcSet).toContain(`${base}/t/ar_4:3,w_384,q_75,f_webp/people/face.jpg 1x`);
    expect(await widthOf(fixed.src)).toBe(640);
    expect(await isAnswered(fixed.src)).toBe('image/webp');
    expect(filling.srcSet).toContain('q_auto');
    expect(await haveTheirWidths(filling.srcSet)).toBeGreaterThan(2);
  });

  test('are shown by @nuxt/image', async () => {
    type Made = { sizes: { srcset: string; src: string; sizes: string }; padded: string; avatar: string };
    const { sizes, padded, avatar } = await madeBy<Made>('nuxt');
    expect(sizes.sizes).toBe('(max-width: 639px) 100px, 50vw');
    expect(await haveTheirWidths(sizes.srcset)).toBe(4);
    expect(padded).toBe(`${base}/t/w_320,h_300,c_pad,b_336699,q_70,f_webp/people/face.jpg`);
    expect(await widthOf(padded)).toBe(320);
    expect(avatar).toBe(`${base}/t/w_80,h_80,c_fill,g_face,r_max,f_webp/people/face.jpg`);
    expect(await widthOf(avatar)).toBe(80);
  });

  test('are shown by unpic, which reads their addresses too', async () => {
    type Props = { src: string; srcset: string };
    type Made = { constrained: Props; whole: Props; read: unknown; changed: string; transformed: string };
    const { constrained, whole, read, changed, transformed } = await madeBy<Made>('unpic');
    expect(constrained.src).toBe(`${base}/t/w_300,h_200,g_face,f_webp/people/face.jpg`);
    expect(await widthOf(constrained.src)).toBe(300);
    expect(await haveTheirWidths(constrained.srcset)).toBe(2);
    expect(await haveTheirWidths(whole.srcset)).toBe(2);
    expect(read).toEqual({
      src: 'people/face.jpg',
      operations: { width: 400, height: 300, format: 'webp', quality: 80 },
      options: { base },
    });
    expect(changed).toBe(`${base}/t/w_200,h_100,q_80,f_webp/people/face.jpg`);
    expect(transformed).toBe(changed);
    expect(await widthOf(changed)).toBe(200);
  });

  test('are shown by Astro, beside pictures that a page imports', async () => {
    type Made = { src: string; srcset: string; attributes: object };
    type Names = 'dense' | 'wide' | 'laidOut' | 'own' | 'imported';
    const { dense, wide, laidOut, own, imported } = await madeBy<Record<Names, Made>>('astro');
    const from = `${base}/t`;
    expect(dense.srcset).toBe(
      ['w_200,h_150 1x', 'w_300,h_225 1.5x', 'w_400,h_300 2x']
        .map((one) => one.replace(' ', ',q_auto,f_webp/people/face.jpg '))
        .map((one) => `${from}/${one}`)
        .join(', '),
    );
    expect(await widthOf(dense.src)).toBe(200);
    expect(dense.attributes).toEqual({ alt: 'A face', width: 200, height: 150, loading: 'lazy', decoding: 'async' });
    expect(wide.src).toBe(`${from}/w_400,h_300,c_fill,g_north_east,q_50/people/face.jpg`);
    expect(await haveTheirWidths(wide.srcset)).toBe(2);
    expect(await haveTheirWidths(laidOut.srcset)).toBe(2);
    expect(own.src).toBe(`${from}/w_200,h_200,g_face,r_20,q_auto/people/face.jpg`);
    expect(await widthOf(own.src)).toBe(200);
    expect(imported).toMatchObject({ src: '/_astro/icon.abc.png', srcset: '' });
  });

  test('are asked for by loaders of the types that the frameworks have', () => {
    const program = ts.createProgram([join(import.meta.dirname, 'programs', 'types.ts')], {
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      types: [],
      lib: ['lib.esnext.d.ts', 'lib.dom.d.ts'],
      strict: true,
      skipLibCheck: true,
      noEmit: true,
      allowImportingTsExtensions: true,
    });
    const complaints = ts.getPreEmitDiagnostics(program);
    expect(complaints.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
  });
});
