// Builds the dashboard from web/ into web/dist, unless it is up to date. Imported by run.mjs, which an older Node may
// run: modules that require Node 24 are imported on demand.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const WEB = join(ROOT, 'web');
/** The dashboard encodes URLs as the client does. */
const CLIENT = join(ROOT, 'packages', 'client', 'src');
const DIST = join(WEB, 'dist');
const STAMP = join(DIST, '.stamp');
/** JSON list of the folders of bundled packages, for the notices of their licences. */
export const PACKAGES = join(DIST, '.packages');
/** Smaller or already compressed files are sent as they are. */
const MIN_COMPRESSED_BYTES = 1024;
const COMPRESSIBLE = /\.(js|css|svg|html|json)$/;

/** True if there are sources to build from; the container image has only the result. */
export function hasDashboardSources() {
  return existsSync(join(WEB, 'index.html'));
}

/** True if the result was built from the current sources. */
export function isDashboardBuilt() {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp();
}

/**
 * Removes the result of other sources: a dashboard of another version would request endpoints that the service lacks.
 */
export function removeOldDashboard() {
  rmSync(DIST, { recursive: true, force: true });
}

/** Returns the SHA-256 of everything that the build reads. */
function stamp() {
  const hash = createHash('sha256');
  const isBuilt = (file) => relative(WEB, file).startsWith('dist');
  const sources = [...filesBelow(WEB).filter((file) => !isBuilt(file)), ...filesBelow(CLIENT)];
  for (const file of [...sources, join(ROOT, 'package-lock.json'), fileURLToPath(import.meta.url)]) {
    const bytes = readFileSync(file);
    hash.update(`${relative(ROOT, file)} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex');
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(path) : [path];
    });
}

/** Builds next to the current result and replaces it once complete. */
export async function buildDashboard() {
  if (isDashboardBuilt()) return;
  const built = stamp();
  const fresh = join(WEB, `dist.new-${process.pid}`);
  try {
    // Tests set another value, for which React's development build, a larger one, would be bundled.
    process.env.NODE_ENV = 'production';
    const { build } = await import('vite');
    const packages = new Set();
    await build({
      root: WEB,
      plugins: [{ name: 'packages', generateBundle: (_, bundle) => addPackages(bundle, packages) }],
      configFile: join(WEB, 'vite.config.ts'),
      logLevel: 'error',
      build: { outDir: fresh, emptyOutDir: true },
    });
    await compressAll(fresh);
    writeFileSync(join(fresh, '.packages'), JSON.stringify([...packages].sort()));
    writeFileSync(join(fresh, '.stamp'), built);
    removeOldDashboard();
    renameSync(fresh, DIST);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Records the folder of each bundled package, relative to the project. */
function addPackages(bundle, packages) {
  for (const { modules = {} } of Object.values(bundle)) {
    for (const [id, { renderedLength }] of Object.entries(modules)) {
      const [folder] = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? [];
      if (folder !== undefined && renderedLength > 0) packages.add(relative(ROOT, folder.replace('\0', '')));
    }
  }
}

/** Writes `.br` and `.gz` next to files that become smaller, so that the service need not compress. */
async function compressAll(folder) {
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  for (const file of filesBelow(folder).filter((name) => COMPRESSIBLE.test(name))) {
    const bytes = readFileSync(file);
    if (bytes.length < MIN_COMPRESSED_BYTES || file.endsWith('index.html')) continue;
    writeFileSync(`${file}.br`, await promisify(brotliCompress)(bytes, brotli));
    writeFileSync(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildDashboard().catch((error) => {
    process.stderr.write(`The dashboard could not be built: ${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  });
}
