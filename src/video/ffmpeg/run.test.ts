import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { H264, openStudio, redLeftBlueRight, type Studio } from '../../../test/video-samples.ts';
import { EncoderOverLimit } from '../limits.ts';
import { openingArguments, probeVideo } from '../source/probe.ts';
import { FfmpegFailed, FfmpegStalled, UndecodableVideo } from './errors.ts';
import { findFfmpeg, runFfmpeg, runFfprobe } from './run.ts';

/** Arguments of an encoder that runs in real time for an hour. */
const ENDLESS = [
  '-v',
  'error',
  '-progress',
  'pipe:1',
  '-stats_period',
  '0.1',
  '-re',
  '-f',
  'lavfi',
  '-i',
  'color=red:s=64x64:r=10:d=3600',
];
const NOWHERE = ['-f', 'null', '-'];

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

describe('finding ffmpeg', () => {
  test('says its version', async () => {
    expect((await findFfmpeg())?.version).toMatch(/^\d|^N-/);
  });

  test('asks the programs once, however often they are looked for', async () => {
    expect(await findFfmpeg()).toBe(await findFfmpeg());
  });

  test('a setpriv that cannot guard is left out', async () => {
    const { ffmpeg, ffprobe } = studio.tools;
    const links = { ffmpeg, ffprobe, setpriv: '/bin/false' };
    for (const [name, target] of Object.entries(links)) await symlink(target, studio.path(name));
    expect(await findFfmpeg(dirname(studio.path('ffmpeg')))).toMatchObject({ guard: [] });
  });

  test('a machine without it gets undefined', async () => {
    expect(await findFfmpeg('/nonexistent')).toBeUndefined();
  });
});

describe('a run', () => {
  test('reports frames and seconds, and ends with the last report', async () => {
    const end = await runFfmpeg(studio.tools, [
      '-v',
      'error',
      '-progress',
      'pipe:1',
      ...redLeftBlueRight('64x64', 2),
      ...NOWHERE,
    ]);
    expect(end).toEqual({ frames: 20, seconds: expect.closeTo(2, 1) });
  });

  test('is killed when the signal aborts', async () => {
    const controller = new AbortController();
    const reason = new Error('cancelled');
    const run = runFfmpeg(studio.tools, [...ENDLESS, ...NOWHERE], {
      signal: controller.signal,
      onProgress: () => controller.abort(reason),
    });
    await expect(run).rejects.toBe(reason);
    await expect(runFfmpeg(studio.tools, NOWHERE, { signal: controller.signal })).rejects.toBe(reason);
  });

  test('that writes nothing for a while is stopped', async () => {
    const stuck = ['-f', 'lavfi', '-i', 'color=red:s=64x64:r=10,realtime=limit=1000:speed=0.0001'];
    const run = runFfmpeg(studio.tools, ['-v', 'error', '-progress', 'pipe:1', ...stuck, ...NOWHERE], { stallMs: 300 });
    await expect(run).rejects.toThrow(FfmpegStalled);
  });

  test('that takes too long is stopped, and the setting is named', async () => {
    const run = runFfmpeg(studio.tools, [...ENDLESS, ...NOWHERE], { timeoutMs: 300 });
    await expect(run).rejects.toThrow(EncoderOverLimit);
    await expect(run).rejects.toThrow(/longer than 0\.3 s.*VIDEO_TIMEOUT_MS/);
  });

  test('that holds more memory than it may is stopped, and the limit and its setting are named', async () => {
    const large = ['-v', 'error', '-f', 'lavfi', '-i', 'color=red:s=3840x2160:r=25,format=rgba', '-vf', 'reverse'];
    const tools = { ...studio.tools, memoryBytes: 256 * 1024 * 1024 };
    const run = runFfmpeg(tools, [...large, ...NOWHERE]);
    await expect(run).rejects.toThrow(EncoderOverLimit);
    await expect(run).rejects.toThrow('more than 256 MB of memory (VIDEO_MEMORY_MB)');
  });

  test('that cannot write all of its result has failed, also where ffmpeg says that all is well', async () => {
    for (const format of [
      ['-c:v', 'libvpx-vp9', '-f', 'webm'],
      ['-f', 'mp4'],
      ['-f', 'nut'],
    ]) {
      const run = runFfmpeg(studio.tools, ['-v', 'error', '-y', ...redLeftBlueRight(), ...format, 'file:/dev/full']);
      const error = await run.catch((thrown: unknown) => thrown);
      expect(error, format.join(' ')).toBeInstanceOf(FfmpegFailed);
      expect((error as FfmpegFailed).lines.join()).toContain('No space left on device');
    }
  });

  test('that fails says why, without a path of the disk', async () => {
    const run = runFfmpeg(studio.tools, ['-v', 'error', '-i', `file:${studio.path('missing.mp4')}`, ...NOWHERE]);
    const error = await run.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(FfmpegFailed);
    expect((error as FfmpegFailed).lines).toEqual(['file: No such file or directory']);
  });
});

