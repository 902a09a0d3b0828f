import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  BLUE,
  H264,
  isNear,
  makeHdr,
  openStudio,
  RED,
  redLeftBlueRight,
  type Studio,
  tone,
} from '../../test/video-samples.ts';
import { probeVideo } from './source/probe.ts';

let studio: Studio;
let sides: string;
beforeAll(async () => {
  studio = await openStudio();
  sides = await studio.make('sides.mp4', ...redLeftBlueRight(), ...H264);
});
afterAll(() => studio.close());

describe('unusual sources', () => {
  test('a video turned by its metadata comes out upright', async () => {
    const fixture = new URL('../../test/fixtures/schizo_90.mp4', import.meta.url).pathname;
    const file = await studio.transcode(fixture, { width: 240, startOffset: 0, endOffset: 0.5 });
    const stream = await studio.stream(file, 'v');
    expect(stream).toMatchObject({ width: '240', height: '180' });
    expect(Object.keys(stream).some((key) => key.includes('rotation'))).toBe(false);
  });

  test('its pixels are turned', async () => {
    const turn = ['-metadata:s:v', 'rotate=90', '-c', 'copy'];
    const turned = await studio.make('turned.mp4', '-i', sides, ...turn);
    const [frame] = await studio.frames(await studio.transcode(turned, {}));
    expect([frame?.width, frame?.height]).toEqual([90, 160]);
    // Counterclockwise, as ffprobe counts: what was left is below.
    expect((await probeVideo(studio.tools, turned)).rotation).toBe(90);
    expect(isNear(frame?.at(45, 150), RED) && isNear(frame?.at(45, 10), BLUE)).toBe(true);
  });

  test('pixels that are not square become so', async () => {
    const stretched = await studio.make('sar.mp4', ...redLeftBlueRight('80x90'), '-vf', 'setsar=2', ...H264);
    const stream = await studio.stream(await studio.transcode(stretched, {}), 'v');
    expect(stream).toMatchObject({ width: '160', height: '90', sample_aspect_ratio: '1:1' });
    const cut = await studio.frames(await studio.transcode(stretched, { width: 40, height: 40 }));
    expect(isNear(cut[0]?.at(2, 20), RED) && isNear(cut[0]?.at(37, 20), BLUE)).toBe(true);
  });

  test('odd sizes become even', async () => {
    const odd = await studio.make('odd.mp4', ...redLeftBlueRight('161x91'), '-c:v', 'libx264', '-pix_fmt', 'yuv444p');
    const stream = await studio.stream(await studio.transcode(odd, {}), 'v');
    expect(stream).toMatchObject({ width: '160', height: '90', pix_fmt: 'yuv420p' });
    const portrait = await studio.transcode(
      await studio.make('p.mp4', ...redLeftBlueRight('91x161'), '-c:v', 'mpeg4'),
      {
        height: 81,
      },
    );
    expect(await studio.stream(portrait, 'v')).toMatchObject({ height: '82', width: '46' });
  });

  test('a video without audio stays silent', async () => {
    expect(await studio.stream(await studio.transcode(sides, { width: 80 }), 'a')).toEqual({});
  });

  test('10 bits become 8', async () => {
    const deep = await studio.make('deep.mp4', ...redLeftBlueRight(), '-c:v', 'libx264', '-pix_fmt', 'yuv420p10le');
    const file = await studio.transcode(deep, {});
    expect(await studio.stream(file, 'v')).toMatchObject({ pix_fmt: 'yuv420p', profile: 'High' });
    expect(isNear((await studio.frames(file))[0]?.at(10, 45), RED)).toBe(true);
  });

  test('HDR becomes SDR with natural brightness', async () => {
    const hdr = await makeHdr(studio);
    expect((await probeVideo(studio.tools, hdr)).isHdr).toBe(true);
    const file = await studio.transcode(hdr, { width: 81, height: 47, crop: 'pad' });
    expect(await studio.stream(file, 'v')).toMatchObject({ color_transfer: 'bt709', color_space: 'bt709' });
    const [frame] = await studio.frames(file);
    const [grey = 0] = frame?.at(40, 22) ?? [];
    // 100 nits are a bright grey on a screen; the stored PQ value alone would show as 130.
    expect(grey).toBeGreaterThan(145);
  });

  test('HLG becomes SDR too, with any matrix tag', async () => {
    const hlg = await studio.make(
      'hlg.mp4',
      '-i',
      await makeHdr(studio),
      '-c',
      'copy',
      '-bsf:v',
      'hevc_metadata=transfer_characteristics=18:matrix_coefficients=14',
    );
    expect(await probeVideo(studio.tools, hlg)).toMatchObject({ transfer: 'arib-std-b67', isHdr: true });
    expect(await studio.stream(await studio.transcode(hlg, {}), 'v')).toMatchObject({ color_transfer: 'bt709' });
  });

  test('frames at irregular times keep them', async () => {
    const uneven = ['-vf', "setpts='(N+if(gte(N,5),N-5,0)*2.5)/10/TB'", '-fps_mode', 'vfr', '-enc_time_base', '1:1000'];
    const source = await studio.make('vfr.mp4', ...redLeftBlueRight('160x90', 2), ...uneven, ...H264);
    const before = await studio.times(source);
    const after = await studio.times(await studio.transcode(source, { width: 80 }));
    expect(after).toHaveLength(before.length);
    for (const [index, time] of after.entries()) expect(time).toBeCloseTo(before[index] ?? -1, 2);
  });

  test('a last frame that stands still for long is no damage', async () => {
    const still = ['-vf', "setpts='if(lt(N,9),N,90)/10/TB'", '-fps_mode', 'vfr', '-enc_time_base', '1:1000'];
    const source = await studio.make('still.mp4', ...redLeftBlueRight(), ...still, ...H264, '-bf', '0');
    const held = await studio.make(
      'held.mp4',
      '-i',
      source,
      '-c',
      'copy',
      '-bsf:v',
      "setts=duration='if(eq(N,9),9/TB,DURATION)'",
    );
    expect((await probeVideo(studio.tools, held)).duration).toBeGreaterThan(15);
    expect(await studio.frames(await studio.transcode(held, { width: 80 }))).toHaveLength(10);
  });

  test('a part that ends while a frame stands still is whole', async () => {
    const still = ['-vf', "setpts='if(lt(N,9),N,N+60)/10/TB'", '-fps_mode', 'vfr', '-enc_time_base', '1:1000'];
    const source = await studio.make('screen.mp4', ...redLeftBlueRight('160x90', 2), ...still, ...H264);
    const part = await studio.transcode(source, { startOffset: 0.5, endOffset: 5 });
    expect(await studio.times(part)).toHaveLength(4);
  });

  test('a recording that does not know its length is transcoded', async () => {
    const live = ['-c:v', 'libvpx', '-f', 'webm', '-live', '1'];
    const source = await studio.make('live.webm', ...redLeftBlueRight(), ...live);
    expect((await probeVideo(studio.tools, source)).duration).toBeUndefined();
    expect(await studio.frames(await studio.transcode(source, { width: 80 }))).toHaveLength(10);
  });

  test('surround audio is mixed down', async () => {
    const source = await studio.make(
      '5.1.mov',
      ...redLeftBlueRight(),
      ...tone(1),
      '-ac',
      '6',
      '-c:a',
      'pcm_s16le',
      ...H264,
    );
    expect(await studio.stream(await studio.transcode(source, { format: 'webm' }), 'a')).toMatchObject({
      channels: '2',
    });
  });
});
