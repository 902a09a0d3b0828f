import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { writeSource } from '../../src/image/layers/names.ts';
import { parsePath } from '../../src/path.ts';
import { quadrants } from '../pictures/studio.ts';
import { type ServiceProcess, startServiceProcess } from '../process/service-process.ts';
import { childrenOf, memoryOf } from '../processes.ts';
import { damage, hostilePictures, type PictureFile, soundPictures } from './hostile-pictures.ts';
import type { Fuzz } from './run.ts';
import { seededRandom } from './seeded-random.ts';

const API_KEY = 'fuzz-key-0123456789-0123456789-0123456789';
/** How many inputs are on their way at once. */
const CLIENTS = 3;
/** No answer by then is a hang: the service itself gives up earlier. */
const PATIENCE_MS = 60_000;
const RENDER_TIMEOUT_MS = 30_000;
const MEGABYTE = 1024 * 1024;

const TRANSFORMATIONS = [
  'w_100',
  'w_64,h_64,g_face',
  'w_64,h_40,g_auto,f_webp',
  'a_33,b_336699',
  'a_90,w_50,c_pad,h_80,f_jpeg',
  'a_hflip.30,rg_0.1:0.1:0.8:0.8,z_1.5,w_60,h_40,pd_5,b_blur:4,bo_2:f00,r_9,o_70',
  'w_70,e_pixelate:5,e_blur:2,e_hue:40,e_duotone:012:fed,e_contrast:20,e_sharpen:2,e_vignette,f_webp',
  'r_max,f_png',
  'w_80,q_auto,f_avif',
  'q_auto',
  'f_gif,w_90',
  'f_png',
  'f_webp',
  'ar_1:1,h_60,g_south_east,f_jpeg',
  'w_90~l_sound.png,tl_5,bl_multiply,o_50~l_text:Hello,b_fff,pd_3,r_4',
  'w_90,f_png~l_sound.png,w_1.0,h_1.0,bl_mask,r_max',
];

/** Those that lay the picture over a sound one. */
const LAYERINGS = [
  ',w_0.5,g_se,o_70,bl_overlay,sd_2:2:4:000',
  ',w_40,h_30,a_20,rg_0.1:0.1:0.8:0.8,e_blur:2,r_5',
  ',tl_3,bl_difference',
  '',
];
/** What is laid over the pictures, and what they are laid over. */
const SOUND = 'sound.png';

interface Input extends PictureFile {
  /** What gives this very input again. */
  origin: string;
  transformation: string;
  /** The parameters of the picture as a layer; undefined where it is not to be one. */
  layering?: string;
}

/**
 * Uploads every hostile file and `count` damaged pictures, and asks for a variant of each, stored or not: what an upload
 * refuses is put into storage all the same. Damaged pictures are laid over a sound one, too. Any answer but 200 and 400 is a problem;
 * a layer that cannot be decoded is 422.
 */
export const fuzz: Fuzz = async ({ count, seed }) => {
  const data = await mkdtemp(join(tmpdir(), 'darkroom-fuzz-'));
  const service = await startServiceProcess({
    DATA_DIR: data,
    API_KEY,
    PUBLIC_RATE_LIMIT_MAX: '0',
    LOG_REQUESTS: 'errors',
    RENDER_TIMEOUT_MS: String(RENDER_TIMEOUT_MS),
  });
  try {
    await writeFile(join(data, 'originals', SOUND), await quadrants(60, 40).png().toBuffer());
    const run = new Run(service, join(data, 'originals'));
    const inputs = [...(await corpusInputs()), ...(await damagedInputs(count, seed))].toReversed();
    const client = async () => {
      for (let input = inputs.pop(); input; input = inputs.pop()) await run.tryInput(input);
    };
    const start = performance.now();
    await Promise.all(Array.from({ length: CLIENTS }, client));
    return await run.report((performance.now() - start) / 1000);
  } finally {
    await service.end('SIGKILL');
    await rm(data, { recursive: true, force: true });
  }
};

async function corpusInputs(): Promise<Input[]> {
  const files = await hostilePictures();
  return files.flatMap((file) =>
    ['w_100', 'w_64,h_64,g_face,f_webp'].map((transformation, index) => ({
      ...file,
      name: `${index}-${file.name}`,
      origin: file.name,
      transformation,
    })),
  );
}

/** Made one after the other when it is their turn: two thousand at once would not fit into memory. */
async function damagedInputs(count: number, seed: number): Promise<Input[]> {
  const sound = await soundPictures();
  return Array.from({ length: count }, (_, index) => {
    const random = seededRandom(seed + index);
    const { name, bytes } = random.pick(sound);
    const transformation = random.pick(TRANSFORMATIONS);
    const layering = random.pick(LAYERINGS);
    const origin = `${name}, seed ${seed + index}`;
    return {
      name: `${index}-${name}`,
      origin,
      transformation,
      layering,
      get bytes() {
        return damage(bytes, seededRandom(seed + index + 1e6));
      },
    };
  });
}

