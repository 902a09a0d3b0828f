import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Ffmpeg, runFfmpeg } from '../../src/video/ffmpeg/run.ts';

const FIXTURES = fileURLToPath(new URL('../../test/fixtures/', import.meta.url));
const RATE = 25;

/** A film without losses, and what it shows. */
export interface Clip {
  name: string;
  file: string;
}

type Size = `${number}x${number}`;
type Recipe = (size: Size, frames: number) => string[];

/** A camera that moves over a photo; with grain when its strength is given. */
function overPhoto(photo: string, move: string, grain = 0): Recipe {
  return (size, frames) => {
    const camera = `zoompan=${move}:d=${frames}:s=${size}:fps=${RATE},setsar=1`;
    const noise = grain > 0 ? `,noise=alls=${grain}:allf=t:all_seed=7` : '';
    return ['-i', join(FIXTURES, photo), '-vf', `scale=2560:-2,${camera}${noise}`];
  };
}

function painted(source: string, filters = ''): Recipe {
  return (size) => ['-f', 'lavfi', '-i', `${source}=s=${size}:r=${RATE}${filters}`];
}

const IN = "z='1+0.005*on':x='iw/2-iw/zoom/2':y='ih/2-ih/zoom/2'";
const RIGHT = "z=1.6:x='on*4':y='ih/4'";
const DOWN = "z=1.5:x='iw/5':y='on*3'";
const SHAKEN = "z=1.4:x='iw/7+20*sin(on/3)+on':y='ih/7+14*cos(on/4)'";

const RECIPES: Readonly<Record<string, Recipe>> = {
  'film, a figure': (size) => [
    ...['-stream_loop', '1', '-noautorotate', '-i', join(FIXTURES, 'schizo_90.mp4'), '-an'],
    ...['-vf', `fps=${RATE},scale=${size.replace('x', ':')},setsar=1`],
  ],
  'photo, zoom': overPhoto('photo-2725x2225.jpg', IN),
  'photo, pan with grain': overPhoto('photo-2725x2225.jpg', RIGHT, 8),
  'portrait, zoom with grain': overPhoto('portrait-face.jpg', IN, 6),
  'portrait, shaken': overPhoto('portrait-face.jpg', SHAKEN),
  'concert, pan': overPhoto('concert.jpg', RIGHT),
  'concert, shaken with grain': overPhoto('concert.jpg', SHAKEN, 10),
  'landscape, down': overPhoto('no-face.jpg', DOWN),
  'landscape, shaken with grain': overPhoto('no-face.jpg', SHAKEN, 5),
  'test card': painted('testsrc2'),
  fractal: painted('mandelbrot', ':start_scale=2:end_scale=0.2:end_pts=60'),
  'gradients with grain': painted('gradients', ':c0=navy:c1=orange:speed=0.02:seed=3,noise=alls=4:allf=t:all_seed=7'),
};

export const CLIP_NAMES = Object.keys(RECIPES);

/** Makes clips in a folder. @param seconds of each */
export function makeClips(tools: Ffmpeg, folder: string, names: readonly string[], size: Size, seconds: number) {
  const frames = seconds * RATE;
  return Promise.all(
    names.map(async (name, index): Promise<Clip> => {
      const file = join(folder, `clip-${size}-${index}.mp4`);
      const lossless = ['-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '0', '-pix_fmt', 'yuv420p'];
      const source = RECIPES[name]?.(size, frames) ?? [];
      await runFfmpeg(tools, ['-v', 'error', '-y', ...source, '-frames:v', String(frames), ...lossless, file]);
      return { name, file };
    }),
  );
}
