import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HALLWAY, ROOF, ROOMS } from './modules.ts';
import { files, type Import, imports, ROOT, texts } from './source-files.ts';

/** External modules that only some files may import. */
const RESERVED: readonly { module: RegExp; files: RegExp; why: string }[] = [
  {
    module: /^node:child_process$/,
    files: /^(video\/ffmpeg\/run|render\/worker-process)\.ts$/,
    why: 'starts processes',
  },
  {
    module: /^node:worker_threads$/,
    files: /^(runtime\/question-thread|render\/(worker|watchdog)|db\/sqlite\/(reader|checkpoint)-thread)\.ts$/,
    why: 'asks threads, watches over a process, or keeps the event loop from waiting for SQLite',
  },
  { module: /^(fastify|@fastify\/(busboy|proxy-addr))$/, files: /^http\//, why: 'knows HTTP' },
  { module: /^@opentelemetry\//, files: /^tracing\.ts$/, why: 'knows OpenTelemetry' },
  { module: /^sharp$/, files: /^image\//, why: 'knows pixels' },
  { module: /^better-sqlite3$/, files: /^db\/sqlite\//, why: 'knows SQLite' },
  { module: /^pg$/, files: /^(db\/postgres|cluster)\//, why: 'knows PostgreSQL' },
];

const roomOf = (file: string) => (file.includes('/') ? file.slice(0, file.indexOf('/')) : file);
const lies = (file: string, places: readonly string[] = []) =>
  places.some((place) => file === place || file.startsWith(`${place}/`));
const isInside = ({ to }: Import) => texts.has(to);

function isAllowed({ from, to, isTypeOnly }: Import): boolean {
  const own = roomOf(from);
  const other = roomOf(to);
  if (own === other || ROOF.includes(own)) return true;
  if (HALLWAY.includes(own)) return HALLWAY.includes(other);
  if (HALLWAY.includes(other)) return true;
  const room = ROOMS[own];
  return lies(to, room?.doors) || (isTypeOnly && lies(to, room?.windows));
}

const shown = ({ from, to, isTypeOnly }: Import) => `${from} -> ${to}${isTypeOnly ? ' (types)' : ''}`;

function linesWith(pattern: RegExp): string[] {
  return [...texts].flatMap(([file, text]) =>
    text.split('\n').flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1} ${line.trim()}`] : [])),
  );
}

describe('the house', () => {
  test('is all seen by these tests', () => {
    expect(files.length).toBeGreaterThan(80);
    expect(imports.filter(isInside).length).toBeGreaterThan(200);
    const known = [...Object.keys(ROOMS), ...HALLWAY, ...ROOF];
    expect([...new Set(files.map(roomOf))].filter((room) => !known.includes(room))).toEqual([]);
  });

  test('has no wall broken through: rooms import only through their doors', () => {
    expect(imports.filter((found) => isInside(found) && !isAllowed(found)).map(shown)).toEqual([]);
  });

  test('has no door that nobody uses', () => {
    const used = (own: string, place: string) =>
      imports.some(({ from, to }) => roomOf(from) === own && lies(to, [place]));
    // The module table declares these entry points; single files are exceptions and must be needed.
    const exceptions = Object.entries(ROOMS).flatMap(([own, { doors = [], windows = [] }]) =>
      [...doors, ...windows].filter((place) => place.includes('.ts')).map((place) => [own, place] as const),
    );
    const planned = ['db/health.ts'];
    expect(exceptions.filter(([own, place]) => !planned.includes(place) && !used(own, place))).toEqual([]);
  });

  test('imports nothing that is not there, and nothing from outside src but its package.json and the options of V8', () => {
    const outside = imports.filter(
      (found) => found.to.includes('/') && /\.(ts|mjs|json)$/.test(found.to) && !isInside(found),
    );
    const shared = ['../package.json', '../scripts/v8-options.mjs'];
    expect(outside.map(({ to }) => to).filter((to) => !shared.includes(to))).toEqual([]);
  });

  test('has no circle of files that import one another, for types neither', () => {
    const targets = new Map(
      files.map((file) => [file, imports.filter(({ from }) => from === file).map(({ to }) => to)]),
    );
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      const start = path.indexOf(file);
      if (start >= 0) circles.push([...path.slice(start), file].join(' -> '));
      if (start >= 0 || done.has(file)) return;
      for (const target of targets.get(file) ?? []) if (targets.has(target)) visit(target, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(circles).toEqual([]);
  });
});

describe('only one place', () => {
  test.each(RESERVED)('$files $why: it alone imports $module', ({ module, files: allowed }) => {
    const found = imports.filter(({ from, to, isTypeOnly }) => module.test(to) && !isTypeOnly && !allowed.test(from));
    expect(found.map(shown)).toEqual([]);
  });

  test('reads the environment: config.ts', () => {
    expect(linesWith(/process\.env\b/).filter((line) => !line.startsWith('config.ts:'))).toEqual([]);
  });

  test('reads what proxies forward: two files of admission', () => {
    const readers = ['http/admission/client-address.ts:', 'http/admission/forwarded.ts:'];
    const found = linesWith(/'(x-forwarded-|forwarded'|x-real-ip|x-original-|x-rewrite-)/);
    expect(found.filter((line) => !readers.some((reader) => line.startsWith(reader)))).toEqual([]);
  });
});

describe('a package', () => {
  const packages = readdirSync(join(ROOT, 'packages')).filter((name) => name !== 'client');
  const manifestOf = (folder: string) => JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
  const { dependencies: delivered } = manifestOf('.');

  test.each(packages)('%s imports its own files, Node and what its package.json names, which is all used', (name) => {
    const source = join(ROOT, 'packages', name, 'src');
    const own = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const named = Object.keys(manifestOf(`packages/${name}`).dependencies ?? {});
    const isOf = (module: string, to: string) => to === module || to.startsWith(`${module}/`);
    const found = own.flatMap((from) =>
      modulesIn(readFileSync(join(source, from), 'utf8')).map((to) => ({
        from,
        to: to.startsWith('.') ? join(dirname(from), to) : to,
      })),
    );
    const inside = found.filter(({ from }) => !from.endsWith('.test.ts'));
    const foreign = inside.filter(
      ({ to }) => !own.includes(to) && !isBuiltin(to) && !named.some((module) => isOf(module, to)),
    );
    expect(inside.length).toBeGreaterThan(0);
    expect(foreign).toEqual([]);
    expect(named.filter((module) => !inside.some(({ to }) => isOf(module, to)))).toEqual([]);
    // Its tests may use the helpers of other tests, but not the service.
    expect(found.filter(({ to }) => join('packages', name, 'src', to).startsWith('src/'))).toEqual([]);
  });

  test.each(packages)('%s has a short page, is not published, and needs the versions that the service has', (name) => {
    const page = readFileSync(join(ROOT, 'packages', name, 'README.md'), 'utf8');
    expect(page.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
    const { dependencies = {}, ...manifest } = manifestOf(`packages/${name}`);
    expect(manifest).toMatchObject({ name: `@darkroom/${name}`, private: true, exports: { './*': './src/*.ts' } });
    for (const [module, version] of Object.entries(dependencies)) {
      if (!module.startsWith('@darkroom/')) expect([module, version]).toEqual([module, delivered[module]]);
    }
  });
});

describe('no file', () => {
  test('has a default export', () => {
    expect(linesWith(/^export default|\bas default\b/)).toEqual([]);
  });

  test('blocks the event loop with a synchronous call of the file system or a process', () => {
    // A separate thread or process that does one task at a time has no event loop that other requests wait for.
    const alone = /^(storage\/disk\/digest-thread|storage\/cache\/list-thread|render\/worker)\.ts:/;
    const calls = linesWith(/Sync\(/).filter((line) => !alone.test(line));
    expect(calls.filter((line) => !/((inflate|deflate|gunzip)\w*|hkdf)Sync\(/.test(line))).toEqual([]);
  });

  test('has an any, a TODO, an enum or an import that is required', () => {
    expect(
      linesWith(/:\s*any\b|\bas any\b|<any>|\bTODO\b|\bFIXME\b|^\s*(export )?(const )?enum |(?<![#\w.])require\(/),
    ).toEqual([]);
  });

  test('re-exports another, but the lists of steps', () => {
    expect(
      linesWith(/^export (\*|\{[^}]*\}|type \{[^}]*\}) from/).filter((line) => !line.includes('steps/index.ts')),
    ).toEqual([]);
  });
});

test('nothing that is published names a folder of the machine it was written on', () => {
  const everywhere = ['/', '/home', '/mnt', '/opt', '/root', '/srv', '/tmp', '/usr', '/var'];
  const machine = [ROOT, dirname(ROOT)].filter((folder) => !everywhere.includes(folder));
  const published = [
    'src',
    'packages',
    'test',
    'bench',
    'docs',
    'scripts',
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
  ];
  const named = published
    .flatMap(textFilesBelow)
    .filter((file) => machine.some((folder) => readFileSync(file, 'utf8').includes(`${folder}/`)));
  expect(named.map((file) => relative(ROOT, file))).toEqual([]);
});

function textFilesBelow(name: string): string[] {
  const top = join(ROOT, name);
  if (name.includes('.')) return [top].filter((file) => readdirSync(ROOT).includes(relative(ROOT, file)));
  if (!readdirSync(ROOT).includes(name)) return [];
  const found = readdirSync(top, { recursive: true, encoding: 'utf8' });
  const ours = found.filter((file) => !file.includes('node_modules'));
  return ours.filter((file) => /\.(ts|mjs|md|json|ya?ml|html|css|sh)$/.test(file)).map((file) => join(top, file));
}

/** Returns the modules that a file imports, by `import`, `import()` or a `require` created for it. */
function modulesIn(text: string): string[] {
  return [...text.matchAll(/(?:\bfrom |^import |\bimport\(|\)\()'([^']+)'/gm)].map(([, module = '']) => module);
}
