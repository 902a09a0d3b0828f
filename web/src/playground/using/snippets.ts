import { WIDTHS } from '../../../../packages/client/src/image.ts';
import { encodeSegment } from '../../api/paths.ts';
import { attributeText, boundedUrl } from '../../components/copying/markup.ts';
import { withBase } from '../layered.ts';
import { expandPreset, readSegment, valueIn } from '../segment.ts';
import { growthOf } from './growth.ts';
import { playerOf } from './players.ts';
import { expanded, type Use, urlOfUse } from './use.ts';

export type { Use };

/** The formats that a `picture` offers before JPEG, the smallest first. */
const BETTER_FORMATS = ['avif', 'webp'];
/** What the frameworks below fill in: a path, and what stands in a segment for a width, a height, a multiplier and a quality. */
const SRC = `\${src.split('/').map(encodeURIComponent).join('/')}`;
const [WIDTH, HEIGHT, MULTIPLIER, QUALITY] = ['\ue000', '\ue001', '\ue002', '\ue003'];

/** For pictures, and frames of videos. */
export const IMAGE_SNIPPETS = {
  url: urlOfUse,
  srcset: (use: Use) => imgOf(use),
  picture: pictureOf,
  next: nextLoaderOf,
  nuxt: nuxtProviderOf,
  unpic: unpicOf,
  curl: curlOf,
  preset: presetsLineOf,
} as const;

/** For transcodes. */
export const VIDEO_SNIPPETS = { url: urlOfUse, video: playerOf, curl: curlOf, preset: presetsLineOf } as const;

/** For what is no picture that can be had in other widths: facts, and what jobs make of videos that is no video. */
export const FACTS_SNIPPETS = { url: urlOfUse, curl: curlOf, preset: presetsLineOf } as const;

export type SnippetName = keyof typeof IMAGE_SNIPPETS | keyof typeof VIDEO_SNIPPETS;

/** One picture in several widths: the browser takes the one that it needs. */
function imgOf(use: Use, format?: string): string {
  const lines = [
    `src="${attributeText(urlOfUse({ ...use, segment: inFormat(use, format) }))}"`,
    `srcset="${srcsetOf(use, format)}"`,
    `sizes="${sizesOf(use)}"`,
    ...(use.size ? [`width="${use.size.width}" height="${use.size.height}"`] : []),
    `alt="${attributeText(use.alt)}"`,
    'loading="lazy"',
  ];
  return `<img\n  ${lines.join('\n  ')}\n>`;
}

function pictureOf(use: Use): string {
  const sources = BETTER_FORMATS.map(
    (format) => `<source\n  type="image/${format}"\n  sizes="${sizesOf(use)}"\n  srcset="${srcsetOf(use, format)}"\n>`,
  );
  const inside = [...sources, imgOf(use, 'jpeg')].join('\n').replaceAll('\n', '\n  ');
  return `<picture>\n  ${inside}\n</picture>`;
}

/** How wide it is shown: as wide as it was chosen where there is room, else as the screen. */
function sizesOf(use: Use): string {
  const width = Number(valueIn(expanded(use), 'w', use.listing.image));
  return width > 0 ? `(max-width: ${width}px) 100vw, ${width}px` : '100vw';
}

function srcsetOf(use: Use, format?: string): string {
  const one = { ...use, segment: inFormat(use, format) };
  const growth = growthOf(one);
  const segments = growth
    ? growth.steps(WIDTHS).map(({ width, multiplier }) => [width, growth.segmentOf(multiplier)] as const)
    : WIDTHS.map(
        (width) => [width, inWidth(one, String(width), (ratio) => String(Math.round(width * ratio)))] as const,
      );
  return segments
    .map(([width, segment]) => `${attributeText(urlOfUse({ ...use, segment }))} ${width}w`)
    .join(',\n    ');
}

/** The segment in another format; undefined leaves it as it is. */
function inFormat(use: Use, format: string | undefined): string {
  return format === undefined ? use.segment : withTexts(use, [...textsWithout(use, ['f']), `f_${format}`]);
}

/** The segment in another width. A height that it has beside a width keeps its ratio to it. Which width a dense screen needs is the browser's to say. */
function inWidth(use: Use, width: string, heightOf: (ratio: number) => string): string {
  const [w, h] = ['w', 'h'].map((key) => Number(valueIn(expanded(use), key, use.listing.image)));
  const sides = w && h ? [`w_${width}`, `h_${heightOf(h / w)}`] : [`w_${width}`];
  return withTexts(use, [...sides, ...textsWithout(use, ['w', 'h', 'dpr'])]);
}

