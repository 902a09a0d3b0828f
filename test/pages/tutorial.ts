import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';
import { ROOT } from '../source-files.ts';

/** Folders that a tutorial changes, and prerequisites of its tests. Tests are not moved. */
const COPIED = ['src', 'scripts', 'test', 'docs', 'package.json', 'tsconfig.json'];

export interface Step {
  language: string;
  /** The file named last before the block. */
  file: string;
  code: string;
}

/** Returns the code blocks of a page, in order. Blocks inside a list lose its indentation. */
export function readSteps(page: string): Step[] {
  const steps: Step[] = [];
  const blocks = /`((?:src|test|docs)\/[\w./-]+\.\w+)`|^( *)```(\w+)\n(.*?)^\2```$/gms;
  let file = '';
  for (const [, named, indent = '', language = '', text = ''] of page.matchAll(blocks)) {
    if (named !== undefined) file = named;
    else steps.push({ language, file, code: text.replaceAll(new RegExp(`^${indent}`, 'gm'), '') });
  }
  return steps;
}

/** A copy of the sources that a tutorial may change, inside the repository, where its packages resolve. */
export class Workbench {
  readonly folder = join(ROOT, 'dist', 'tutorial');

  static async open(): Promise<Workbench> {
    const bench = new Workbench();
    await rm(bench.folder, { recursive: true, force: true });
    for (const name of COPIED) {
      await cp(join(ROOT, name), join(bench.folder, name), {
        recursive: true,
        filter: (path) => !path.endsWith('.test.ts') && !path.endsWith('/docs/examples'),
      });
    }
    return bench;
  }

  /** Executes a block: runs commands, writes a file, or changes one. */
  async follow({ language, file, code }: Step): Promise<void> {
    if (language === 'sh') {
      await promisify(execFile)('sh', ['-ec', code], { cwd: this.folder });
      return;
    }
    const target = join(this.folder, file);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, language === 'diff' ? changed(await readFile(target, 'utf8'), code, file) : code);
  }

  /** Returns the compiler's errors for some files. */
  complaints(...names: string[]): string[] {
    const { config } = ts.readConfigFile(join(this.folder, 'tsconfig.json'), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, this.folder);
    const files = names.map((name) => join(this.folder, name));
    const program = ts.createProgram(files, options);
    const found = files.flatMap((file) => {
      const source = program.getSourceFile(file);
      return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    });
    return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  }

  /** Loads a module of the copy. */
  load<T>(name: string): Promise<T> {
    return import(pathToFileURL(join(this.folder, name)).href);
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true });
  }
}

/** Applies a diff to a text: unchanged and removed lines must occur, once. */
function changed(text: string, diff: string, file: string): string {
  const lines = diff.trimEnd().split('\n');
  const without = (sign: string) =>
    lines
      .filter((line) => !line.startsWith(sign))
      .map((line) => `${line.slice(1)}\n`)
      .join('');
  const before = without('+');
  const after = without('-');
  if (text.split(before).length !== 2) throw new Error(`Expected these lines once in ${file}:\n${before}`);
  return text.replace(before, () => after);
}
