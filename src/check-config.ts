import { once } from 'node:events';
import { access, constants, link, lstat, mkdtemp, rm, rmdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';
import type { Config } from './config.ts';
import { checkDatabase } from './db/open.ts';
import { hasCode } from './errors.ts';
import { createLog } from './log.ts';
import { findFonts } from './render/fonts/find-fonts.ts';
import { joinCluster } from './services/cluster.ts';
import { backendOf } from './services/storage.ts';
import { explainFolder, makeFolder } from './storage/disk/make-folder.ts';
import { findFfmpeg } from './video/ffmpeg/run.ts';

export interface Finding {
  what: string;
  /** Whether a start would get past it. */
  isGood: boolean;
  text: string;
}

/** Tries what the settings name as a start would need it, and leaves nothing behind but the probe object of a bucket. */
export async function tryConfig(config: Config): Promise<Finding[]> {
  const { data, http, tracing } = config;
  const storage = await backendOf(config);
  return [
    await attempt('folder', () => tryFolder(data)),
    await attempt('database', () => tryDatabase(data.database, config.database.url)),
    ...(config.database.url === undefined ? [] : [await attempt('nodes', () => tryCluster(config))]),
    ...(storage.check ? [await attempt(storage.name, storage.check)] : []),
    await attempt('fonts', () => tryFonts(config.fonts)),
    ...(tracing.module === undefined ? [] : [await attempt('tracing', () => tryModule(tracing.module))]),
    await attempt('ffmpeg', tryFfmpeg),
    await attempt('port', () => tryPort(http)),
  ];
}

async function attempt(what: string, act: () => Promise<string>): Promise<Finding> {
  try {
    return { what, isGood: true, text: await act() };
  } catch (error) {
    return { what, isGood: false, text: error instanceof Error ? error.message : String(error) };
  }
}

/** Whether files can be written there, and linked from there into every folder below it that the service uses. */
async function tryFolder({ directory, ...data }: Config['data']): Promise<string> {
  const explain = (error: NodeJS.ErrnoException, folder = directory) => explainFolder(error, `DATA_DIR: ${folder}`);
  const made = await makeFolder(directory).catch((error) => explain(error));
  try {
    const probe = await mkdtemp(join(directory, '.check-')).catch((error) => explain(error));
    try {
      const file = join(probe, 'file');
      await writeFile(file, '').catch((error) => explain(error));
      for (const folder of [
        data.originals,
        data.variants,
        data.temp,
        data.uploads,
        data.staged,
        data.moves,
        data.attic,
      ]) {
        if (await isThere(folder)) await tryLink(file, folder).catch((error) => explain(error, folder));
      }
      await tryLink(file, probe).catch((error) => explain(error));
    } finally {
      await rm(probe, { recursive: true, force: true });
    }
  } finally {
    for (let at = directory; made !== undefined && at.length >= made.length; at = dirname(at)) await rmdir(at);
  }
  return made === undefined ? `${directory} can be written` : `${directory} can be created`;
}

async function tryLink(file: string, folder: string): Promise<void> {
  const name = join(folder, `${basename(dirname(file))}-link`);
  await link(file, name);
  await rm(name);
}

async function tryDatabase(file: string, url: string | undefined): Promise<string> {
  if (url === undefined && !(await isThere(file))) return 'is created by the first start';
  return checkDatabase({ file, url });
}

/** Whether this machine could work together with others, who do not notice. */
async function tryCluster(config: Config): Promise<string> {
  const cluster = await joinCluster(config, createLog({ level: 'silent', format: 'json' }));
  const { isConnected } = cluster.stats();
  await cluster.close();
  if (!isConnected) throw new Error('PostgreSQL cannot be reached: this machine would work alone until it can');
  return 'can work together through PostgreSQL';
}

/** Also for a link that leads nowhere, in whose place nothing can be made. */
async function isThere(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    (error) => {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false;
      throw error;
    },
  );
}

/** It is not run: it would begin to send. */
async function tryModule(file = ''): Promise<string> {
  await access(file, constants.R_OK).catch(() => {
    throw new Error(`TRACING_MODULE: expected a file that can be read, received ${file}`);
  });
  return `${file} can be read`;
}

/** A start goes on without those that cannot be used. */
async function tryFonts(places: Config['fonts']): Promise<string> {
  const { files, families, problems } = await findFonts(places);
  const own = files.filter(({ source }) => source === 'own').length;
  return [`${families.length} families; ${own} files of ${places.own}.`, ...problems].join(' ');
}

/** A start goes on without it. */
async function tryFfmpeg(): Promise<string> {
  const tools = await findFfmpeg();
  if (!tools) return 'not found, or ffprobe is not: videos are stored and served, but not transformed';
  return `${tools.version} at ${tools.ffmpeg}`;
}

async function tryPort({ host, port }: Config['http']): Promise<string> {
  const server = createServer();
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    if (!hasCode(error, 'EADDRINUSE')) throw error;
    throw new Error(`${port} on ${host} is taken, by the running service perhaps`, { cause: error });
  }
  server.close();
  return `${port} on ${host} is free`;
}
