import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import sharp from 'sharp';
import { writeSource } from '../../src/image/layers/names.ts';
import { parsePath } from '../../src/path.ts';
import { quadrants } from '../pictures/studio.ts';
import { type ServiceProcess, startServiceProcess } from '../process/service-process.ts';
import { hostileAnimation } from './hostile-animations.ts';
import { hostileDocuments, soundDocuments } from './hostile-documents.ts';
import { damage, hostilePictures, type PictureFile, soundPictures } from './hostile-pictures.ts';
import { listenOutside } from './outside.ts';
import type { Fuzz } from './run.ts';
import { seededRandom } from './seeded-random.ts';
import { Watch } from './watch.ts';

const API_KEY = 'fuzz-key-0123456789-0123456789-0123456789';
/** Number of concurrent inputs. */
const CLIENTS = 3;
const RENDER_TIMEOUT_MS = 30_000;
const DOCUMENT_TIMEOUT_MS = 1500;
const DOCUMENTS = ['.svg', '.pdf', '.tif'];

const TRANSFORMATIONS = [
  'w_100',
  'pg_2,w_70,f_png',
  'w_120,h_90,c_fit,f_webp',
  'w_64,h_64,g_face',
  'w_64,h_40,g_auto,f_webp',
  'a_33,b_336699',
  'a_90,w_50,c_pad,h_80,f_jpeg',
  'a_hflip.30,rg_0.1:0.1:0.8:0.8,z_1.5,w_60,h_40,pd_5,b_blur:4,bo_2:f00,r_9,o_70',
  'w_70,e_pixelate:5,e_blur:2,e_hue:40,e_duotone:012:fed,e_contrast:20,e_sharpen:2,e_vignette,f_webp',
  'w_80,e_cutout,f_webp',
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

/** Transformations that animate frames. */
const MOVING = [
  'w_80,an_true',
  'an_true,f_gif',
  'an_true,f_webp',
  'an_true,q_auto,f_webp',
  'a_33,w_60,r_9,bo_2:f00,an_true,f_webp',
  'a_90,h_40,w_40,c_pad,b_blur,e_sepia,o_60,an_true,f_gif',
  'tr,w_64,e_pixelate:5,an_true,f_webp',
  'w_90,an_true~l_sound.png,w_0.4,bl_multiply~l_text:Hello,b_fff',
  'w_2000,an_true,f_webp',
];
/** Share of animations among the inputs. */
const MOVING_SHARE = 1 / 3;

/** Transformations that overlay the image on a valid one. */
const LAYERINGS = [
  ',w_0.5,g_se,o_70,bl_overlay,sd_2:2:4:000',
  ',w_40,h_30,a_20,rg_0.1:0.1:0.8:0.8,e_blur:2,r_5',
  ',tl_3,bl_difference',
  '',
];
/** The image overlaid on the inputs, and their base image. */
const SOUND = 'sound.png';

interface Input extends PictureFile {
  /** Parameters that reproduce this input. */
  origin: string;
  transformation: string;
  /** Parameters of the image as a layer; undefined if it is not used as one. */
  layering?: string;
  /** True if it paints nothing, because all its content is in other files. */
  isBlank?: boolean;
}

/**
 * Uploads every hostile file, `count` damaged images and a third as many animations, and requests a variant of each,
 * stored or not: files that an upload rejects are put into storage directly. Damaged images are also overlaid on a
 * valid one. Any status except 200 and 400 is a problem; a layer or a document that cannot be decoded is 422. A request
 * for the address that documents name is a problem, too.
 */
export const fuzz: Fuzz = async ({ count, seed }) => {
  const data = await mkdtemp(join(tmpdir(), 'darkroom-fuzz-'));
  const service = await startServiceProcess({
    DATA_DIR: data,
    API_KEY,
    PUBLIC_RATE_LIMIT_MAX: '0',
    LOG_REQUESTS: 'errors',
    RENDER_TIMEOUT_MS: String(RENDER_TIMEOUT_MS),
    DOCUMENT_TIMEOUT_MS: String(DOCUMENT_TIMEOUT_MS),
    EXTRA_TYPES: 'svg,pdf,tiff',
  });
  const outside = await listenOutside();
  try {
    await writeFile(join(data, 'originals', SOUND), await quadrants(60, 40).png().toBuffer());
    const originals = join(data, 'originals');
    const run = new Run(service, originals);
    const hostile = [...(await hostilePictures()), ...hostileDocuments(originals, outside.url)];
    const moving = await movingInputs(Math.round(count * MOVING_SHARE), seed);
    const inputs = [...hostileInputs(hostile), ...(await damagedInputs(count, seed)), ...moving].toReversed();
    const client = async () => {
      for (let input = inputs.pop(); input; input = inputs.pop()) await run.tryInput(input);
    };
    const start = performance.now();
    await Promise.all(Array.from({ length: CLIENTS }, client));
    return await run.report((performance.now() - start) / 1000, outside.asked());
  } finally {
    await service.end('SIGKILL');
    outside.close();
    await rm(data, { recursive: true, force: true });
  }
};

function hostileInputs(files: readonly (PictureFile & { isBlank?: boolean })[]): Input[] {
  return files.flatMap((file) =>
    ['w_100,f_png', 'w_64,h_64,g_face,f_webp'].map((transformation, index) => ({
      ...file,
      name: `${index}-${file.name}`,
      origin: file.name,
      transformation,
    })),
  );
}

async function movingInputs(count: number, seed: number): Promise<Input[]> {
  const inputs: Input[] = [];
  for (let index = 0; index < count; index++) {
    const random = seededRandom(seed + index + 2e6);
    const { name, bytes } = await hostileAnimation(random);
    const origin = `${name}, seed ${seed + index + 2e6}`;
    inputs.push({ name: `moving-${index}-${name}`, bytes, origin, transformation: random.pick(MOVING) });
  }
  return inputs;
}

/** Generates the inputs one at a time: two thousand together would not fit into memory. */
async function damagedInputs(count: number, seed: number): Promise<Input[]> {
  const pictures = await soundPictures();
  const documents = await soundDocuments();
  return Array.from({ length: count }, (_, index) => {
    const random = seededRandom(seed + index);
    // Fewer documents, whose decoders are less known.
    const { name, bytes } = random.pick(random.below(3) === 0 ? documents : pictures);
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

async function paintsNothing(picture: Buffer): Promise<boolean> {
  const { channels } = await sharp(picture).ensureAlpha().stats();
  return channels.at(-1)?.max === 0;
}

class Run {
  readonly #watch: Watch;
  readonly #originals: string;
  readonly #answers = new Map<string, number>();

  constructor(service: ServiceProcess, originals: string) {
    this.#watch = new Watch(service);
    this.#originals = originals;
  }

  async tryInput({ name, bytes, origin, transformation, layering, isBlank }: Input): Promise<void> {
    const stored = (await this.#upload(name, bytes, origin)) ?? (await this.#place(name, bytes));
    await this.#ask(stored, transformation, origin, isBlank);
    if (layering !== undefined) await this.#lay(stored, layering, origin);
    await rm(join(this.#originals, stored), { force: true });
    await this.#watch.lookAtWorkers();
  }

  /** @returns the path of the stored file */
  async #upload(name: string, bytes: Buffer, origin: string): Promise<string | undefined> {
    const form = new FormData();
    form.append('files', new Blob([new Uint8Array(bytes)]), name);
    const headers = { authorization: `Bearer ${API_KEY}` };
    const answer = await this.#watch.fetch('/upload', origin, { method: 'POST', headers, body: form });
    if (!answer) return undefined;
    const { files = [] } = JSON.parse(answer.body.toString()) as { files?: { path: string }[] };
    this.#count(`upload ${answer.status}`);
    if (![200, 400].includes(answer.status))
      this.#watch.problems.push(`${origin}: upload: ${answer.status} ${answer.body}`);
    return files[0]?.path;
  }

  async #place(name: string, bytes: Buffer): Promise<string> {
    const stored = `placed-${name}`;
    await writeFile(join(this.#originals, stored), bytes);
    return stored;
  }

  async #ask(path: string, transformation: string, origin: string, isBlank = false): Promise<void> {
    const answer = await this.#watch.fetch(`/t/${transformation}/${path}`, `${origin}, ${transformation}`);
    if (!answer) return;
    const { status, headers, body } = answer;
    const isFallback = headers.has('x-transform-fallback');
    this.#count(`${extname(path).slice(1)} ${isFallback ? 'fallback' : status === 200 ? 'rendered' : status}`);
    const isPicture = /^image\//.test(headers.get('content-type') ?? '') && (isFallback || body.length > 0);
    const isDocument = DOCUMENTS.includes(extname(path));
    const text = status === 200 ? '' : body.toString();
    const isRefusal = (status === 400 && /[A-Z_]{9,}|Parameter/.test(text)) || (isDocument && status === 422);
    const isSafe = !text.includes(this.#originals) && !(isDocument && isFallback);
    const isRight = isSafe && (status === 200 ? isPicture : isRefusal);
    if (!isRight) this.#watch.problems.push(`${origin}, ${transformation}: ${status} ${body.subarray(0, 300)}`);
    if (isBlank && status === 200 && !(await paintsNothing(body))) this.#watch.problems.push(`${origin}: shows others`);
  }

  async #lay(path: string, layering: string, origin: string): Promise<void> {
    const layer = encodeURIComponent(writeSource({ kind: 'picture', path: parsePath(path) })) + layering;
    const answer = await this.#watch.fetch(`/t/w_90~l_${layer}/${SOUND}`, `${origin}, as a layer`);
    if (!answer) return;
    const { status, body } = answer;
    this.#count(`${extname(path).slice(1)} as a layer ${status}`);
    if (![200, 400, 422].includes(status))
      this.#watch.problems.push(`${origin}, as a layer${layering}: ${status} ${body.subarray(0, 300)}`);
  }

  #count(what: string): void {
    this.#answers.set(what, (this.#answers.get(what) ?? 0) + 1);
  }

  async report(seconds: number, fetched: number) {
    if (fetched > 0) this.#watch.problems.push(`the address that documents name was asked ${fetched} times`);
    const health = await this.#watch.fetch('/health', 'the service afterwards');
    if (health?.status !== 200) this.#watch.problems.push(`the service afterwards: ${health?.status}`);
    const { lines, ...seen } = await this.#watch.report();
    const answers = [...this.#answers].toSorted().map(([what, times]) => `${what}: ${times}`);
    return { ...seen, lines: [`${Math.round(seconds)} s`, ...lines, ...answers] };
  }
}
