import { type DecodedImage, type DecodeLimits, UnsupportedImage } from '@darkroom/image-files/decoded-image';
import type { Samples } from '@darkroom/image-files/samples';
import { readPlanes } from './channels.ts';
import { COLOURS, toImage } from './colour.ts';
import { ByteReader, type PsdFile } from './file.ts';
import { type Bounds, isEmpty, type Layer, readLayers } from './layers.ts';
import { applyMask, type Coverage, fade, paint, type Raster } from './raster.ts';

/** Memory limit of all canvases in use: the image, its groups, one layer. */
const CANVAS_BYTES = 2 ** 30;

/** File, limits, and bytes of the canvases in use. */
interface Work {
  file: PsdFile;
  colours: number;
  limits: DecodeLimits;
  bytes: number;
}

/**
 * Draws the layers as Photoshop does: visibility, opacity, blend modes, masks, clipping, groups, solid fills; grey, RGB
 * and CMYK with 8 or 16 bits.
 * @throws UnsupportedImage for adjustment layers, effects, vector masks without pixels, blending ranges, other modes
 * and depths, or more than a gibibyte of canvases
 */
export function compositeLayers(file: PsdFile, limits: DecodeLimits): DecodedImage {
  const drawn = file.mode === 'grey' || file.mode === 'duotone' || file.mode === 'rgb' || file.mode === 'cmyk';
  if (!drawn || (file.depth !== 8 && file.depth !== 16)) {
    throw new UnsupportedImage(`layers of ${file.depth} bits a channel in ${file.mode} mode`);
  }
  const layers = readLayers(file);
  if (layers.length === 0) throw new UnsupportedImage('neither a merged picture nor layers');
  const work: Work = { file, colours: COLOURS[file.mode], limits, bytes: 0 };
  const canvas = newCanvas(work);
  paintLayers(work, canvas, layers);
  const planes = Array.from({ length: work.colours + 1 }, (_, channel) => planeOf(canvas, channel, file.depth === 8));
  const alpha = planes.pop() as Samples;
  const opaque = file.depth === 8 ? 255 : 65_535;
  return toImage(file, planes, alpha.every((value) => value === opaque) ? undefined : alpha);
}

/** True if the file has layers that could be drawn. */
export const hasLayers = (file: PsdFile) => file.layerInfo.length >= 2 && file.layerInfo.readInt16BE() !== 0;

function paintLayers(work: Work, canvas: Raster, layers: Layer[]): void {
  for (let i = 0; i < layers.length; i++) {
    const base = layers[i] as Layer;
    const clipped: Layer[] = [];
    while (layers[i + 1]?.clipped) clipped.push(layers[++i] as Layer);
    if (!isShown(base)) continue;
    if (base.children && base.blend === 'pass' && clipped.length === 0)
      paintPassThrough(work, canvas, base, base.children);
    else paintLayer(work, canvas, base, clipped.filter(isShown));
  }
}

function isShown(layer: Layer): boolean {
  if (!layer.visible || layer.opacity === 0) return false;
  if (layer.unsupported) throw new UnsupportedImage(layer.unsupported);
  return true;
}

/**
 * Paints a layer or isolated group with the layers clipped to it. They blend with it before it blends with the layers
 * below.
 */
function paintLayer(work: Work, canvas: Raster, base: Layer, clipped: Layer[]): void {
  const raster = rasterOf(work, base);
  if (!raster) return;
  for (const layer of clipped) {
    const over = rasterOf(work, layer, raster);
    if (!over) continue;
    paint(raster, over, layer.blend === 'pass' ? 'norm' : layer.blend, layer.opacity, true);
    release(work, over);
  }
  paint(canvas, raster, base.blend === 'pass' ? 'norm' : base.blend, base.opacity);
  release(work, raster);
}

/** Paints a pass-through group: its layers blend with the layers below it. Its opacity and mask fade the result. */
function paintPassThrough(work: Work, canvas: Raster, group: Layer, children: Layer[]): void {
  const mask = readMask(work, group);
  if (!mask && group.opacity === 1) {
    paintLayers(work, canvas, children);
    return;
  }
  allocate(work, canvas.samples.byteLength);
  const before = canvas.samples.slice();
  paintLayers(work, canvas, children);
  fade(canvas, before, mask ? (x, y) => mask(x, y) * group.opacity : () => group.opacity);
  work.bytes -= before.byteLength;
}

/**
 * Returns the masked pixels of a layer on the canvas, or on the part that `within` covers; undefined if there are none.
 */
function rasterOf(work: Work, layer: Layer, within?: Raster): Raster | undefined {
  const mask = readMask(work, layer);
  const raster = layer.children ? newCanvas(work) : isEmpty(layer) ? solidFill(work, layer) : pixels(work, layer);
  if (!raster) return undefined;
  if (layer.children) paintLayers(work, raster, layer.children);
  if (mask) applyMask(raster, mask);
  if (!within) return raster;
  const part = crop(work, raster, within);
  release(work, raster);
  return part;
}

