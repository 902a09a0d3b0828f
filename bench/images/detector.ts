import { fileURLToPath } from 'node:url';
import { findInPicture } from '../../src/image/findings/find.ts';
import { createFinders } from '../../src/image/findings/finders.ts';
import { openStudio } from '../../test/pictures/studio.ts';
import { median, table } from '../tools/report.ts';
import { timed } from '../tools/timed.ts';

const LIMITS = { inputMegapixels: 100, animationFrames: 1000 };
const PICTURES = ['portrait-face.jpg', 'no-face.jpg', 'concert.jpg', 'photo-2725x2225.jpg'];
const KINDS = ['faces', 'interest', 'cutout'] as const;

/** What `g_face`, `g_auto` and `e_cutout` add to the first render of an original; later ones find the result in the cache. */
export async function measureDetector(rounds: number): Promise<string> {
  const studio = await openStudio();
  const finders = createFinders();
  const loading = await timed(() => finders.faces.status());
  let count = 0;
  const find = (name: string, kind: (typeof KINDS)[number]) => {
    const input = fileURLToPath(new URL(`../../test/fixtures/${name}`, import.meta.url));
    return findInPicture(
      { input, output: studio.file(`found-${++count}`), finding: { kind }, limits: LIMITS },
      finders,
    );
  };
  const rows: string[][] = [];
  for (const name of PICTURES) {
    const cells: string[] = [];
    for (const kind of KINDS) {
      const times: number[] = [];
      for (let round = 0; round <= rounds; round++) times.push(await timed(() => find(name, kind)));
      cells.push(median(times.slice(1)).toFixed(0));
    }
    rows.push([name, ...cells]);
  }
  await studio.close();
  return [
    '### Faces, interest and people',
    '',
    `Milliseconds to find these in an original, decoding included, once for all its sizes. A render worker needs ${loading.toFixed(0)} ms more, once, to load the detector.`,
    '',
    table(['picture', '`g_face`', '`g_auto`', '`e_cutout`'], rows),
  ].join('\n');
}
