import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const CONTEXT = join(import.meta.dirname, '..', '..');

/** The command of an image's container, in a folder with only the files of the image. */
export interface Image {
  /** The base image of the build. */
  base: string;
  /** Local folder of the last stage's working directory. */
  directory: string;
  environment: Readonly<Record<string, string>>;
  user: string | undefined;
  command: readonly string[];
  healthCheck: readonly string[];
}

interface Instruction {
  name: string;
  rest: string;
}

/** State of a build: its stages so far, and the output of the current one. */
interface Build {
  folder: string;
  variables: Record<string, string>;
  base: string;
  stages: Record<string, string>;
  root: string;
  workDirectory: string;
  environment: Record<string, string>;
  user?: string;
  command: string[];
  healthCheck: string[];
}

/**
 * Executes the Dockerfile below `folder`: every COPY with the files that pass `.dockerignore`, and each RUN that
 * installs packages. Other RUNs change the system, which here is this host.
 */
export async function buildImage(folder: string): Promise<Image> {
  const build: Build = { folder, variables: {}, base: '', stages: {}, ...freshStage('') };
  for (const instruction of instructionsOf(await readFile(join(CONTEXT, 'Dockerfile'), 'utf8'))) {
    await follow(build, instruction);
  }
  const { base, root, workDirectory, environment, user, command, healthCheck } = build;
  return { base, directory: join(root, workDirectory), environment, user, command, healthCheck };
}

const freshStage = (root: string) => ({ root, workDirectory: '/', environment: {}, command: [], healthCheck: [] });

function instructionsOf(dockerfile: string): Instruction[] {
  const lines = dockerfile
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n');
  return lines.flatMap((line) => {
    const [, name, rest] = /^([A-Z]+) +(.*)$/.exec(line.trim()) ?? [];
    return name !== undefined && rest !== undefined ? [{ name, rest }] : [];
  });
}

async function follow(build: Build, { name, rest }: Instruction): Promise<void> {
  if (name === 'ARG') Object.assign(build.variables, assignments(rest));
  else if (name === 'FROM') await beginStage(build, rest);
  else if (name === 'WORKDIR') build.workDirectory = rest;
  else if (name === 'COPY') await copy(build, rest.split(/ +/));
  else if (name === 'RUN') await run(build, rest);
  else if (name === 'ENV') Object.assign(build.environment, assignments(rest));
  else if (name === 'USER') build.user = rest;
  else if (name === 'CMD') build.command = JSON.parse(rest);
  else if (name === 'HEALTHCHECK') build.healthCheck = JSON.parse(rest.slice(rest.indexOf('CMD ') + 4));
  else if (name !== 'VOLUME' && name !== 'EXPOSE') throw new Error(`Nobody here knows the instruction ${name}.`);
}

const assignments = (text: string) => Object.fromEntries(text.split(/ +/).map((pair) => pair.split(/=(.*)/s)));

async function beginStage(build: Build, rest: string): Promise<void> {
  const [from = '', , name = 'last'] = rest.split(/ +/);
  build.base ||= from.replaceAll(/\$\{(\w+)\}/g, (_, variable) => build.variables[variable] ?? '');
  build.stages[name] = join(build.folder, name);
  Object.assign(build, freshStage(join(build.folder, name)));
  await mkdir(build.root);
}

async function copy({ stages, root, workDirectory }: Build, words: string[]): Promise<void> {
  const stage = words[0]?.startsWith('--from=') ? stages[words.shift()?.slice('--from='.length) ?? ''] : undefined;
  const target = words.pop() ?? '';
  const kept = stage === undefined ? await keptByDockerignore() : undefined;
  for (const word of words) {
    const source = join(stage ?? CONTEXT, word);
    const isIntoFolder = target.endsWith('/');
    const destination = join(root, workDirectory, target, isIntoFolder ? basename(word) : '');
    await mkdir(dirname(destination), { recursive: true });
    const filter = (file: string) => kept === undefined || kept(file.slice(CONTEXT.length).replace(/^\/+/, ''));
    if (!filter(source)) throw new Error(`.dockerignore leaves out ${word}, which the Dockerfile copies.`);
    await cp(source, destination, { recursive: true, filter, verbatimSymlinks: true });
  }
}

/** Returns a filter of files for a build: the last matching line decides. */
async function keptByDockerignore(): Promise<(file: string) => boolean> {
  const lines = (await readFile(join(CONTEXT, '.dockerignore'), 'utf8'))
    .split('\n')
    .filter((line) => /^[^#]/.test(line));
  const rules = lines.map((line) => ({ keeps: line.startsWith('!'), form: formOf(line.replace(/^!/, '')) }));
  return (file) => rules.findLast(({ form }) => form.test(file))?.keeps ?? true;
}

function formOf(pattern: string): RegExp {
  const form = pattern
    .replaceAll(/[.+^$()|[\]]/g, '\\$&')
    .replaceAll(/\*\*\/|\*/g, (star) => (star === '*' ? '[^/]*' : '(.*/)?'));
  return new RegExp(`^${form}(/.*)?$`);
}

async function run({ root, workDirectory }: Build, command: string): Promise<void> {
  // Only commands that install packages may run outside an image: others change the system.
  if (!/(^|&& +)npm /.test(command) || /apt-get|dpkg/.test(command)) return;
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, npm_config_prefer_offline: 'true' };
  await promisify(execFile)('sh', ['-c', command], { cwd: join(root, workDirectory), env });
}

/** Lists all files below a folder, by relative path. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
}
