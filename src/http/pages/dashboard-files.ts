import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { SingleFlight } from '../../concurrency.ts';

/** A file of the dashboard as it is sent, in every coding that the build has made of it. */
export interface DashboardFile {
  type: string;
  bytes: Buffer;
  br?: Buffer;
  gzip?: Buffer;
}

/** The dashboard as it was built. */
export interface Dashboard {
  /** The page that all its addresses show. */
  page: string;
  /** By their paths below `/dashboard/`. */
  files: ReadonlyMap<string, DashboardFile>;
}

const PAGE = 'index.html';

/** What the build makes. */
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  txt: 'text/plain; charset=utf-8',
};

/** Reads the dashboard into memory, once it is there: it is built while the service runs already. */
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
