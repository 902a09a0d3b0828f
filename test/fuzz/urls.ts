import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { encodeSegment, readDeliveryUrl } from '../../src/delivery/url.ts';
import { HttpProblem } from '../../src/errors.ts';
import type { Layer } from '../../src/image/layers/layer.ts';
import { formatLayered, parseLayered } from '../../src/image/layers/segment.ts';
import { type ImageOptions, imageSteps } from '../../src/image/steps/index.ts';
import { mediaTypeOf } from '../../src/media.ts';
import { videoSteps } from '../../src/video/steps/index.ts';
import { quadrants } from '../pictures/studio.ts';
import { startServiceProcess } from '../process/service-process.ts';
import { randomSegment } from './random-segment.ts';
import type { Fuzz } from './run.ts';
import { seededRandom } from './seeded-random.ts';
import { Watch } from './watch.ts';

export const unit = 'segments';
export const defaultCount = 20_000;

const RULES = { outputSide: 8192 };
/** One in this many segments is also requested from the service. */
const ASKED = 25;
const CLIENTS = 3;
/** The requested files, also named by layers. The last is broken. */
const FILES = ['photo.jpg', 'brand/logo.png', 'odd, ~:%.png', 'broken.png'] as const;

/**
 * Parses `count` random transformations over the whole language, valid and mangled: parsing gives options or a 400, the
 * canonical text parses to the same options, and a URL carries them. Some are requested from the service, which
 * responds with 200, 400, 404 or 422.
 */
export const fuzz: Fuzz = async ({ count, seed }) => {
  const problems: string[] = [];
  const outcomes = new Map<string, number>();
  const tell = (what: string) => outcomes.set(what, (outcomes.get(what) ?? 0) + 1);
  const asked: string[] = [];
  for (let index = 0; index < count; index++) {
    const segment = randomSegment(seededRandom(seed + index), FILES);
    try {
      const problem = problemOf(segment, tell);
      if (problem) problems.push(`seed ${seed + index}: ${JSON.stringify(segment)}: ${problem}`);
    } catch (error) {
      problems.push(`seed ${seed + index}: ${JSON.stringify(segment)}: ${error}`);
    }
    if (index % ASKED === 0) asked.push(segment);
  }
  const answers = await askAll(asked, tell);
  return {
    lines: [...outcomes]
      .toSorted()
      .map(([what, times]) => `${what}: ${times}`)
      .concat(answers.lines),
    problems: [...problems, ...answers.problems],
    peakBytes: answers.peakBytes,
  };
};

/** Describes the first defect in parsing, formatting or carrying a segment in a URL. */
function problemOf(segment: string, tell: (what: string) => void): string | undefined {
  const options = tryToRead(segment);
  if (options === 'refused' || options === undefined) {
    tell(options ?? 'a folder name');
    return undefined;
  }
  tell(options.layers ? 'read, with layers' : 'read');
  const canonical = formatLayered(options, imageSteps);
  const again = canonical === '' ? {} : tryToRead(canonical);
  if (!isDeepStrictEqual(again, options)) return `${JSON.stringify(canonical)} is read as ${JSON.stringify(again)}`;
  const { transformation } = readDeliveryUrl(`${encodeSegment(segment)}/photo.jpg`, RULES);
  if (transformation?.kind === 'refused' && options.layers?.some(isNoPicture)) return undefined;
  const isCarried = transformation?.kind === 'picture' && isDeepStrictEqual(transformation.options, meantFor(options));
  return isCarried ? undefined : `the URL is read as ${JSON.stringify(transformation)}`;
}

/** Returns the options that apply to a JPEG, which has one page and no animation. */
function meantFor({ page, animated, ...options }: ImageOptions): ImageOptions {
  const { format, gravity } = options;
  return format === 'json' ? { format, ...(gravity === 'face' && { gravity }) } : options;
}

const isNoPicture = (layer: Layer) => layer.kind === 'picture' && mediaTypeOf(layer.path).kind !== 'image';

function tryToRead(segment: string) {
  try {
    return parseLayered(segment, imageSteps, [videoSteps], RULES);
  } catch (error) {
    if (error instanceof HttpProblem && error.status === 400) return 'refused';
    throw error;
  }
}

async function askAll(segments: string[], tell: (what: string) => void) {
  const data = await mkdtemp(join(tmpdir(), 'darkroom-fuzz-'));
  const environment = {
    DATA_DIR: data,
    PUBLIC_RATE_LIMIT_MAX: '0',
    LOG_REQUESTS: 'errors',
    RENDER_TIMEOUT_MS: '30000',
  };
  const service = await startServiceProcess({ ...environment, MAX_OUTPUT_SIDE: '800', MAX_OUTPUT_MEGAPIXELS: '1' });
  const watch = new Watch(service);
  try {
    await place(data);
    const left = segments.toReversed();
    const client = async () => {
      for (let segment = left.pop(); segment !== undefined; segment = left.pop()) await ask(watch, segment, tell);
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    return await watch.report();
  } finally {
    await service.end('SIGKILL');
    await rm(data, { recursive: true, force: true });
  }
}

async function place(data: string): Promise<void> {
  const picture = quadrants(64, 48);
  const [photo, logo, odd, broken] = FILES;
  const originals = join(data, 'originals');
  await writeFile(join(originals, photo), await picture.clone().jpeg().toBuffer());
  await mkdir(join(originals, 'brand'));
  for (const name of [logo, odd]) await writeFile(join(originals, name), await picture.clone().png().toBuffer());
  await writeFile(join(originals, broken), 'no picture');
}

async function ask(watch: Watch, segment: string, tell: (what: string) => void): Promise<void> {
  const answer = await watch.fetch(`/t/${encodeURIComponent(segment)}/photo.jpg`, segment);
  if (answer) {
    const { status, body } = answer;
    tell(`asked: ${status}`);
    if (![200, 400, 404, 422].includes(status)) watch.problems.push(`${segment}: ${status} ${body.subarray(0, 300)}`);
  }
  await watch.lookAtWorkers();
}
