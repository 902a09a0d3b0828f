import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareSharp } from '../src/image/decode.ts';
import { createFaceDetector } from '../src/image/focus/detect-faces.ts';
import { findFocus } from '../src/image/focus/find-focus.ts';
import type { Focus } from '../src/image/focus/focus.ts';
import { layerInput } from '../src/image/layers/layer.ts';
import { pictureLayer, textLayer } from '../src/image/layers/parameters.ts';
import { parseLayered } from '../src/image/layers/segment.ts';
import { renderImage } from '../src/image/pipeline.ts';
import { type ImageOptions, imageSteps } from '../src/image/steps/index.ts';
import { openFonts } from '../src/render/fonts/fonts.ts';
import type { Parameter } from '../src/transformation/param.ts';
import { videoSteps } from '../src/video/steps/index.ts';

// Writes docs/url-reference.md and its example pictures from the declarations of the parameters.

const ROOT = join(import.meta.dirname, '..');
const PAGE = join(ROOT, 'docs', 'url-reference.md');
const PICTURES = join(ROOT, 'docs', 'examples');
/** The photo that the examples are made from. */
const SUBJECT = join(ROOT, 'test', 'fixtures', 'portrait-face.jpg');
/** Where the layers of the examples lie. */
const LAYERS = join(ROOT, 'test', 'fixtures');
const LIMITS = { inputMegapixels: 100, animationFrames: 1, outputSide: 8192, outputMegapixels: 50 };

type AnyParameter = Parameter<string, unknown>;

const steps: readonly AnyParameter[] = imageSteps;
/** What layers have beside the parameters of pictures, and texts beside those of layers. */
const ownParameters: readonly AnyParameter[] = pictureLayer.filter((parameter) => !steps.includes(parameter));
const layerParameters: readonly AnyParameter[] = pictureLayer;
const textParameters: readonly AnyParameter[] = textLayer.filter((parameter) => !layerParameters.includes(parameter));
const textShared = textLayer.filter((parameter) => layerParameters.includes(parameter)).map(({ key }) => key);
const sharedKeys = pictureLayer.filter((parameter) => steps.includes(parameter)).map(({ key }) => key);

/** The whole page. */
export function urlReference(): string {
  return `${INTRODUCTION}
## Pictures

${imageSteps.map((step) => section(step, true)).join('\n')}
## Layers

${LAYERS_INTRODUCTION}
${ownParameters.map((parameter) => section(parameter, true)).join('\n')}
## Texts

${TEXTS_INTRODUCTION}
${textParameters.map((parameter) => section(parameter, true)).join('\n')}
## Videos

A transformation on a video starts a transcode (202 until it is ready), unless it asks for a single frame: \`t_true\`, or a picture format. A frame takes the parameters of pictures.

${videoSteps.map((step) => section(step, false)).join('\n')}`;
}

/** Every example of the picture parameters: its transformation and the name of its file. */
export function examples(): { transformation: string; file: string }[] {
  const all = [...imageSteps, ...ownParameters, ...textParameters].flatMap(({ reference }) => reference.examples);
  return [...new Set(all)].map((transformation) => ({ transformation, file: fileOf(transformation) }));
}

/** Has texts of this process painted with the fonts that are shipped, whatever the machine has. @param links a folder for links to them */
export async function paintWithShippedFonts(links: string): Promise<void> {
  const { configFile } = await openFonts({ own: join(links, 'none'), system: [], links });
  process.env.FONTCONFIG_FILE = configFile;
}

/** Renders an example with the real pipeline. */
export async function renderExample(transformation: string, output: string): Promise<void> {
  const all = parseLayered(decodeURIComponent(transformation), imageSteps, [], LIMITS);
  if (!all) throw new Error(`The example ${transformation} is no transformation.`);
  const { format = 'fallback', ...options } = all;
  const focus = await focusFor(options.gravity, `${output}.json`);
  const result = await renderImage({
    focus,
    inputs: { original: SUBJECT, ...Object.fromEntries(layersOf(options)) },
    output,
    options,
    format: format === 'auto' || format === 'best' ? 'fallback' : format,
    limits: LIMITS,
  });
  if (result.outcome !== 'rendered') throw new Error(`The example ${transformation} failed: ${result.reason}`);
  if (!fileOf(transformation).endsWith(result.format)) {
    throw new Error(`The result of the example ${transformation} is ${result.format}: name the format in it.`);
  }
}

function layersOf({ layers = [] }: ImageOptions): [string, string][] {
  return layers.flatMap((layer) =>
    layer.kind === 'picture' ? [[layerInput(layer.path), join(LAYERS, layer.path)]] : [],
  );
}

async function focusFor(gravity: unknown, output: string): Promise<Focus | undefined> {
  if (gravity !== 'face' && gravity !== 'auto') return undefined;
  await findFocus({ input: SUBJECT, output, gravity, limits: LIMITS }, createFaceDetector());
  const focus: Focus = JSON.parse(await readFile(output, 'utf8'));
  await rm(output);
  return focus;
}

