import { afterAll, beforeAll, expect, test } from 'vitest';
import { img } from '../../packages/client/src/index.ts';
import { nextLoader } from '../../packages/client/src/next.ts';
import { fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  // As in docs/frameworks.md.
  service = await startService({ DELIVERY_MODE: 'presets', PRESETS: 's=w_160,q_auto;m=w_640,q_auto;l=w_1280,q_auto' });
  await service.upload({ 'shoe.jpg': fixture('portrait-face.jpg') });
});
afterAll(() => service.close());

const statusOf = async (address: string) => (await fetch(address)).status;

test('in the mode of presets a loader and img get what PRESETS names, word for word, and nothing else', async () => {
  const loader = nextLoader({ base: service.url, options: { quality: 'auto' } });
  for (const width of [160, 640, 1280]) expect(await statusOf(loader({ src: 'shoe.jpg', width }))).toBe(200);
  expect(await statusOf(loader({ src: 'shoe.jpg', width: 161 }))).toBe(403);
  const { src, srcset } = img('shoe.jpg', { quality: 'auto' }, { base: service.url, widths: [160, 640] });
  for (const address of [src, ...srcset.split(', ').map((one) => one.split(' ')[0] ?? '')]) {
    expect(await statusOf(address)).toBe(200);
  }
});
