import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { SingleFlight } from '../../concurrency.ts';

/** File of the dashboard in all content codings of the build. */
export interface DashboardFile {
  type: string;
  bytes: Buffer;
  br?: Buffer;
  gzip?: Buffer;
}

/** The built dashboard. */
export interface Dashboard {
  /** Page for all its URLs. */
  page: string;
  /** Files by path below `/dashboard/`. */
  files: ReadonlyMap<string, DashboardFile>;
}

const PAGE = 'index.html';

/** Output of the build. */
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  txt: 'text/plain; charset=utf-8',
};

/** Reads the dashboard into memory as soon as it exists: it is built while the service is running. */
export class DashboardFiles {
  readonly #folder: string;
  readonly #reading = new SingleFlight<Dashboard | undefined>();
  #found: Dashboard | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Undefined while it has not been built. */
  async read(): Promise<Dashboard | undefined> {
    this.#found ??= await this.#reading.run('', undefined, () => readDashboard(this.#folder));
    return this.#found;
  }
}

async function readDashboard(folder: string): Promise<Dashboard | undefined> {
  const page = await readFile(join(folder, PAGE), 'utf8').catch(ignoreMissing);
  if (page === undefined) return undefined;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
  const files = new Map<string, DashboardFile>();
  for (const path of paths) {
    const type = TYPES[path.slice(path.lastIndexOf('.') + 1)];
    if (type === undefined) continue;
    const [bytes, br, gzip] = await Promise.all([
      readFile(join(folder, path)),
      paths.includes(`${path}.br`) ? readFile(join(folder, `${path}.br`)) : undefined,
      paths.includes(`${path}.gz`) ? readFile(join(folder, `${path}.gz`)) : undefined,
    ]);
    files.set(path, { type, bytes, ...(br && { br }), ...(gzip && { gzip }) });
  }
  return { page, files };
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}