class Run {
  readonly #service: ServiceProcess;
  readonly #originals: string;
  readonly #answers = new Map<string, number>();
  readonly #problems: string[] = [];
  #slowest = 0;
  #workerPeak = 0;

  constructor(service: ServiceProcess, originals: string) {
    this.#service = service;
    this.#originals = originals;
  }

  async tryInput({ name, bytes, origin, transformation, layering }: Input): Promise<void> {
    const stored = (await this.#upload(name, bytes, origin)) ?? (await this.#place(name, bytes));
    await this.#ask(stored, transformation, origin);
    if (layering !== undefined) await this.#lay(stored, layering, origin);
    await rm(join(this.#originals, stored), { force: true });
    for (const pid of await childrenOf(this.#service.pid)) {
      const { highest } = await memoryOf(pid).catch(() => ({ highest: 0 }));
      this.#workerPeak = Math.max(this.#workerPeak, highest || 0);
    }
  }

  /** @returns the path under which it was stored */
  async #upload(name: string, bytes: Buffer, origin: string): Promise<string | undefined> {
    const form = new FormData();
    form.append('files', new Blob([new Uint8Array(bytes)]), name);
    const headers = { authorization: `Bearer ${API_KEY}` };
    const answer = await this.#fetch('/upload', origin, { method: 'POST', headers, body: form });
    if (!answer) return undefined;
    const { files = [] } = JSON.parse(answer.body.toString()) as { files?: { path: string }[] };
    this.#count(`upload ${answer.status}`);
    if (![200, 400].includes(answer.status)) this.#problem(origin, `upload: ${answer.status} ${answer.body}`);
    return files[0]?.path;
  }

  async #place(name: string, bytes: Buffer): Promise<string> {
    const stored = `placed-${name}`;
    await writeFile(join(this.#originals, stored), bytes);
    return stored;
  }

  async #ask(path: string, transformation: string, origin: string): Promise<void> {
    const answer = await this.#fetch(`/t/${transformation}/${path}`, `${origin}, ${transformation}`);
    if (!answer) return;
    const { status, headers, body } = answer;
    const isFallback = headers.has('x-transform-fallback');
    this.#count(`${extname(path).slice(1)} ${isFallback ? 'fallback' : status === 200 ? 'rendered' : status}`);
    const isPicture = /^image\//.test(headers.get('content-type') ?? '') && (isFallback || body.length > 0);
    const isRight = status === 200 ? isPicture : status === 400 && /[A-Z_]{9,}/.test(body.toString());
    if (!isRight) this.#problem(`${origin}, ${transformation}`, `${status} ${body.subarray(0, 300)}`);
  }

  async #lay(path: string, layering: string, origin: string): Promise<void> {
    const layer = encodeURIComponent(writeSource({ kind: 'picture', path: parsePath(path) })) + layering;
    const answer = await this.#fetch(`/t/w_90~l_${layer}/${SOUND}`, `${origin}, as a layer`);
    if (!answer) return;
    const { status, body } = answer;
    this.#count(`${extname(path).slice(1)} as a layer ${status}`);
    if (![200, 400, 422].includes(status))
      this.#problem(`${origin}, as a layer${layering}`, `${status} ${body.subarray(0, 300)}`);
  }

  async #fetch(path: string, origin: string, init: RequestInit = {}) {
    const start = performance.now();
    try {
      const response = await fetch(this.#service.url + path, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) });
      const body = Buffer.from(await response.arrayBuffer());
      return { status: response.status, headers: response.headers, body };
    } catch (error) {
      this.#problem(origin, `${path}: no answer after ${Math.round(performance.now() - start)} ms (${error})`);
      return undefined;
    } finally {
      this.#slowest = Math.max(this.#slowest, performance.now() - start);
    }
  }

  #count(what: string): void {
    this.#answers.set(what, (this.#answers.get(what) ?? 0) + 1);
  }

  #problem(origin: string, what: string): void {
    this.#problems.push(`${origin}: ${what}`);
  }

  async report(seconds: number) {
    const { now, highest } = await memoryOf(this.#service.pid);
    const health = await this.#fetch('/health', 'the service afterwards');
    if (health?.status !== 200) this.#problem('the service afterwards', String(health?.status));
    const errors = this.#service.stdout().match(/"level":(50|60).*/g) ?? [];
    for (const line of errors) this.#problem('log', line.slice(0, 400));
    const answers = [...this.#answers].toSorted().map(([what, times]) => `${what}: ${times}`);
    const megabytes = (bytes: number) => `${Math.round(bytes / MEGABYTE)} MB`;
    return {
      lines: [
        `${Math.round(seconds)} s, slowest answer ${Math.round(this.#slowest)} ms`,
        `memory of the service ${megabytes(now)}, at most ${megabytes(highest)}; of a worker at most ${megabytes(this.#workerPeak)}`,
        ...answers,
      ],
      problems: this.#problems,
      peakBytes: { service: highest, worker: this.#workerPeak },
    };
  }
}