const INTRODUCTION = `<!-- Generated by "npm run docs" from the declarations of the parameters; do not edit. -->
# URL reference

\`GET /t/{transformation}/{path}\`: the transformation is a list of \`key_value\` parts joined by commas, the path is the file's. Without a transformation the original is delivered, byte for byte. The order and the spelling of parameters never make a second variant, and a default spelled out changes nothing.

Effects are called \`e_\` and their name, and have their value after a colon: \`e_blur:20\`. Those with an ordinary value can stand alone: \`e_blur\`.

A segment is a transformation when every part of it has a known key and a value of that key's form; otherwise it is a folder name, and the 404 of a file that is not there says why. Only the first segment is looked at. A value of the right form that is out of range is answered with 400. The language has grown: folders whose names have become transformations (\`e_blur\`) stay reachable where the transformation finds no file.

Pictures are turned upright, converted to sRGB and freed of their metadata (the copyright notice stays). The steps take effect in the order of this page.

\`GET /transformations\` lists the parameters and the presets of a running service as JSON, each with the shape of its values (a range, a choice and so on), for programs that make a form of them. [Side by side](url-languages.md) are these parameters and those of other services.

The examples are made from [this photo](../test/fixtures/portrait-face.jpg) (800 by 533 pixels).
`;

const LAYERS_INTRODUCTION = `Behind the parameters stand layers, each after a \`~\`: \`w_800~l_brand:logo.png,w_120,g_south_east,x_20,y_20\`. They are painted over the picture in their order, above bars and padding, below the border and within the rounded corners; what of them lies outside is cut off. A transformation may be layers alone.

\`l_\` names a picture of the library, with \`:\` between its folders. Names are percent-encoded once more than the rest of the URL: a comma in a name is written \`%252C\`, \`~\` \`%257E\`, \`:\` \`%253A\`, and \`%\` \`%2525\`. At most 8 layers, whose pictures together have no more megapixels than an original may have (\`MAX_INPUT_MEGAPIXELS\`). A layer that is not there is 404 with its name, one that cannot be decoded 422. When its file changes, every variant with it is made anew.

Inside a layer the order of parameters means nothing. It has ${sharedKeys.map((key) => `\`${key}\``).join(' ')} as above, of the layer alone, and those that follow. \`dpr\` multiplies the lengths of layers too. Layers lie over pictures and over single frames of videos.
`;

const TEXTS_INTRODUCTION = `\`l_text:\` lays a text over the picture: \`w_800~l_text:Hello,fs_64,co_white,g_south,y_40\`. It is encoded twice as names are, and a line break is \`%0A\`. At most 500 characters, and characters times the square of their size at most 25 million.

A text has ${textShared.map((key) => `\`${key}\``).join(' ')} as other layers, and those that follow. More in [watermarks and text](watermarks-and-text.md).
`;

function section(parameter: AnyParameter, isPicture: boolean): string {
  const { key, name, aliases = [], syntax, reference } = parameter;
  const standard = parameter.default === undefined ? undefined : syntax.format(parameter.default);
  const facts = [
    `Value: ${syntax.forms}.`,
    ...(standard === undefined ? [] : [`Default: \`${standard}\`.`]),
    ...(parameter.alone === undefined ? [] : [`\`${key}\` alone: \`${syntax.format(parameter.alone)}\`.`]),
    ...(aliases.length === 0 ? [] : [`Other key: ${aliases.map((alias) => `\`${alias}\``).join(', ')}.`]),
  ];
  return `### \`${key}\` ${words(name)}

${reference.summary}

${facts.join(' ')}

${isPicture ? pictureTable(reference.examples) : reference.examples.map((example) => `- \`/t/${example}/clip.mp4\``).join('\n')}
`;
}

/** \`aspectRatio\` as people write it. */
function words(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function pictureTable(transformations: readonly string[]): string {
  const head = transformations.map((transformation) => `\`${transformation}\``).join(' | ');
  const rule = transformations.map(() => '---').join(' | ');
  const row = transformations
    .map((transformation) => `![${transformation}](examples/${fileOf(transformation)})`)
    .join(' | ');
  return `| ${head} |\n| ${rule} |\n| ${row} |`;
}

/** An example whose result is transparent names its format. */
function fileOf(transformation: string): string {
  const format = /(?:^|,)f_(\w+)/.exec(transformation)?.[1] ?? 'jpeg';
  return `${transformation.replace(/[^a-z0-9_-]+/gi, '-')}.${format}`;
}

if (import.meta.main) {
  prepareSharp();
  const fonts = await mkdtemp(join(tmpdir(), 'darkroom-fonts-'));
  await paintWithShippedFonts(fonts);
  await mkdir(PICTURES, { recursive: true });
  for (const name of await readdir(PICTURES)) await rm(join(PICTURES, name));
  for (const { transformation, file } of examples()) await renderExample(transformation, join(PICTURES, file));
  await writeFile(PAGE, urlReference());
  await rm(fonts, { recursive: true });
}
