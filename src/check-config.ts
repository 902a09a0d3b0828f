import { once } from 'node:events';
import { access, constants, link, lstat, mkdtemp, rm, rmdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { joinCluster } from './cluster/join.ts';
import type { Config } from './config.ts';
import { checkDatabase } from './db/open.ts';
import { hasCode } from './errors.ts';
import { createLog } from './log.ts';
import { findFonts } from './render/find-fonts.ts';
import { chooseBackend } from './storage/choose-backend.ts';
import { explainFolder, makeFolder } from './storage/disk/make-folder.ts';
import { findFfmpeg } from './video/ffmpeg/run.ts';

export interface ConfigProblem {
  what: string;
  /** True if a start would succeed with it. */
  isGood: boolean;
  text: string;
}

/** Tries everything that the settings name, as a start needs it. Leaves only the probe object of a bucket behind. */
export async function tryConfig(config: Config): Promise<ConfigProblem[]> {
  const { data, http, tracing } = config;
  const storage = await chooseBackend(config);
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

async function attempt(what: string, probe: () => Promise<string>): Promise<ConfigProblem> {
  try {
    return { what, isGood: true, text: await probe() };
  } catch (error) {
    return { what, isGood: false, text: error instanceof Error ? error.message : String(error) };
  }
}

/** Checks that files can be written there, and linked from there into every folder below that the service uses. */
async function tryFolder({ directory, ...data }: Config['data']): Promise<string> {
  const explain = (error: NodeJS.ErrnoException, folder = directory) => explainFolder(error, `DATA_DIR: ${folder}`);
  const made = await makeFolder(directory).catch((error) => explain(error));
  try {
    const probe = await mkdtemp(join(directory, '.check-')).catch((error) => explain(error));
    try {
      const file = join(probe, 'file');
      await writeFile(file, '').catch((error) => explain(error));
      for (const folder of [data.originals, data.variants, data.temp, data.uploads, data.staged, data.retention]) {
        if (await exists(folder)) await tryLink(file, folder).catch((error) => explain(error, folder));
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
  if (url === undefined && !(await exists(file))) return 'is created by the first start';
  return checkDatabase({ file, url });
}

/** Checks that this node could join the others, without changing anything for them. */
async function tryCluster(config: Config): Promise<string> {
  const cluster = await joinCluster(config, createLog({ level: 'silent', format: 'json' }));
  const { isConnected } = cluster.stats();
  await cluster.close();
  if (!isConnected) throw new Error('PostgreSQL is unreachable: this node would work alone until it is back');
  return 'can work together through PostgreSQL';
}

/** True also for a dangling link, which blocks the creation of a file. */
async function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    (error) => {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false;
      throw error;
    },
  );
}

/** Does not run the module, which would begin to send. */
async function tryModule(file = ''): Promise<string> {
  await access(file, constants.R_OK).catch(() => {
    throw new Error(`TRACING_MODULE: expected a readable file, received ${file}`);
  });
  return `${file} can be read`;
}

/** Not an error: a start ignores unusable fonts. */
async function tryFonts(folders: Config['fonts']): Promise<string> {
  const { files, families, problems } = await findFonts(folders);
  const own = files.filter(({ source }) => source === 'own').length;
  return [`${families.length} families; ${own} files of ${folders.own}.`, ...problems].join(' ');
}

/** Not an error: a start works without ffmpeg. */
async function tryFfmpeg(): Promise<string> {
  const tools = await findFfmpeg();
  if (!tools) return 'ffmpeg or ffprobe not found: videos are stored and served, but not transformed';
  return `${tools.version} at ${tools.ffmpeg}`;
}

async function tryPort({ host, port }: Config['http']): Promise<string> {
  const server = createServer();
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    if (!hasCode(error, 'EADDRINUSE')) throw error;
    throw new Error(`${port} on ${host} is in use, perhaps by the running service`, { cause: error });
  }
  server.close();
  return `${port} on ${host} is free`;
}
