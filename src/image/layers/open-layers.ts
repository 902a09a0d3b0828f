import type { Sharp } from 'sharp';
import type { Colour } from '../../transformation/syntax.ts';
import type { AnalysisResults } from '../analysis/analysis.ts';
import { drawMs, paintMs, shadowMs } from '../cost/draw.ts';
import { likelySize, textMs } from '../cost/text.ts';
import { openImage } from '../decode.ts';
import { drawnScale, timesDrawn } from '../documents/drawn-size.ts';
import { type BecomesSrgb, chainMegabytes, drawChains, holdImage, imageOf, planChains } from '../drawing/chains.ts';
import { planEffects } from '../drawing/plan-render.ts';
import { isOfTheSystem, LimitExceeded, UndecodableLayer } from '../failure.ts';
import { type Length, megapixelsOf, type Point, type Size } from '../layout/geometry.ts';
import { layoutOf } from '../layout/layout-of.ts';
import { pixelsOf } from '../layout/lengths.ts';
import { checkOutput, type RenderLimits } from '../limits.ts';
import { type MemoryCheck, NeedsMemory } from '../memory.ts';
import type { HeldImage, OpenLayer, Painting, RenderPlan } from '../step.ts';
import { type Direction, placeByDirection } from '../steps/gravity.ts';
import type { ImageOptions } from '../steps/index.ts';
import { type ImageLayer, type Layer, layerInput, type TextLayer } from './layer.ts';
import { paintText } from './paint-text.ts';
import { shadowOf } from './shadow.ts';
import { styleOf } from './text-parameters.ts';
import { checkText, textMegabytes } from './text-style.ts';

/** A render, as far as its layers are concerned. */
export interface LayersRequest {
  options: Pick<ImageOptions, 'layers'>;
  /** The local files, by `layerInput`. */
  inputs: Readonly<Record<string, string>>;
  limits: RenderLimits;
}

/** An image that becomes a layer. */
interface Source {
  image: Sharp;
  upright: Size;
  hasAlpha: boolean;
  becomesSrgb: BecomesSrgb;
}

const TRANSPARENT: Colour = { red: 0, green: 0, blue: 0, alpha: 0 };

/** Layers are not analysed before they are drawn. */
const NOTHING_FOUND: AnalysisResults = {};

/** Bytes for each pixel of a layer: as it is drawn, as it is held, and its shadow. */
const HELD_BYTES = 14;

/**
 * Opens the layers of a canvas. Their images are decoded when they are drawn, one after the other, except for PSD, HEIC
 * and documents, which are decoded here: so the time of each counts together with all before it.
 * @param cpuMs estimate for what was opened before, in ms
 * @throws UndecodableLayer, LimitExceeded, NeedsMemory
 */
export async function openLayers(
  { options, ...request }: LayersRequest,
  canvas: Size,
  checkMemory: MemoryCheck,
  cpuMs: number,
) {
  const layers: OpenLayer[] = [];
  let megapixels = 0;
  let openedMs = cpuMs;
  const checkForAll: MemoryCheck = (megabytes, ownMs = 0) => checkMemory(megabytes, openedMs + ownMs);
  for (const layer of options.layers ?? []) {
    if (layer.kind === 'text') {
      layers.push(openTextLayer(layer, canvas, request));
      continue;
    }
    const opened = await openImageLayer(layer, canvas, request, checkForAll);
    megapixels += opened.megapixels;
    openedMs += opened.drawMs;
    checkSum(megapixels, request.limits);
    layers.push(opened);
  }
  return layers;
}

async function openImageLayer(
  layer: ImageLayer,
  canvas: Size,
  { inputs, limits }: Omit<LayersRequest, 'options'>,
  checkMemory: MemoryCheck,
): Promise<OpenLayer & { megapixels: number }> {
  const { path } = layer;
  return named(path, async () => {
    const own = imageLayerOptions(layer, canvas);
    const original = await openImage(inputs[layerInput(path)] as string, limits, checkMemory, {
      scale: (natural) => drawnScale(natural, own, {}),
      blame: (reason, megapixels) => ({
        outcome: 'layer undecodable',
        reason: `The layer "${path}": ${reason}`,
        endless: path,
        megapixels,
      }),
    });
    const times = original.natural ? original.upright.width / original.natural.width : 1;
    const { options } = timesDrawn({ options: own, analysis: {} }, times);
    const drawing = planLayer({ ...original, image: original.image.autoOrient() }, options, limits);
    return {
      ...blendOf(layer),
      megapixels: megapixelsOf(original.upright),
      megabytes: original.megabytes + drawing.megabytes,
      ...costOf(layer, canvas, drawing.size, original.cpuMs + drawing.drawMs),
      draw: () => named(path, async () => paintingsOf(layer, await drawing.draw(), canvas)),
    };
  });
}

