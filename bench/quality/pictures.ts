import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import sharp, { type OutputInfo, type Sharp } from 'sharp';
import type { Pixels } from './ssimulacra2.ts';

/** A picture as it would be delivered, before it is encoded. */
export interface Picture extends Pixels {
  name: string;
  kind: 'photo' | 'graphic';
}

type DecodeHeic = (options: { buffer: Buffer }) => Promise<{ data: Uint8ClampedArray; width: number; height: number }>;
const FIXTURES = new URL('../../test/fixtures/', import.meta.url);

/** The widths that each picture is measured at; none is above three quarters of a compressed original's own. */
const FILES: readonly { name: string; kind: Picture['kind']; widths: readonly number[] }[] = [
  { name: 'photo-2725x2225.jpg', kind: 'photo', widths: [320, 800, 1600] },
  { name: 'orientation-1.jpg', kind: 'photo', widths: [320, 800] },
  { name: 'winter-1440x960.heic', kind: 'photo', widths: [320, 800] },
  { name: 'still.avif', kind: 'photo', widths: [320, 800, 1500] },
  { name: 'portrait-face.jpg', kind: 'photo', widths: [320, 600] },
  { name: 'no-face.jpg', kind: 'photo', widths: [320, 480] },
  { name: 'concert.jpg', kind: 'photo', widths: [300] },
  { name: 'flag-alpha.png', kind: 'graphic', widths: [320, 800] },
  { name: 'paper-alpha-1024x768.png', kind: 'graphic', widths: [320, 800] },
  { name: 'gradient.svg', kind: 'graphic', widths: [320, 800] },
  { name: 'strokes.svg', kind: 'graphic', widths: [320, 800] },
  { name: 'chart.svg', kind: 'graphic', widths: [320, 800] },
];

/** Photos and graphics at the sizes that pages show them in; `only` keeps those near one width. */
export async function pictures(only?: number): Promise<Picture[]> {
  const wanted = FILES.flatMap(({ name, kind, widths }) => widths.map((width) => ({ name, kind, width })));
  const kept = wanted.filter(({ width }) => !only || Math.abs(width - only) <= only / 2);
  return Promise.all(
    kept.map(async ({ name, kind, width }) => {
      const image = (await open(name)).rotate().flatten({ background: 'white' }).resize(width).toColourspace('srgb');
      const { data, info } = await image.removeAlpha().raw().toBuffer({ resolveWithObject: true });
      const label = `${name.replace(/\.\w+$/, '')} ${info.width} x ${info.height}`;
      return { name: label, kind, data: await threeChannels(data, info), width: info.width, height: info.height };
    }),
  );
}

/** The picture as a sharp pipeline, ready to be encoded. */
export function pipeline({ data, width, height }: Pixels): Sharp {
  return sharp(data, { raw: { width, height, channels: 3 } });
}

async function open(name: string): Promise<Sharp> {
  const drawing = DRAWINGS[name];
  if (drawing) return sharp(Buffer.from(svg(drawing)), { density: 144 });
  const path = new URL(name, FIXTURES);
  if (!name.endsWith('.heic')) return sharp(await readFile(path));
  const decodeHeic = createRequire(import.meta.url)('heic-decode') as DecodeHeic;
  const { data, width, height } = await decodeHeic({ buffer: await readFile(path) });
  return sharp(Buffer.from(data), { raw: { width, height, channels: 4 } });
}

async function threeChannels(data: Buffer, { width, height, channels }: OutputInfo): Promise<Buffer> {
  if (channels === 3) return data;
  const grey = sharp(data, { raw: { width, height, channels } });
  return grey.toColourspace('srgb').removeAlpha().raw().toBuffer();
}

const svg = (body: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="600"><rect width="800" height="600" fill="#fff"/>${body}</svg>`;

/** Letter-like thin strokes in rows, the hard case for lossy encoders; no font, so the same on every machine. */
const strokes = Array.from({ length: 24 * 40 }, (_, i) => {
  const [x, y, turn] = [20 + (i % 40) * 19, 15 + Math.floor(i / 40) * 24, (i * 7) % 5];
  const shape = ['v14', 'l9 14', 'h10v14', 'q12 7 0 14', 'v14h9v-14z'][turn];
  return `<path d="M${x} ${y}${shape}" fill="none" stroke="${i % 11 === 0 ? '#c00' : '#222'}" stroke-width="1.6"/>`;
}).join('');

const chart = Array.from({ length: 16 }, (_, i) => {
  const height = 80 + ((i * 137) % 400);
  return `<rect x="${24 + i * 48}" y="${580 - height}" width="36" height="${height}" fill="hsl(${i * 67} 70% 50%)"/>`;
}).join('');

const gradient = `<defs><linearGradient id="a" x2="1" y2="1"><stop stop-color="#1b2a6b"/><stop offset=".5" stop-color="#d9607a"/>
<stop offset="1" stop-color="#ffe9a8"/></linearGradient><radialGradient id="b"><stop stop-color="#fff"/><stop offset="1" stop-color="#fff" stop-opacity="0"/></radialGradient></defs>
<rect width="800" height="600" fill="url(#a)"/><circle cx="560" cy="220" r="200" fill="url(#b)"/>`;

const DRAWINGS: Readonly<Record<string, string>> = {
  'gradient.svg': gradient,
  'strokes.svg': strokes,
  'chart.svg': chart,
};