/** The segment with other parts before its layers. */
const withTexts = (use: Use, texts: readonly string[]) => withBase(expanded(use), texts.join(','));

function textsWithout(use: Use, keys: readonly string[]): string[] {
  const parts = readSegment(expanded(use), use.listing.image);
  return parts.filter(({ key }) => !keys.includes(key)).map(({ text }) => text);
}

/** A template of JavaScript for a URL, in a width and a quality that a framework asks for. */
function templateOf(use: Use): string {
  const quality = valueIn(expanded(use), 'q', use.listing.image) ?? 'auto';
  const one = { ...use, segment: withTexts(use, textsWithout(use, ['q'])) };
  const growth = growthOf(one);
  let height = '';
  const sized = growth
    ? growth.segmentOf(MULTIPLIER)
    : inWidth(one, WIDTH, (ratio) => {
        height = `\${Math.round(width * ${Number(ratio.toFixed(4))})}`;
        return HEIGHT;
      });
  const whole = withTexts({ ...use, segment: sized }, [
    ...textsWithout({ ...use, segment: sized }, []),
    `q_${QUALITY}`,
  ]);
  const code = {
    [WIDTH]: `\${width}`,
    [HEIGHT]: height,
    [MULTIPLIER]: growth ? `\${${growth.expression}}` : '',
    [QUALITY]: `\${quality ?? ${/^\d+$/.test(quality) ? quality : `'${boundedUrl(encodeSegment(quality))}'`}}`,
  };
  const filled = Object.entries(code).reduce(
    (text, [marker, filling]) => text.replaceAll(encodeURIComponent(marker), () => filling),
    encodeSegment(whole),
  );
  return `\`${use.base}t/${filled}/${SRC}\``;
}

function nextLoaderOf(use: Use): string {
  const { width = 800, height = 600 } = use.size ?? {};
  return [
    '// darkroom-loader.js; in next.config.js: images: { loader: "custom", loaderFile: "./darkroom-loader.js" }',
    'export default function darkroomLoader({ src, width, quality }) {',
    `  return ${templateOf(use)};`,
    '}',
    '',
    '// In a page:',
    `// <Image src="${attributeText(use.path)}" width={${width}} height={${height}} alt="${attributeText(use.alt)}" sizes="${sizesOf(use)}" />`,
  ].join('\n');
}

function nuxtProviderOf(use: Use): string {
  return [
    '// providers/darkroom.ts; in nuxt.config.ts:',
    '// image: { provider: "darkroom", providers: { darkroom: { provider: "~/providers/darkroom.ts" } } }',
    'import { defineProvider } from "@nuxt/image/runtime";',
    '',
    'export default defineProvider({',
    '  getImage(src, { modifiers: { width = 1280, quality } }) {',
    `    return { url: ${templateOf(use)} };`,
    '  },',
    '});',
    '',
    '// In a page:',
    `// <NuxtImg src="${attributeText(use.path)}" alt="${attributeText(use.alt)}" sizes="${sizesOf(use)}" />`,
  ].join('\n');
}

function unpicOf(use: Use): string {
  const { width = 800, height = 600 } = use.size ?? {};
  return [
    'import { Image } from "@unpic/react/base";',
    '',
    'const darkroom = (src, { width = 1280, quality }) =>',
    `  ${templateOf(use)};`,
    '',
    `<Image transformer={darkroom} src="${attributeText(use.path)}" layout="constrained" width={${width}} height={${height}} alt="${attributeText(use.alt)}" />`,
  ].join('\n');
}

function curlOf(use: Use): string {
  return `curl -H ${quoted(`Accept: ${use.accept}`)} -OJ ${quoted(urlOfUse(use))}`;
}

/** The setting with the presets that there are, and one more. */
function presetsLineOf({ segment, listing }: Use): string {
  const all = [...listing.presets, { name: 'new', transformation: expandPreset(segment, listing.presets) }];
  return `PRESETS=${quoted(all.map(({ name, transformation }) => `${name}=${inPreset(transformation)}`).join(';'))}`;
}

/** A transformation in the list of presets, which has a line for all of them. */
const inPreset = (transformation: string) =>
  transformation.replace(/[;\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, encodeURIComponent);

/** In a shell: nothing within single quotation marks is special, and one of them ends them. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
