/**
 * How often faces are found, and how long that takes.
 * Run: npm run bench faces <folder> [--labels=<file>] [--against=<folder of another version>] [--misses]
 * docs/face-detection.md says which packages the pictures of `bench/faces/labels.tsv` are in: each is unpacked into a folder of its name.
 */
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import sharp, { type Sharp } from 'sharp';
import type { Rectangle } from '../src/image/layout/geometry.ts';
import { inTenWays, type Labelled, readLabels, turn } from './faces/pictures.ts';
import { median, table } from './tools/report.ts';

interface Version {
  createFaceDetector(): { status(): Promise<unknown> };
  detectFaces(image: Sharp, detector: unknown): Promise<Rectangle[]>;
}

interface Counts {
  faces: number;
  found: number;
  pictures: number;
  /** Pictures without a face in which one was found. */
  false: number;
  /** Finds that are no face, in pictures that have some. */
  beside: number;
  /** CPU milliseconds of each picture, decoding included. */
  times: number[];
}

sharp.concurrency(1);
sharp.cache(false);
const [folder, ...flags] = process.argv.slice(2);
if (!folder || folder.startsWith('--')) throw new Error('Expected the folder with the pictures.');
const flag = (name: string) => flags.find((text) => text.startsWith(`--${name}=`))?.slice(name.length + 3);
const labels = flag('labels') ?? fileURLToPath(new URL('./faces/labels.tsv', import.meta.url));
const versions = ['.', flag('against')].filter((version) => version !== undefined);

const originals = await readLabels(folder, labels);
const portraits = originals.filter(({ kind }) => kind === 'portrait');
const groups: [string, Labelled[]][] = [
  ['one face from the front', portraits],
  ['several faces', originals.filter(({ kind }) => kind === 'group')],
  ['from the side, looking down', originals.filter(({ kind }) => kind === 'other')],
  ['without a face', originals.filter(({ kind }) => kind === 'none')],
];
const tenWays = await inTenWays(originals);
groups.push(['ten ways, frontal', tenWays.filter(({ kind }) => kind === 'portrait')]);
groups.push(['ten ways, other', tenWays.filter(({ kind }) => kind === 'other')]);
for (const degrees of [90, 180, 270]) {
  groups.push([`one face, turned by ${degrees}`, await Promise.all(portraits.map((one) => turn(one, degrees)))]);
}

for (const version of versions) {
  const rows: (string | number)[][] = [];
  const measure = await open(resolve(version));
  for (const [name, pictures] of groups.filter((group) => group[1].length > 0)) {
    const { faces, found, times, ...counts } = await measure(pictures);
    const cpu = `${median(times).toFixed(0)}, at most ${Math.max(...times).toFixed(0)}`;
    rows.push([name, counts.pictures, faces > 0 ? `${found}/${faces}` : '', counts.false, counts.beside, cpu]);
  }
  process.stdout.write(`\n${version}\n\n`);
  const heads = ['', 'pictures', 'faces found', 'false', 'beside', 'CPU ms'];
  process.stdout.write(
    `${table(
      heads,
      rows.map((row) => row.map(String)),
    )}\n`,
  );
}

async function open(version: string) {
  const url = pathToFileURL(`${version}/packages/faces/src/detect-faces.ts`).href;
  const { createFaceDetector, detectFaces }: Version = await import(url);
  const detector = createFaceDetector();
  await detector.status();
  return async (pictures: readonly Labelled[]): Promise<Counts> => {
    const counts: Counts = { faces: 0, found: 0, pictures: pictures.length, false: 0, beside: 0, times: [] };
    for (const picture of pictures) {
      const image = sharp(picture.input, { failOn: 'none' });
      const before = process.cpuUsage();
      const finds = await detectFaces(image, detector);
      const { user, system } = process.cpuUsage(before);
      counts.times.push((user + system) / 1000);
      const { width, height } = (await image.metadata()).autoOrient;
      count(
        counts,
        picture,
        finds.map((find) => scaled(find, width, height)),
      );
    }
    return counts;
  };
}

function count(counts: Counts, { name, faces }: Labelled, finds: readonly Rectangle[]): void {
  const found = faces.filter((face) => finds.some((find) => isHit(find, face))).length;
  const beside = finds.filter((find) => !faces.some((face) => isIn(find, face))).length;
  counts.faces += faces.length;
  counts.found += found;
  if (faces.length > 0) counts.beside += beside;
  else if (finds.length > 0) counts.false++;
  const isRight = found === faces.length && beside === 0;
  if (flags.includes('--misses') && !isRight) {
    process.stdout.write(`${name}: ${found} of ${faces.length}, ${beside} beside\n`);
  }
}

/** The middle of the find is in the face, and its area is 0.35 to 3.5 times that of the face. */
function isHit(find: Rectangle, face: Rectangle): boolean {
  const ratio = (find.width * find.height) / (face.width * face.height);
  return isIn(find, face) && ratio > 0.35 && ratio < 3.5;
}

function isIn(find: Rectangle, face: Rectangle): boolean {
  const [x, y] = [find.left + find.width / 2 - face.left, find.top + find.height / 2 - face.top];
  return x > 0 && y > 0 && x < face.width && y < face.height;
}

function scaled({ left, top, width, height }: Rectangle, byWidth: number, byHeight: number): Rectangle {
  return { left: left * byWidth, top: top * byHeight, width: width * byWidth, height: height * byHeight };
}
