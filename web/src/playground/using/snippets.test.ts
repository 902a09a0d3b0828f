import { describe, expect, test } from 'vitest';
import type { Parameter } from '../../api/types.ts';
import { UNBOUNDED } from './bounds.ts';
import { IMAGE_SNIPPETS, type Use, VIDEO_SNIPPETS } from './snippets.ts';

const parameter = (key: string): Parameter => ({
  key,
  aliases: [],
  separator: '_',
  name: key,
  summary: '',
  forms: '',
  examples: [],
  shape: { kind: 'text' },
});
const listing: Use['listing'] = {
  image: ['w', 'h', 'dpr', 'c', 'q', 'f'].map(parameter),
  video: ['so', 'w', 'h', 'c', 'q', 'au', 'f', 't', 'tt'].map(parameter),
  layer: [],
  text: [],
  presets: [{ name: 'thumb', transformation: 'w_200,h_100' }],
};
const use: Use = {
  base: 'https://media.example.com/',
  path: 'trips/it\'s a 100% "b".jpg',
  segment: 'w_400,h_300,c_fill,q_70',
  listing,
  size: { width: 400, height: 300 },
  original: UNBOUNDED,
  alt: 'Salt & "pepper"',
  accept: 'image/webp,*/*',
};
const FILE = "trips/it's%20a%20100%25%20%22b%22.jpg";

