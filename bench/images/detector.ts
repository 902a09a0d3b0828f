import { fileURLToPath } from 'node:url';
import { createFaceDetector } from '../../src/image/focus/detect-faces.ts';
import { findFocus } from '../../src/image/focus/find-focus.ts';
import type { FocusGravity } from '../../src/image/focus/focus.ts';
import { openStudio } from '../../test/pictures/studio.ts';
import { median, table } from '../tools/report.ts';
import { timed } from './steps.ts';

const LIMITS = { inputMegapixels: 100, animationFrames: 1000 };
const PICTURES = ['portrait-face.jpg', 'no-face.jpg', 'concert.jpg', 'photo-2725x2225.jpg'];

/** What `g_face` and `g_auto` add to the first crop of an original; later crops find the result in the cache. */
export async function measureDetector(rounds: number): Promise<string> {
  const studio = await openStudio();
  const detector = createFaceDetector();
  const loading = await timed(() => detector.status());
  let count = 0;
  const find = (name: string, gravity: FocusGravity) => {
    const input = fileURLToPath(new URL(`../../test/fixtures/${name}`, import.meta.url));
    return findFocus({ input, output: studio.file(`focus-${++count}`), gravity, limits: LIMITS }, detector);
  };
  const rows: string[][] = [];
  for (const name of PICTURES) {
    const cells: string[] = [];
    for (const gravity of ['face', 'auto'] as const) {
      const times: number[] = [];
      for (let round = 0; round <= rounds; round++) times.push(await timed(() => find(name, gravity)));
      cells.push(median(times.slice(1)).toFixed(0));
    }
    rows.push([name, ...cells]);
  }
  await studio.close();
  return [
    '### Faces and interest',
    '',
    `Milliseconds to find the focus of an original, decoding included, once for all its sizes. A render worker needs ${loading.toFixed(0)} ms more, once, to load the detector.`,
    '',
    table(['picture', '`g_face`', '`g_auto`'], rows),
  ].join('\n');
}
