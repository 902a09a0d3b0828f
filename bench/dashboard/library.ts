import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import sharp from 'sharp';
import { buildDashboard } from '../../scripts/dashboard.mjs';
import { cpuSeconds } from '../tools/process.ts';
import { type Darkroom, startDarkroom } from '../tools/service.ts';

/** The folder of many files. */
export const MANY = 'many';
const API_KEY = 'dashboard-bench-key-0123456789-0123456789';
const ACCOUNT = { email: 'ada@example.com', password: 'correct horse battery' };
const AT_ONCE = 200;
/** CPU seconds in a second. */
const BUSY = 0.05;

export interface LargeLibrary extends Darkroom {
  /** The cookie of a session, as a browser sends it. */
  session: { name: string; value: string };
  /** Asks as the dashboard does. */
  ask(path: string): Promise<Response>;
}

/** A service with its dashboard and a folder of small pictures, which its catalog knows. @param data an empty folder for both */
export async function startLargeLibrary(data: string, count: number): Promise<LargeLibrary> {
  await buildDashboard();
  await fill(join(data, 'originals', MANY), count);
  const darkroom = await startDarkroom({
    data,
    environment: {
      API_KEY,
      ADMIN_EMAIL: ACCOUNT.email,
      ADMIN_PASSWORD: ACCOUNT.password,
      // It would read all pictures while other things are measured.
      CATALOG_DESCRIBE: 'false',
    },
  });
  const ask = async (path: string) => {
    const answer = await fetch(darkroom.url + path, { headers: { 'x-api-key': API_KEY } });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  const { total } = (await (await ask(`/storage?path=${MANY}&limit=1`)).json()) as { total: number };
  if (total !== count) throw new Error(`Expected ${count} files, the service lists ${total}.`);
  await rest(darkroom);
  return { ...darkroom, ask, session: await signIn(darkroom.url) };
}

/** Waits until the service has nothing left to do: its catalog has taken in the files. */
async function rest({ pid }: Darkroom): Promise<void> {
  for (let before = -1, now = cpuSeconds(pid); now - before > BUSY; ) {
    await setTimeout(1000);
    [before, now] = [now, cpuSeconds(pid)];
  }
}

/** Pictures of their own, each a few hundred bytes. */
async function fill(folder: string, count: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  const shades = await Promise.all(Array.from({ length: 64 }, (_, shade) => picture(shade)));
  for (let first = 0; first < count; first += AT_ONCE) {
    const names = Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, at) => first + at);
    await Promise.all(
      names.map((n) => writeFile(join(folder, `picture ${n}.png`), shades[n % shades.length] ?? '', { flag: 'wx' })),
    );
  }
}

export function picture(shade: number): Promise<Buffer> {
  const background = { r: (shade * 37) % 256, g: (shade * 91) % 256, b: (shade * 151) % 256 };
  return sharp({ create: { width: 96, height: 72, channels: 3, background } })
    .png()
    .toBuffer();
}

async function signIn(url: string): Promise<{ name: string; value: string }> {
  const answer = await fetch(`${url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ACCOUNT),
  });
  const [cookie = ''] = answer.headers.getSetCookie();
  const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split(/=(.*)/s);
  if (!answer.ok || value === '') throw new Error(`Signing in failed: ${answer.status} ${await answer.text()}`);
  return { name, value };
}
