import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTempFolder } from './temp.ts';

/** Returns the folder name of a process that began at another time than this one. */
const nameOf = (pid: number) => `${hostname()}-${pid}-1600000000000-0123abcd`;

let parent: string;

beforeEach(async () => {
  parent = join(await mkdtemp(join(tmpdir(), 'darkroom-temp-')), 'tmp');
});
afterEach(() => rm(join(parent, '..'), { recursive: true, force: true }));

/** Creates a folder that a process left behind, with an incomplete file. */
async function leave(name: string): Promise<void> {
  await mkdir(join(parent, name), { recursive: true });
  await writeFile(join(parent, name, 'half'), 'half');
}

/** Returns the id of a process that has ended. */
async function endedProcess(): Promise<number> {
  const child = spawn('true');
  await once(child, 'exit');
  return child.pid as number;
}

test('the first start makes the folder and the one that holds it', async () => {
  const folder = await createTempFolder(parent);
  expect(await readdir(parent)).toEqual([basename(folder)]);
  expect((await stat(folder)).isDirectory()).toBe(true);
});

describe('a start removes what', () => {
  test('an ended process of this machine left', async () => {
    await leave(nameOf(await endedProcess()));
    const folder = await createTempFolder(parent);
    expect(await readdir(parent)).toEqual([basename(folder)]);
  });

  test('a process left that had our own id, as in every start of a container', async () => {
    await leave(nameOf(process.pid));
    const folder = await createTempFolder(parent);
    expect(await readdir(parent)).toEqual([basename(folder)]);
  });

  test('another machine left more than a day ago', async () => {
    await leave('elsewhere-17');
    const old = Date.now() / 1000 - 25 * 3600;
    await utimes(join(parent, 'elsewhere-17'), old, old);
    const folder = await createTempFolder(parent);
    expect(await readdir(parent)).toEqual([basename(folder)]);
  });
});

describe('a start keeps what', () => {
  test('belongs to a process that runs', async () => {
    const name = nameOf(process.ppid);
    await leave(name);
    const folder = await createTempFolder(parent);
    expect((await readdir(parent)).toSorted()).toEqual([basename(folder), name].toSorted());
    expect(await readdir(join(parent, name))).toEqual(['half']);
  });

  test('another service of this very process uses', async () => {
    const first = await createTempFolder(parent);
    await createTempFolder(parent);
    expect(await readdir(first)).toEqual([]);
  });

  test('another machine may still be using', async () => {
    await leave('elsewhere-17');
    await createTempFolder(parent);
    expect(await readdir(join(parent, 'elsewhere-17'))).toEqual(['half']);
  });
});
