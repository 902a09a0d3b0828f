import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import ts from 'typescript';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../source-files.ts';

const run = promisify(execFile);
const CLIENT = join(ROOT, 'packages', 'client');
/** It needs an optional package, which the user installs. */
const API = 'darkroom-client/api';
/**
 * Compressed size of a page with `url()` alone, and of one with the whole main entry point. docs/client.md names them.
 */
const URL_BYTES = 1400;
const ALL_BYTES = 2150;

let folder: string;
let installed: string;
let entries: string[];

/** Creates an empty project with the package as npm would install it. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-client-'));
  await run('npm', ['pack', '--pack-destination', folder, '--loglevel=error'], { cwd: CLIENT });
  installed = join(folder, 'node_modules', 'darkroom-client');
  await mkdir(installed, { recursive: true });
  const [archive = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  await run('tar', ['-xzf', join(folder, archive), '--strip-components=1', '-C', installed]);
  const { name, exports } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  entries = Object.keys(exports).map((entry) => entry.replace('.', name));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Returns the exports of modules in the project, by name. */
async function exportsOf(modules: string[]): Promise<Record<string, string[]>> {
  const code = `
    const modules = await Promise.all(${JSON.stringify(modules)}.map((one) => import(one)));
    console.log(JSON.stringify(modules.map((module) => Object.keys(module).sort())));`;
  await writeFile(join(folder, 'main.mjs'), code);
  const { stdout } = await run('node', ['main.mjs'], { cwd: folder });
  return Object.fromEntries(JSON.parse(stdout).map((names: string[], at: number) => [modules[at], names]));
}

/** Returns the compiler's errors for a module in the project. */
async function complaints(code: string, options: ts.CompilerOptions): Promise<string[]> {
  const file = join(folder, `${ts.ModuleResolutionKind[options.moduleResolution ?? 0]}.mts`);
  await writeFile(file, code);
  const lib = ['lib.es2023.d.ts', 'lib.dom.d.ts'];
  const checks: ts.CompilerOptions = { lib, types: [], strict: true, skipDefaultLibCheck: true, noEmit: true };
  const program = ts.createProgram([file], { ...options, ...checks });
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe('the package that npm packs', () => {
  test('has what was built, its page and its licence, and nothing else', async () => {
    expect((await readdir(installed)).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
    const filesBelow = async (folder: string) => {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
    };
    const sources = await filesBelow(join(CLIENT, 'src'));
    // The command line is never imported: it has no types.
    const built = sources.flatMap((file) => [
      ...(file.startsWith('cli/') ? [] : [file.replace('.ts', '.d.ts')]),
      file.replace('.ts', '.js'),
    ]);
    expect((await filesBelow(join(installed, 'dist'))).sort()).toEqual(built.sort());
  });

  test('has the command line, which runs by its own name', async () => {
    const { bin, version } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    expect(Object.keys(bin)).toEqual(['darkroom']);
    const program = join(installed, bin.darkroom);
    expect((await readFile(program, 'utf8')).split('\n', 1)).toEqual(['#!/usr/bin/env node']);
    expect((await run('node', [program, '--version'])).stdout).toBe(`${version}\n`);
    const environment = { ...process.env, DARKROOM_SECRET: 'test-secret-at-least-16-chars-long' };
    const { stdout } = await run('node', [program, 'sign', 'alpha.png', 'w_50'], { env: environment });
    expect(stdout).toMatch(/^\/authenticated\/s--f3e79d8a708f80a1[0-9a-f]{48}\/w_50\/alpha\.png\n$/);
  });

  test('is imported from every entry point in an empty folder', async () => {
    expect(await exportsOf(entries.filter((entry) => entry !== API))).toEqual({
      'darkroom-client': ['img', 'picture', 'transformation', 'url'],
      'darkroom-client/sign': ['signedUrl'],
      'darkroom-client/next': ['nextLoader'],
      'darkroom-client/nuxt': ['default', 'getImage'],
      'darkroom-client/unpic': ['extract', 'generate', 'transform'],
      'darkroom-client/astro': ['default'],
    });
  });

  describe('beside openapi-fetch', () => {
    beforeAll(() =>
      symlink(join(ROOT, 'node_modules', 'openapi-fetch'), join(folder, 'node_modules', 'openapi-fetch')),
    );

    test('has the client of the API', async () => {
      expect(await exportsOf([API])).toEqual({ [API]: ['createApi'] });
    });

    test.each([
      ['bundler', { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler }],
      ['nodenext', { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext }],
    ])('has types that %s finds', async (_, options) => {
      const imports = entries.map((entry, at) => `import * as m${at} from '${entry}';`).join('\n');
      const code = `${imports}
        const { url } = m0;
        export const all = [${entries.map((_, at) => `m${at}`)}];
        export const address: string = url('a.jpg', { width: 4, layers: [{ text: 'Hello', fontSize: 20 }] });`;
      expect(await complaints(code, options)).toEqual([]);
      const wrong = `import { url } from 'darkroom-client';\nurl('a.jpg', { crop: 'cover' });`;
      expect(await complaints(wrong, options)).toEqual([expect.stringContaining(`Type '"cover"' is not assignable`)]);
    });
  });

  test.each(['docs/client.md', 'packages/client/README.md'])('can do what %s shows', async (page) => {
    const blocks = (await readFile(join(ROOT, page), 'utf8')).matchAll(/^```ts\n(.*?)^```/gms);
    // Each is a separate module, on a server.
    const modules = [...blocks].map(
      ([, code = '']) => `declare const process: { env: Record<string, string> };\n${code}`,
    );
    expect(modules.length).toBeGreaterThan(0);
    const options = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext };
    for (const code of modules) expect(await complaints(code, options)).toEqual([]);
  });

  test('is small, and has nothing to sign with where pages are bundled', async () => {
    const page = async (code: string) => {
      await writeFile(join(folder, 'page.js'), code);
      const input = join(folder, 'page.js');
      const bundled = await build({
        root: folder,
        configFile: false,
        logLevel: 'silent',
        build: { write: false, rolldownOptions: { input }, modulePreload: false },
      });
      const [{ output } = { output: [] }] = [bundled].flat() as { output: { code: string }[] }[];
      return gzipSync(output[0]?.code ?? '', { level: 9 }).length;
    };
    const one = await page(`import { url } from 'darkroom-client'; globalThis.url = url;`);
    const all = await page(`import * as all from 'darkroom-client'; globalThis.all = all;`);
    expect(one).toBeGreaterThan(0.9 * URL_BYTES);
    expect(one).toBeLessThanOrEqual(URL_BYTES);
    expect(all).toBeLessThanOrEqual(ALL_BYTES);
    const signing = `import { signedUrl } from 'darkroom-client/sign'; globalThis.sign = signedUrl;`;
    await expect(page(signing)).rejects.toThrow('"signedUrl" is not exported');
  });
});