function pixels(work: Work, layer: Layer): Raster | undefined {
  const { file, colours } = work;
  const part = onCanvas(file, layer);
  if (isEmpty(part)) return undefined;
  const raster = newRaster(work, part);
  for (let channel = 0; channel <= colours; channel++) {
    const encoded = layer.channels.get(channel < colours ? channel : -1);
    if (!encoded && channel < colours) throw new UnsupportedImage('a layer lacks a colour channel');
    const plane = encoded && readPlane(work, encoded, layer);
    const scale = file.depth === 8 ? 257 : 1;
    const width = layer.right - layer.left;
    let to = channel;
    for (let y = part.top; y < part.bottom; y++) {
      let from = (y - layer.top) * width + part.left - layer.left;
      for (let x = part.left; x < part.right; x++, from++, to += colours + 1) {
        raster.samples[to] = plane ? (plane[from] as number) * scale : 65_535;
      }
    }
  }
  return raster;
}

function readPlane({ file, limits }: Work, encoded: Buffer, bounds: Bounds): Samples {
  const width = bounds.right - bounds.left;
  const height = bounds.bottom - bounds.top;
  if (width * height > limits.megapixels * 1e6) throw new UnsupportedImage('a layer is larger than any picture may be');
  return readPlanes(new ByteReader(encoded), { width, height, depth: file.depth }, 1, 1, file.large)[0] as Samples;
}

/** Draws a solid colour fill, which has no pixels but a descriptor with one RGB colour: three doubles of 0..255. */
function solidFill(work: Work, layer: Layer): Raster | undefined {
  if (!layer.fill) return undefined;
  const fill = layer.fill;
  const colour = ['Rd  ', 'Grn ', 'Bl  '].map((key) => {
    const at = fill.indexOf(`${key}doub`);
    if (work.file.mode !== 'rgb' || at < 0 || at + 16 > fill.length)
      throw new UnsupportedImage('a fill that is not RGB');
    return Math.min(255, Math.max(0, fill.readDoubleBE(at + 8))) * 257;
  });
  const raster = newCanvas(work);
  for (let i = 0; i < raster.samples.length; i++)
    raster.samples[i] = i % 4 < 3 ? Math.round(colour[i % 4] as number) : 65_535;
  return raster;
}

function readMask(work: Work, layer: Layer): Coverage | undefined {
  const { mask } = layer;
  // The pixels of a shape are drawn with its vector mask, those of another layer only if its mask renders it.
  const drawn = mask?.rendersVector || (layer.fill && !isEmpty(layer));
  if (layer.vectorMask && !drawn) throw new UnsupportedImage('a vector mask');
  if (!mask) return undefined;
  const cover = (value: number) => 1 - mask.density * (1 - value);
  const outside = cover(mask.outside / 255);
  if (isEmpty(mask)) return () => outside;
  const encoded = layer.channels.get(-2);
  if (!encoded) throw new UnsupportedImage('a mask without its channel');
  const plane = readPlane(work, encoded, mask);
  const full = plane instanceof Uint16Array ? 65_535 : 255;
  const { top, left, bottom, right } = mask;
  return (x, y) => {
    if (x < left || x >= right || y < top || y >= bottom) return outside;
    return cover((plane[(y - top) * (right - left) + x - left] as number) / full);
  };
}

function onCanvas(file: PsdFile, { top, left, bottom, right }: Bounds): Bounds {
  return {
    top: Math.max(0, top),
    left: Math.max(0, left),
    bottom: Math.min(file.height, bottom),
    right: Math.min(file.width, right),
  };
}

const newCanvas = (work: Work) =>
  newRaster(work, { top: 0, left: 0, bottom: work.file.height, right: work.file.width });

function newRaster(work: Work, { top, left, bottom, right }: Bounds): Raster {
  const width = right - left;
  const height = bottom - top;
  const { colours } = work;
  const length = width * height * (colours + 1);
  allocate(work, length * 2);
  return { left, top, width, height, colours, samples: new Uint16Array(length) };
}

function allocate(work: Work, bytes: number): void {
  work.bytes += bytes;
  if (work.bytes > CANVAS_BYTES) throw new UnsupportedImage('the layers are too large to be drawn');
}

function release(work: Work, raster: Raster): void {
  work.bytes -= raster.samples.byteLength;
}

/** Returns the part of a raster that overlaps another one. */
function crop(work: Work, raster: Raster, within: Raster): Raster | undefined {
  const part: Bounds = {
    top: Math.max(raster.top, within.top),
    left: Math.max(raster.left, within.left),
    bottom: Math.min(raster.top + raster.height, within.top + within.height),
    right: Math.min(raster.left + raster.width, within.left + within.width),
  };
  if (isEmpty(part)) return undefined;
  const out = newRaster(work, part);
  const stride = raster.colours + 1;
  for (let y = 0; y < out.height; y++) {
    const from = ((y + out.top - raster.top) * raster.width + out.left - raster.left) * stride;
    out.samples.set(raster.samples.subarray(from, from + out.width * stride), y * out.width * stride);
  }
  return out;
}

function planeOf(raster: Raster, channel: number, narrow: boolean): Samples {
  const length = raster.width * raster.height;
  const plane = narrow ? new Uint8Array(length) : new Uint16Array(length);
  const stride = raster.colours + 1;
  for (let i = 0, from = channel; i < length; i++, from += stride) {
    const value = raster.samples[from] as number;
    plane[i] = narrow ? Math.round(value / 257) : value;
  }
  return plane;
}