describe('a child of this process', () => {
  test('keeps the priority of a service whose own is even lower', async () => {
    const parent = await startParent(studio.path('nice-parent.mts'), 18);
    try {
      expect(getPriority(await childOf(parent))).toBe(Math.min(19, getPriority() + 18));
    } finally {
      parent.kill('SIGKILL');
    }
  });

  test('is nice, and sees nothing of the environment', async () => {
    const parent = startParent(studio.path('parent.mts'));
    try {
      const child = await childOf(await parent);
      expect(getPriority(child)).toBe(15);
      const environment = await readFile(`/proc/${child}/environ`, 'utf8');
      expect(
        environment
          .split('\0')
          .filter(Boolean)
          .map((line) => line.split('=')[0])
          .sort(),
      ).toEqual(['LC_ALL', 'PATH']);
    } finally {
      (await parent).kill('SIGKILL');
    }
  });

  test('dies with it, even when it is killed by SIGKILL', async () => {
    const parent = await startParent(studio.path('parent.mts'));
    const child = await childOf(parent);
    expect(isRunning(child)).toBe(true);
    parent.kill('SIGKILL');
    await expect.poll(() => isRunning(child), { timeout: 10_000 }).toBe(false);
  });
});

describe('a crafted file', () => {
  const playlist = (target: string) =>
    ['#EXTM3U', '#EXT-X-TARGETDURATION:1', '#EXTINF:1,', target, '#EXT-X-ENDLIST', ''].join('\n');

  test('cannot be a playlist that reads another file', async () => {
    await studio.make('secret.ts', ...redLeftBlueRight(), ...H264, '-f', 'mpegts');
    const file = studio.path('playlist.mp4');
    await writeFile(file, playlist('secret.ts'));
    const show = ['-v', 'error', '-show_entries', 'stream=width', '-of', 'csv=p=0'];
    // The bait works: by default ffprobe follows it.
    expect(await runFfprobe(studio.tools, [...show, '-allowed_extensions', 'ALL', '-f', 'hls', file])).toContain('160');
    await expect(runFfprobe(studio.tools, [...show, ...openingArguments('mov', file)])).rejects.toThrow(FfmpegFailed);
    await expect(runFfprobe(studio.tools, [...show, ...openingArguments('matroska', file)])).rejects.toThrow(
      FfmpegFailed,
    );
    await expect(probeVideo(studio.tools, file)).rejects.toThrow(UndecodableVideo);
  });

  test('cannot be a script that joins other files', async () => {
    const sample = await studio.make('other.mp4', ...redLeftBlueRight(), ...H264);
    const file = studio.path('script.mp4');
    await writeFile(file, `ffconcat version 1.0\nfile '${sample}'\n`);
    const show = ['-v', 'error', '-show_entries', 'stream=width', '-of', 'csv=p=0'];
    expect(await runFfprobe(studio.tools, [...show, '-safe', '0', '-f', 'concat', file])).toContain('160');
    await expect(runFfprobe(studio.tools, [...show, ...openingArguments('mov', file)])).rejects.toThrow(FfmpegFailed);
    await expect(probeVideo(studio.tools, file)).rejects.toThrow(UndecodableVideo);
  });

  test('cannot reach the network', async () => {
    const file = studio.path('remote.mp4');
    await writeFile(file, playlist('http://127.0.0.1:9/secret.ts'));
    const asPlaylist = openingArguments('mov', file).map((arg) => (arg === 'mov' ? 'hls' : arg));
    await expect(runFfprobe(studio.tools, ['-v', 'error', ...asPlaylist])).rejects.toThrow(
      /not on whitelist|Invalid data/,
    );
  });
});

/** Starts a separate process that runs an endless encoder. */
async function startParent(script: string, niceness = 0): Promise<ChildProcess> {
  const module = JSON.stringify(new URL('./run.ts', import.meta.url).href);
  await writeFile(
    script,
    `import { findFfmpeg, runFfmpeg } from ${module};
     const onProgress = () => process.send('running');
     await runFfmpeg(await findFfmpeg(), ${JSON.stringify([...ENDLESS, ...NOWHERE])}, { niceness: 15, onProgress });`,
  );
  const parent = spawn('nice', ['-n', String(niceness), process.execPath, script], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, SECRET: 'not for ffmpeg' },
  });
  await new Promise((resolve, reject) => {
    parent.once('message', resolve);
    parent.once('exit', reject);
  });
  return parent;
}

async function childOf({ pid }: ChildProcess): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return Number(children.trim());
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
