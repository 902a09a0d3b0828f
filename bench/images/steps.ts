import { fileURLToPath } from 'node:url';
import sharp, { type Sharp } from 'sharp';
import { encoderOptions } from '../../src/image/encode/encoder-settings.ts';
import { prepareSharp } from '../../src/image/loaders.ts';
import { openStudio } from '../../test/pictures/studio.ts';
import { alternate, median, ratios, spread, table } from '../tools/report.ts';
import { timed } from '../tools/timed.ts';

export const PHOTO = fileURLToPath(new URL('../../test/fixtures/photo-2725x2225.jpg', import.meta.url));

interface Step {
  /** As in a URL. */
  segment: string;
  /** What who knows sharp would write for it. */
  bare(photo: Sharp): Sharp;
}

const WIDTH = 800;
const round = Buffer.alloc(600 * 600);
for (let at = 0; at < round.length; at++) {
  round[at] = Math.hypot((at % 600) - 299.5, Math.floor(at / 600) - 299.5) <= 300 ? 255 : 0;
}

const jpeg = (image: Sharp) => image.jpeg(encoderOptions('jpeg', 85));
const STEPS: readonly Step[] = [
  { segment: 'w_800,f_jpeg', bare: (photo) => jpeg(photo.resize(WIDTH)) },
  { segment: 'w_600,h_600,f_jpeg', bare: (photo) => jpeg(photo.resize(600, 600)) },
  { segment: 'w_600,h_600,c_fit,f_jpeg', bare: (photo) => jpeg(photo.resize(600, 600, { fit: 'inside' })) },
  { segment: 'w_600,h_600,c_scale,f_jpeg', bare: (photo) => jpeg(photo.resize(600, 600, { fit: 'fill' })) },
  {
    segment: 'w_600,h_600,c_pad,b_336699,f_jpeg',
    bare: (photo) => jpeg(photo.resize(600, 600, { fit: 'contain', background: '#336699' })),
  },
  {
    segment: 'ar_1:1,w_600,f_jpeg',
    bare: (photo) => jpeg(photo.extract({ left: 250, top: 0, width: 2225, height: 2225 }).resize(600)),
  },
  { segment: 'w_600,h_600,g_north,f_jpeg', bare: (photo) => jpeg(photo.resize(600, 600, { position: 'north' })) },
  { segment: 'a_90,w_800,f_jpeg', bare: (photo) => jpeg(photo.rotate(90).resize(WIDTH)) },
  { segment: 'a_30,w_800,f_jpeg', bare: (photo) => jpeg(photo.rotate(30, { background: 'white' }).resize(WIDTH)) },
  {
    segment: 'w_600,h_600,r_max,f_png',
    bare: (photo) =>
      photo
        .resize(600, 600)
        .joinChannel(round, { raw: { width: 600, height: 600, channels: 1 } })
        .png(encoderOptions('png', 85)),
  },
  { segment: 'w_800,f_webp', bare: (photo) => photo.resize(WIDTH).webp(encoderOptions('webp', 85)) },
  { segment: 'w_800,f_avif', bare: (photo) => photo.resize(WIDTH).avif(encoderOptions('avif', 85)) },
  { segment: 'w_800,f_png', bare: (photo) => photo.resize(WIDTH).png(encoderOptions('png', 85)) },
  { segment: 'w_800,f_gif', bare: (photo) => photo.resize(WIDTH).gif(encoderOptions('gif', 85)) },
  { segment: 'w_800,q_auto,f_jpeg', bare: (photo) => jpeg(photo.resize(WIDTH)) },
  { segment: 'w_800,q_auto,f_webp', bare: (photo) => photo.resize(WIDTH).webp(encoderOptions('webp', 85)) },
  { segment: 'w_800,q_auto,f_avif', bare: (photo) => photo.resize(WIDTH).avif(encoderOptions('avif', 85)) },
];

/** What each step costs in the pipeline, against sharp told by hand. */
export async function measureSteps(rounds: number): Promise<string> {
  prepareSharp();
  const studio = await openStudio();
  const rows: string[][] = [];
  for (const { segment, bare } of STEPS) {
    const times = await alternate(
      {
        darkroom: () => timed(() => studio.attempt(PHOTO, segment)),
        bare: () => timed(() => bare(sharp(PHOTO, { failOn: 'error' }).autoOrient()).toFile(studio.file('bare'))),
      },
      rounds + 1,
    );
    const [darkroom, by] = [times.darkroom.slice(1), times.bare.slice(1)];
    const ratio = segment.includes('q_auto') ? 'q_85 by hand' : 'the same by hand';
    rows.push([
      `\`${segment}\``,
      median(darkroom).toFixed(0),
      median(by).toFixed(0),
      spread(ratios(darkroom, by)),
      ratio,
    ]);
    process.stderr.write(`  ${segment}\n`);
  }
  await studio.close();
  return [
    '### Cold cost of each step',
    '',
    'A 6 MP JPEG through the pipeline as a render worker runs it (plan, decode, steps, encode, durable write) against sharp told by',
    'hand, with the same encoder options, in one process with one thread for each operation. Milliseconds, medians; ratios with range.',
    '',
    table(['transformation', 'darkroom', 'bare sharp', 'ratio', 'against'], rows),
  ].join('\n');
}