/** The size of a text is known once it is painted, so it is turned then. */
function openTextLayer(layer: TextLayer, canvas: Size, { limits }: Pick<LayersRequest, 'limits'>): OpenLayer {
  const { angle } = layer.options;
  const style = styleOf(layer.text, layer.options, canvas.width);
  checkText(style);
  const size = likelySize(style);
  const layout = layoutOf(size, { ...(angle && { angle }) }, NOTHING_FOUND);
  return {
    ...blendOf(layer),
    megabytes: textMegabytes(style),
    ...costOf(layer, canvas, layout.output, textMs(style) + (angle ? drawMs({ angle }, layout) : 0)),
    async draw() {
      const text = await paintText(style);
      if (!angle) return paintingsOf(layer, text, canvas);
      const { width, height } = text;
      const source: Source = {
        image: imageOf(text),
        upright: { width, height },
        hasAlpha: true,
        becomesSrgb: 'at once',
      };
      return paintingsOf(layer, await planLayer(source, { angle }, limits).draw(), canvas);
    },
  };
}

/** Plan of a layer before its pixels are drawn: all but its position. */
function planLayer(source: Source, options: ImageOptions, limits: RenderLimits) {
  const layout = layoutOf(source.upright, options, NOTHING_FOUND);
  checkOutput(layout, limits);
  const plan: RenderPlan = {
    layout,
    analysis: NOTHING_FOUND,
    layers: [],
    background: TRANSPARENT,
    hasBackground: false,
    backgroundBlur: undefined,
    radius: options.radius,
    sourceAlpha: source.hasAlpha,
    format: 'png',
    hasAlpha: true,
  };
  const effects = planEffects(options, plan);
  const chains = planChains(effects, source.upright, source.becomesSrgb);
  const { width, height } = layout.output;
  const effectMegabytes = effects.reduce((sum, { megabytes = 0 }) => sum + megabytes, 0);
  return {
    size: layout.output,
    megabytes: chainMegabytes(chains) + effectMegabytes + (width * height * HELD_BYTES) / 1e6,
    drawMs: drawMs(options, layout),
    draw: async (): Promise<HeldImage> => {
      const drawn = await drawChains(source.image, chains, true);
      return holdImage(drawn.toColourspace('srgb'), layout.output);
    },
  };
}

/** A layer as an image of its own. Without a size it is as large as it is, or as the canvas allows. */
function imageLayerOptions({ options }: ImageLayer, canvas: Size): ImageOptions {
  const { gravity, x, y, opacity, blend, tile, shadow, width, height, ...own } = options;
  if (!width && !height) return { ...own, ...canvas, crop: 'fit', enlarge: false };
  return {
    ...own,
    ...(width && { width: Math.max(1, pixelsOf(width, canvas.width)) }),
    ...(height && { height: Math.max(1, pixelsOf(height, canvas.height)) }),
  };
}

/** The CPU time of a layer, in ms. @param ownMs to draw it, without its shadow */
function costOf(layer: Layer, canvas: Size, size: Size, ownMs: number): Pick<OpenLayer, 'drawMs' | 'paintMs'> {
  const { shadow, tile, blend } = layer.options;
  const covers = tile !== undefined || blend === 'mask';
  return {
    drawMs: ownMs + (shadow ? shadowMs(size, shadow.blur) : 0),
    paintMs: paintMs(canvas, size, covers) * (shadow ? 2 : 1),
  };
}

function blendOf({ options }: Layer) {
  return { blend: options.blend ?? 'normal' };
}

async function paintingsOf(layer: Layer, image: HeldImage, canvas: Size): Promise<Painting[]> {
  const { opacity = 100, shadow, tile: gap } = layer.options;
  const at = placeLayer(canvas, image, layer.options);
  const painting = { image, at, opacity: opacity / 100, ...blendOf(layer), gap };
  if (!shadow) return [painting];
  const { original: shade, offset } = await shadowOf(image, shadow);
  const under: Painting = {
    image: shade,
    at: { left: at.left + offset.left, top: at.top + offset.top },
    opacity: painting.opacity,
    blend: 'normal',
    // The copies of both have to be equally far apart.
    gap: gap === undefined ? undefined : gap - (shade.width - image.width),
  };
  return [under, painting];
}

function checkSum(megapixels: number, { inputMegapixels }: RenderLimits): void {
  if (megapixels <= inputMegapixels) return;
  throw new LimitExceeded(
    `The images of the layers have ${megapixels.toFixed(1)} megapixels; the limit is ${inputMegapixels} (MAX_INPUT_MEGAPIXELS).`,
  );
}

/** Names the layer in what is wrong with it. */
async function named<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LimitExceeded) throw new LimitExceeded(`The layer "${path}": ${error.message}`);
    if (error instanceof UndecodableLayer || error instanceof NeedsMemory || isOfTheSystem(error)) throw error;
    throw new UndecodableLayer(`The layer "${path}" cannot be decoded as an image.`, { cause: error });
  }
}

/** Position of a layer. */
interface LayerPlace {
  /** The edge or corner that it lies at. */
  gravity?: Direction;
  /** Inwards from that edge; from the middle to the right and down. Shares are those of the canvas. */
  x?: Length;
  y?: Length;
}

/** The top left corner of a layer on its canvas, in whole pixels; it may lie outside. */
function placeLayer(canvas: Size, layer: Size, { gravity = 'center', x, y }: LayerPlace): Point {
  const { left, top } = placeByDirection(gravity)(canvas, layer);
  const right = x ? pixelsOf(x, canvas.width) : 0;
  const down = y ? pixelsOf(y, canvas.height) : 0;
  return {
    left: Math.round(left) + (gravity.endsWith('east') ? -right : right),
    top: Math.round(top) + (gravity.startsWith('south') ? -down : down),
  };
}
