import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { pdfOf, plainPdfPage } from '../pictures/pdf-sample.ts';
import { svgOf } from '../pictures/svg-samples.ts';
import { plainPage, tiffOf } from '../pictures/tiff-sample.ts';
import { startService, type TestService } from '../service.ts';

const FILES: Readonly<Record<string, { bytes: Buffer; mime: string; whenOff: string }>> = {
  'a.tif': { bytes: tiffOf(plainPage(40, 30, [255, 0, 0])), mime: 'image/tiff', whenOff: 'application/octet-stream' },
  'a.svg': {
    bytes: svgOf('<rect width="40" height="30"/>'),
    mime: 'image/svg+xml',
    whenOff: 'application/octet-stream',
  },
  'a.pdf': { bytes: pdfOf([plainPdfPage(40, 30, [1, 0, 0])]), mime: 'application/pdf', whenOff: 'application/pdf' },
};
const ALL = 'svg,pdf,tiff';

let data: string;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'darkroom-test-'));
});
afterAll(() => rm(data, { recursive: true, force: true }));

async function during(types: string, work: (service: TestService) => Promise<void>): Promise<void> {
  const service = await startService({ EXTRA_TYPES: types, DATA_DIR: data });
  try {
    await service.services.sync.start();
    await work(service);
  } finally {
    await service.close();
  }
}

const kindOf = async (service: TestService, name: string) =>
  ((await (await service.authorized(`/assets/${name}`)).json()) as { kind: string }).kind;

test.each(Object.keys(FILES))('%s is refused where its type is not accepted', async (name) => {
  await during('', async (service) => {
    const answer = await service.upload({ [name]: FILES[name]?.bytes ?? '' });
    const { errors } = (await answer.json()) as { errors: { code: string }[] };
    expect([answer.status, errors[0]?.code]).toEqual([400, 'unsupported_type']);
  });
});

test('files stay when their type is no longer accepted, and are pictures again when it is', async () => {
  await during(ALL, async (service) => {
    const answer = await service.upload(
      Object.fromEntries(Object.entries(FILES).map(([name, { bytes }]) => [name, bytes])),
    );
    expect(answer.status).toBe(200);
    for (const name of Object.keys(FILES)) {
      expect((await ask(service.url, `/t/w_10,f_png/${name}`)).headers['content-type']).toBe('image/png');
      expect(await kindOf(service, name)).toBe('image');
    }
  });
  await during('', async (service) => {
    for (const [name, { bytes, whenOff }] of Object.entries(FILES)) {
      const original = await ask(service.url, `/t/${name}`);
      expect([original.status, original.headers['content-type']]).toEqual([200, whenOff]);
      expect(original.headers['content-security-policy']).toBe("default-src 'none'; sandbox");
      expect(original.body.equals(bytes)).toBe(true);
      const asked = await ask(service.url, `/t/w_10,f_png/${name}`);
      expect([asked.status, asked.json().code]).toEqual([400, 'untransformable']);
      await expect.poll(() => kindOf(service, name)).toBe('document');
    }
  });
  await during(ALL, async (service) => {
    for (const [name, { mime }] of Object.entries(FILES)) {
      expect((await ask(service.url, `/t/${name}`)).headers['content-type']).toBe(mime);
      expect((await ask(service.url, `/t/w_10,f_png/${name}`)).headers['content-type']).toBe('image/png');
      await expect.poll(() => kindOf(service, name)).toBe('image');
    }
  });
});

test.each(Object.entries(FILES))('%s under the name of another type is refused', async (name, { bytes }) => {
  await during(ALL, async (service) => {
    const asJpeg = await service.upload({ 'x.jpg': bytes });
    const asItself = await service.upload({ [name]: Buffer.from('plain text') });
    expect([asJpeg.status, asItself.status]).toEqual([400, 400]);
  });
});
