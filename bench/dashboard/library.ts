import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { cpuSeconds } from '../tools/process.ts';
import { AUTHORIZATION, type Darkroom, startDarkroom } from '../tools/service.ts';

/** Folder with all the files. */
export const FOLDER = 'many';
const THIS_CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));
const ACCOUNT = { email: 'ada@example.com', password: 'correct horse battery' };
const CONCURRENT_WRITES = 200;
/** CPU seconds per second below which the service is idle. */
const IDLE = 0.05;

export interface LargeLibrary extends Darkroom {
  /** `this version` or `the other version`. */
  label: string;
  /** Session cookie of the admin. */
  cookie: { name: string; value: string };
}

/**
 * Starts the service of a checkout, with its dashboard and a folder of small images that the catalog knows.
 * @param other another checkout than this one
 */
export async function startLargeLibrary(count: number, other?: string): Promise<LargeLibrary> {
  const checkout = other === undefined ? THIS_CHECKOUT : resolve(other);
  execFileSync(process.execPath, ['scripts/dashboard.mjs'], { cwd: checkout, stdio: 'ignore' });
  const data = await mkdtemp(join(tmpdir(), 'darkroom-dashboard-'));
  const remove = () => rm(data, { recursive: true, force: true });
  let darkroom: Darkroom | undefined;
  try {
    await fill(join(data, 'originals', FOLDER), count);
    darkroom = await startDarkroom({
      data,
      main: join(checkout, 'src/main.ts'),
      // Describing would read all images during the measurements.
      environment: { ADMIN_EMAIL: ACCOUNT.email, ADMIN_PASSWORD: ACCOUNT.password, CATALOG_DESCRIBE: 'false' },
    });
    await indexed(darkroom, count);
    return {
      ...darkroom,
      label: other === undefined ? 'this version' : 'the other version',
      cookie: await signIn(darkroom.url),
      async stop() {
        await darkroom?.stop();
        await remove();
      },
    };
  } catch (error) {
    await darkroom?.stop();
    await remove();
    throw error;
  }
}

/** Waits until the catalog lists all files and the service is idle. */
async function indexed({ url, pid }: Darkroom, count: number): Promise<void> {
  const response = await fetch(`${url}/storage?path=${FOLDER}&limit=1`, { headers: AUTHORIZATION });
  const { total } = (await response.json()) as { total: number };
  if (total !== count) throw new Error(`Expected ${count} files, the service lists ${total}.`);
  for (let before = -1, now = cpuSeconds(pid); now - before > IDLE; ) {
    await wait(1000);
    [before, now] = [now, cpuSeconds(pid)];
  }
}

async function fill(folder: string, count: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  const images = await Promise.all(Array.from({ length: 64 }, (_, shade) => smallImage(shade)));
  for (let first = 0; first < count; first += CONCURRENT_WRITES) {
    const numbers = Array.from({ length: Math.min(CONCURRENT_WRITES, count - first) }, (_, at) => first + at);
    await Promise.all(
      numbers.map((n) => writeFile(join(folder, `image ${n}.png`), images[n % images.length] ?? '', { flag: 'wx' })),
    );
  }
}

/** PNG of a few hundred bytes. */
export function smallImage(shade: number): Promise<Buffer> {
  const background = { r: (shade * 37) % 256, g: (shade * 91) % 256, b: (shade * 151) % 256 };
  return sharp({ create: { width: 96, height: 72, channels: 3, background } })
    .png()
    .toBuffer();
}

async function signIn(url: string): Promise<LargeLibrary['cookie']> {
  const response = await fetch(`${url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ACCOUNT),
  });
  const [cookie = ''] = response.headers.getSetCookie();
  const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split(/=(.*)/s);
  if (!response.ok || value === '') throw new Error(`Sign-in: ${response.status} ${await response.text()}`);
  return { name, value };
}
