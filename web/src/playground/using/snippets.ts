import { encodeSegment } from '../../api/paths.ts';
import { attributeText, boundedUrl } from '../../components/markup.ts';
import { withBase } from '../layered.ts';
import { expandPreset, readSegment, valueIn } from '../segment.ts';
import { largestWidthOf, widthsWithin } from './bounds.ts';
import { growthOf } from './growth.ts';
import { playerOf } from './players.ts';
import { expanded, type Use, urlOfUse } from './use.ts';

export type { Use };

/** Formats offered before JPEG, smallest first. */
const BETTER_FORMATS = ['avif', 'webp'];
/**
 * Expression for the path, and private-use placeholders for the width, height, multiplier and quality that frameworks
 * fill in.
 */
const SRC = `\${src.split('/').map(encodeURIComponent).join('/')}`;
const WIDTH = '\ue000';
const HEIGHT = '\ue001';
const MULTIPLIER = '\ue002';
const QUALITY = '\ue003';

/** For images and video frames. */
export const IMAGE_SNIPPETS = {
  url: urlOfUse,
  srcset: (use: Use) => imgOf(use),
  picture: pictureSnippet,
  next: nextLoaderOf,
  nuxt: nuxtProviderOf,
  unpic: unpicOf,
  curl: curlOf,
  preset: presetsLineOf,
} as const;

/** For transcodes. */
export const VIDEO_SNIPPETS = { url: urlOfUse, video: playerOf, curl: curlOf, preset: presetsLineOf } as const;

/** For results without responsive widths: JSON and non-video job results. */
export const FACTS_SNIPPETS = { url: urlOfUse, curl: curlOf, preset: presetsLineOf } as const;

/** `<img>` with several widths, once they are known. */
function imgOf(use: Use, format?: string): string {
  const srcset = srcsetOf(use, format);
  const lines = [
    `src="${urlIn(use, format)}"`,
    ...(srcset === undefined ? [] : [`srcset="${srcset}"`, `sizes="${sizesOf(use)}"`]),
    ...(use.size ? [`width="${use.size.width}" height="${use.size.height}"`] : []),
    `alt="${attributeText(use.alt)}"`,
    'loading="lazy"',
  ];
  return `<img\n  ${lines.join('\n  ')}\n>`;
}

function pictureSnippet(use: Use): string {
  const sources = BETTER_FORMATS.map((format) => {
    const srcset = srcsetOf(use, format);
    const lines = [
      `type="image/${format}"`,
      ...(srcset === undefined ? [] : [`sizes="${sizesOf(use)}"`]),
      `srcset="${srcset ?? urlIn(use, format)}"`,
    ];
    return `<source\n  ${lines.join('\n  ')}\n>`;
  });
  const inside = [...sources, imgOf(use, 'jpeg')].join('\n').replaceAll('\n', '\n  ');
  return `<picture>\n  ${inside}\n</picture>`;
}

/** URL in a format, for an attribute. */
const urlIn = (use: Use, format: string | undefined) =>
  attributeText(urlOfUse({ ...use, segment: inFormat(use, format) }));

/** `sizes`: the chosen width where it fits, else the viewport. */
function sizesOf(use: Use): string {
  const width = Number(valueIn(expanded(use), 'w', use.listing.image));
  return width > 0 ? `(max-width: ${width}px) 100vw, ${width}px` : '100vw';
}

/** @returns undefined until the size of the original is known: no width may be beyond it */
function srcsetOf(use: Use, format?: string): string | undefined {
  const one = { ...use, segment: inFormat(use, format) };
  const growth = growthOf(one);
  const most = largestWidthOf(use);
  const steps = widthsWithin(use, growth)?.map((target) => {
    if (!growth) return { width: target, segment: inWidth(one, String(target), (ratio) => heightOf(target, ratio)) };
    const { width, multiplier } = growth.step(target);
    return { width, segment: growth.segmentOf(multiplier) };
  });
  return steps
    ?.filter(({ width }, index) => index === 0 || width <= most)
    .map(({ width, segment }) => `${attributeText(urlOfUse({ ...use, segment }))} ${width}w`)
    .join(',\n    ');
}

const heightOf = (width: number, ratio: number) => String(Math.max(1, Math.round(width * ratio)));

/** Changes the format; undefined keeps it. */
function inFormat(use: Use, format: string | undefined): string {
  return format === undefined ? use.segment : withTexts(use, [...textsWithout(use, ['f']), `f_${format}`]);
}

/** Changes the width; a height keeps its ratio. The browser chooses the width for dense screens. */
function inWidth(use: Use, width: string, heightOf: (ratio: number) => string): string {
  const sideOf = (key: 'w' | 'h') => Number(valueIn(expanded(use), key, use.listing.image));
  const w = sideOf('w');
  const h = sideOf('h');
  const sides = w && h ? [`w_${width}`, `h_${heightOf(h / w)}`] : [`w_${width}`];
  return withTexts(use, [...sides, ...textsWithout(use, ['w', 'h', 'dpr'])]);
}

/** Replaces the parts before the layers. */
const withTexts = (use: Use, texts: readonly string[]) => withBase(expanded(use), texts.join(','));

function textsWithout(use: Use, keys: readonly string[]): string[] {
  const parts = readSegment(expanded(use), use.listing.image);
  return parts.filter(({ key }) => !keys.includes(key)).map(({ text }) => text);
}

/** JavaScript template literal for a URL with the width and quality of a framework. */
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

/** `PRESETS` with the current transformation added. */
function presetsLineOf({ segment, listing }: Use): string {
  const all = [...listing.presets, { name: 'new', transformation: expandPreset(segment, listing.presets) }];
  return `PRESETS=${quoted(all.map(({ name, transformation }) => `${name}=${inPreset(transformation)}`).join(';'))}`;
}

/** Escapes a transformation for the list of presets, which is one line. */
const inPreset = (transformation: string) =>
  transformation.replace(/[;\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, encodeURIComponent);

/** Quotes for a shell: only a single quotation mark is special. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