describe('what is copied', () => {
  test('is the URL, with the names of the path encoded and the segment as people write it', () => {
    expect(IMAGE_SNIPPETS.url(use)).toBe(`https://media.example.com/t/w_400,h_300,c_fill,q_70/${FILE}`);
    expect(IMAGE_SNIPPETS.url({ ...use, segment: '' })).toBe(`https://media.example.com/t/${FILE}`);
    expect(IMAGE_SNIPPETS.url({ ...use, segment: 'r_1:2,b_fff' })).toContain('/t/r_1:2,b_fff/');
  });

  test('is an img from 320 to 2048 pixels whose height keeps its ratio', () => {
    const html = IMAGE_SNIPPETS.srcset(use);
    expect(html).toContain(`https://media.example.com/t/w_320,h_240,c_fill,q_70/${FILE} 320w,`);
    expect(html).toContain(`https://media.example.com/t/w_2048,h_1536,c_fill,q_70/${FILE} 2048w"`);
    expect(html).toContain('width="400" height="300"');
    expect(html).toContain('alt="Salt &amp; &quot;pepper&quot;"');
    expect(html.match(/ \d+w/g)).toEqual([' 320w', ' 400w', ' 640w', ' 800w', ' 960w', ' 1280w', ' 1600w', ' 2048w']);
  });

  test('asks for as many pixels as the chosen width is shown with, or for those of the screen', () => {
    for (const html of [IMAGE_SNIPPETS.srcset(use), IMAGE_SNIPPETS.picture(use)]) {
      expect(html).toContain('sizes="(max-width: 400px) 100vw, 400px"');
      expect(html).not.toContain('sizes="100vw"');
    }
    for (const code of [IMAGE_SNIPPETS.next(use), IMAGE_SNIPPETS.nuxt(use)])
      expect(code).toContain('sizes="(max-width: 400px) 100vw, 400px" />');
    expect(IMAGE_SNIPPETS.srcset({ ...use, segment: 'h_300,q_70' })).toContain('sizes="100vw"');
  });

  test('leaves dense screens to the browser where it chooses the width', () => {
    const html = IMAGE_SNIPPETS.picture({ ...use, segment: 'w_400,dpr_2' });
    expect(html).toContain(`/t/w_640,f_avif/${FILE} 640w`);
    expect(html).toContain(`src="https://media.example.com/t/w_400,dpr_2,f_jpeg/${FILE}"`);
  });

  test('is an img by the width alone where the segment has one side or none', () => {
    for (const segment of ['w_400,q_70', 'h_300,q_70', 'q_70'])
      expect(IMAGE_SNIPPETS.srcset({ ...use, segment })).toContain('/t/w_640,q_70/');
  });

  test('is a picture element with AVIF, WebP and JPEG, whatever the format was', () => {
    const html = IMAGE_SNIPPETS.picture({ ...use, segment: 'w_400,f_png' });
    expect(html.match(/type="[^"]+"/g)).toEqual(['type="image/avif"', 'type="image/webp"']);
    expect(html).not.toContain('f_png');
    expect(html.match(/f_(avif|webp|jpeg)/g)).toHaveLength(8 + 8 + 9);
  });

  test('has no widths until the size of the original is known, since none is beyond it', () => {
    const unknown = { ...use, segment: 'w_800', original: undefined };
    expect(IMAGE_SNIPPETS.srcset(unknown)).toBe(
      `<img\n  src="https://media.example.com/t/w_800/${FILE}"\n  width="400" height="300"\n  alt="Salt &amp; &quot;pepper&quot;"\n  loading="lazy"\n>`,
    );
    const picture = IMAGE_SNIPPETS.picture(unknown);
    expect(picture).not.toMatch(/ \d+w|sizes=/);
    expect(picture).toContain(`srcset="https://media.example.com/t/w_800,f_avif/${FILE}"`);
    expect(picture).toContain(`src="https://media.example.com/t/w_800,f_jpeg/${FILE}"`);
  });

  test('is a line for a shell that ends nowhere else', () => {
    expect(IMAGE_SNIPPETS.curl(use)).toBe(
      `curl -H 'Accept: image/webp,*/*' -OJ 'https://media.example.com/t/w_400,h_300,c_fill,q_70/trips/it'\\''s%20a%20100%25%20%22b%22.jpg'`,
    );
  });

  test('is a setting with the presets that there are, and this one', () => {
    expect(IMAGE_SNIPPETS.preset(use)).toBe(`PRESETS='thumb=w_200,h_100;new=w_400,h_300,c_fill,q_70'`);
  });

  test('is made of what a preset stands for where a width is filled in', () => {
    expect(IMAGE_SNIPPETS.srcset({ ...use, segment: 'n_thumb' })).toContain('/t/w_320,h_160/');
  });
});

describe('with layers', () => {
  const numbers = (key: string, min: number, max: number): Parameter => ({
    ...parameter(key),
    shape: { kind: 'integer', min, max },
  });
  const layered: Use = {
    ...use,
    listing: {
      ...listing,
      image: [numbers('w', 1, 8192), parameter('h'), numbers('dpr', 0.5, 4), ...listing.image.slice(3)],
      layer: ['w', 'x', 'g', 'sd'].map(parameter),
      text: [numbers('fs', 4, 512), ...['st', 'x'].map(parameter)],
    },
    segment: 'w_400,q_70~l_brand:a%2Cb.png,w_0.2,x_10~l_text:100%25%20%7E%60%24%7Bx%7D,fs_40',
  };
  const LAYERS = '~l_brand:a%252Cb.png,w_0.2,x_10~l_text:100%2525%2520%257E%2560%2524%257Bx%257D,fs_40';
  const multipliersOf = (code: string) =>
    [...code.matchAll(/w_(\d+),dpr_([\d.]+)\S* (\d+)w/g)].map((one) => one.slice(1));

  test('the escapes of a segment are escaped once more in its URL', () => {
    expect(IMAGE_SNIPPETS.url(layered)).toBe(`https://media.example.com/t/w_400,q_70${LAYERS}/${FILE}`);
    expect(IMAGE_SNIPPETS.curl(layered)).toContain(`/t/w_400,q_70${LAYERS}/`);
    expect(IMAGE_SNIPPETS.preset(layered)).toContain(`;new=${layered.segment}'`);
  });

  test('other widths multiply the lengths of layers too, as far as that goes', () => {
    expect(multipliersOf(IMAGE_SNIPPETS.srcset(layered))).toEqual([
      ['400', '0.80', '320'],
      ['400', '1.00', '400'],
      ['400', '1.60', '640'],
      ['400', '2.00', '800'],
      ['400', '2.40', '960'],
      ['400', '3.20', '1280'],
      ['400', '4.00', '1600'],
    ]);
    expect(IMAGE_SNIPPETS.srcset(layered)).toContain(`/t/w_400,dpr_1.60,q_70${LAYERS}/`);
    const widest = (segment: string) => multipliersOf(IMAGE_SNIPPETS.srcset({ ...layered, segment })).at(-1);
    expect(widest('w_400~l_text:a,fs_200')).toEqual(['400', '2.56', '1024']);
    expect(widest('w_400~l_text:a,st_8:000')).toEqual(['400', '2.50', '1000']);
    expect(widest('w_400~l_a.png,sd_-150:0:2:000')).toEqual(['400', '1.33', '532']);
    expect(widest('w_4000~l_a.png')).toEqual(['4000', '2.00', '8000']);
    expect(widest('w_400,dpr_2~l_a.png')).toEqual(['400', '4.00', '1600']);
  });

  test('what has no width of its own gets that of the result', () => {
    const srcset = (segment: string) => IMAGE_SNIPPETS.srcset({ ...layered, segment });
    expect(srcset('q_70~l_a.png')).toContain('/t/w_400,dpr_0.80,q_70~l_a.png/');
    expect(srcset('h_300~l_a.png')).toContain('/t/h_300,dpr_0.80~l_a.png/');
    expect(IMAGE_SNIPPETS.srcset({ ...layered, segment: 'l_a.png', size: undefined })).toContain('/t/w_320~l_a.png/');
  });

  test('a format and a quality stand before them', () => {
    const html = IMAGE_SNIPPETS.picture(layered);
    expect(html).toContain(`/t/w_400,dpr_0.80,q_70,f_avif${LAYERS}/`);
    expect(html).not.toMatch(/fs_40,/);
  });

  test('a loader multiplies as well', () => {
    const transform = new Function(
      `${IMAGE_SNIPPETS.unpic(layered)
        .replace(/^import.*$/m, '')
        .replace(/^<Image.*$/m, '')}\nreturn darkroom;`,
    )();
    expect(transform('c.jpg', { width: 320 })).toBe(`https://media.example.com/t/w_400,dpr_0.80,q_70${LAYERS}/c.jpg`);
    expect(transform('c.jpg', { width: 9000, quality: 5 })).toContain(`/t/w_400,dpr_4.00,q_5${LAYERS}/`);
  });
});

describe('for frameworks', () => {
  /** Evaluates the code like its framework. */
  const run = (code: string, name: string) =>
    new Function(`${code.replace(/^import.*$/m, '').replace(/^<Image.*$/m, '')}\nreturn ${name};`)();

  test('the loader of Next gives the URL of a width and a quality', () => {
    const code = IMAGE_SNIPPETS.next(use).replace('export default ', '');
    const loader = run(code, 'darkroomLoader');
    expect(loader({ src: 'a b/c.jpg', width: 640 })).toBe(
      'https://media.example.com/t/w_640,h_480,c_fill,q_70/a%20b/c.jpg',
    );
    expect(loader({ src: 'c.jpg', width: 640, quality: 30 })).toContain('/t/w_640,h_480,c_fill,q_30/');
  });

  test('the provider of Nuxt does', () => {
    const code = IMAGE_SNIPPETS.nuxt({ ...use, segment: 'c_fit' }).replace('export default ', 'const provider = ');
    const provider = run(`const defineProvider = (one) => one;\n${code}`, 'provider');
    expect(provider.getImage('c.jpg', { modifiers: { width: 640 } })).toEqual({
      url: 'https://media.example.com/t/w_640,c_fit,q_auto/c.jpg',
    });
  });

  test('the transformer of unpic does', () => {
    const transform = run(IMAGE_SNIPPETS.unpic(use), 'darkroom');
    expect(transform('c.jpg', { width: 320 })).toBe('https://media.example.com/t/w_320,h_240,c_fill,q_70/c.jpg');
  });
});

test('a transcode is a video with a frame of it as its poster', () => {
  const html = VIDEO_SNIPPETS.video({ ...use, path: 'a.mp4', segment: 'so_2,w_400,f_webm' });
  expect(html).toContain('src="https://media.example.com/t/so_2,w_400,f_webm/a.mp4"');
  expect(html).toContain('poster="https://media.example.com/t/w_400,t_true,tt_2/a.mp4"');
});

test('a stream is played by hls.js, or by the browser itself', () => {
  const html = VIDEO_SNIPPETS.video({ ...use, path: 'a.mp4', segment: 'f_hls,h_720' });
  expect(html).toContain('const source = "https://media.example.com/t/f_hls,h_720/a.mp4";');
  expect(html).toContain('poster="https://media.example.com/t/h_720,t_true/a.mp4"');
});

test('no browser plays DASH: a player does, which is told the type', () => {
  const html = VIDEO_SNIPPETS.video({ ...use, path: 'a.mp4', segment: 'f_dash' });
  expect(html).not.toContain('src=');
  expect(html).toContain('player.load("https://media.example.com/t/f_dash/a.mp4", null, "application/dash+xml")');
});

test('sound alone is played by audio', () => {
  const html = VIDEO_SNIPPETS.video({ ...use, path: 'a.mp4', segment: 'so_2,au_mp3' });
  expect(html).toMatch(
    /^<audio\s+src="https:\/\/media.example.com\/t\/so_2,au_mp3\/a.mp4"\s+controls preload="none"\s+><\/audio>$/,
  );
  expect(VIDEO_SNIPPETS.video({ ...use, path: 'a.mp4', segment: 'w_200,au_none' })).toContain('<video');
});
