import { pause, repeat, send, type Target } from './wire.ts';

const LAYERS = 8;
const WORDS = 'The quick brown fox jumps over the lazy dog and the rain in Spain stays mainly in the plain';

/**
 * Renders outlined, blurred and rotated texts over a photo, the maximum number per request, with a different text in
 * each request.
 */
export function paintTexts(photo: string) {
  return (target: Target): Promise<void> =>
    repeat(target, { lines: 95, times: 2000 }, async (n) => {
      const size = 60 + (n % 30);
      const layers = Array.from({ length: LAYERS }, (_, layer) => {
        const words = encodeURIComponent(`${n} ${layer} ${WORDS}`.slice(0, 95));
        return `~l_text:${words},fs_${size},st_20:f00,sd_5:5:50:000,a_33`;
      });
      await send(target, { path: `/t/w_800,h_800,f_jpeg${layers.join('')}/${photo}` });
      await pause(target, 500);
    });
}
