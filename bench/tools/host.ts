import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import sharp from 'sharp';
import { versionOf } from './programs.ts';
import { table } from './report.ts';

/** Host that measures, as a Markdown table. */
export function describeHost(): string {
  const ffmpeg = versionOf('ffmpeg', '-version').split(' ').slice(0, 3).join(' ');
  return table(
    ['host', ''],
    [
      ['CPU', `${cpus()[0]?.model ?? 'unknown'}, ${availableParallelism()} cores`],
      ['memory', `${Math.round(totalmem() / 1024 ** 3)} GB`],
      ['system', `${process.platform} ${release().split('-')[0]}`],
      ['Node', process.version],
      ['sharp', `${sharp.versions.sharp}, libvips ${sharp.versions.vips}`],
      ['ffmpeg', ffmpeg],
      ['nginx', versionOf('nginx', '-v')],
      ['wrk', versionOf('wrk', '-v').split(' [')[0] ?? ''],
    ],
  );
}

/** Current time and load of the host. */
export function describeMoment(): string {
  return `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, load average before: ${loadavg()[0]?.toFixed(2)}`;
}
