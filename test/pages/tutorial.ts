import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';
import { ROOT } from '../source-files.ts';

/** What a tutorial works on, and what its tests need. Tests stay where they are. */
const COPIED = ['src', 'scripts', 'test', 'docs', 'package.json', 'tsconfig.json'];

export interface Step {
  language: string;
  /** The file that was named last before the block. */
  file: string;
  code: string;
}

/** The code blocks of a page, in their order. A block inside a list is freed of its indentation. */
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

/** A copy of the sources that a tutorial may change, inside the repository, where its packages are found. */
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

  /** Does what a block says: runs commands, writes a file, or changes one. */
  async follow({ language, file, code }: Step): Promise<void> {
    if (language === 'sh') {
      await promisify(execFile)('sh', ['-ec', code], { cwd: this.folder });
      return;
    }
    const target = join(this.folder, file);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, language === 'diff' ? changed(await readFile(target, 'utf8'), code, file) : code);
  }

  /** What the compiler says about some files. */
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

/** A text after a change: the lines that stay and those that go have to be there, once. */
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
