import { UnsupportedImage } from '@darkroom/image-files/decoded-image';
import { FILL_SENSITIVE_MODES } from './blend.ts';
import { ByteReader, type PsdFile, readBlocks } from './file.ts';

/** A rectangle on the canvas, in pixels; right and bottom are exclusive. */
export interface Bounds {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

export interface LayerMask extends Bounds {
  /** Value outside the bounds, 0 or 255. */
  outside: number;
  /** 0..1: strength of the mask. */
  density: number;
  /** True if a vector mask was drawn into it. */
  rendersVector: boolean;
}

/** A layer, or a group if it has children (bottom first). Pixels are still encoded. */
export interface Layer extends Bounds {
  /** Four letters, `pass` for a pass-through group. */
  blend: string;
  /** 0..1, fill opacity included. */
  opacity: number;
  /** True if clipped to the next lower layer that is not clipped. */
  clipped: boolean;
  visible: boolean;
  mask: LayerMask | undefined;
  /** Encoded channels by number: 0.. colours, -1 transparency, -2 mask. */
  channels: ReadonlyMap<number, Buffer>;
  /** A required feature that is not drawn here. */
  unsupported: string | undefined;
  /** Descriptor of a solid colour fill. */
  fill: Buffer | undefined;
  /** True if a vector mask shapes it. */
  vectorMask: boolean;
  children: Layer[] | undefined;
}

/** Reads the layer tree, bottom first. @throws UnsupportedImage if the records are damaged */
export function readLayers(file: PsdFile): Layer[] {
  if (file.layerInfo.length < 2) return [];
  const reader = new ByteReader(file.layerInfo);
  const count = Math.abs(reader.i16());
  const records = Array.from({ length: count }, () => readRecord(reader, file.large));
  for (const { layer, lengths } of records) {
    layer.channels = new Map(lengths.map(([id, length]) => [id, reader.take(length)]));
  }
  return nest(records);
}

/** Photoshop itself allows 10. */
const MAX_NESTING = 50;

interface LayerRecord {
  layer: Layer;
  lengths: [id: number, length: number][];
  /** Section divider: 1 or 2 closes a group that a 3 further down has opened. */
  divider: number;
}

function readRecord(reader: ByteReader, large: boolean): LayerRecord {
  const bounds = readBounds(reader);
  const lengths = Array.from({ length: reader.u16() }, (): [number, number] => [reader.i16(), reader.length(large)]);
  if (reader.text(4) !== '8BIM') throw new UnsupportedImage('a layer record is damaged');
  const blend = reader.text(4);
  const opacity = reader.u8();
  const clipping = reader.u8();
  const flags = reader.u8();
  reader.u8();
  const extra = new ByteReader(reader.take(reader.u32()));
  const mask = readMask(new ByteReader(extra.take(extra.u32())));
  const ranges = extra.take(extra.u32());
  const nameLength = extra.u8();
  extra.take(Math.min(extra.left, nameLength + 3 - (nameLength % 4)));
  const blocks = readBlocks(extra.take(extra.left), large);
  const fillOpacity = blocks.get('iOpa')?.[0] ?? 255;
  const divider = blocks.get('lsct') ?? blocks.get('lsdk');
  const layer: Layer = {
    ...bounds,
    blend: divider && divider.length >= 12 ? divider.toString('latin1', 8, 12) : blend,
    opacity: (opacity / 255) * (fillOpacity / 255),
    clipped: clipping !== 0,
    visible: (flags & 2) === 0,
    mask: mask?.mask,
    channels: new Map(),
    unsupported: mask?.unsupported ?? findUnsupported(blocks, ranges, blend, isEmpty(bounds)),
    fill: blocks.get('SoCo'),
    vectorMask: hasVectorMask(blocks),
    children: undefined,
  };
  return { layer, lengths, divider: divider && divider.length >= 4 ? divider.readUInt32BE() : 0 };
}

function readBounds(reader: ByteReader): Bounds {
  const top = reader.i32();
  const left = reader.i32();
  const bottom = reader.i32();
  const right = reader.i32();
  if (bottom < top || right < left) throw new UnsupportedImage('a layer has a negative size');
  return { top, left, bottom, right };
}

export const isEmpty = ({ top, left, bottom, right }: Bounds) => bottom <= top || right <= left;

function readMask(reader: ByteReader): { mask: LayerMask | undefined; unsupported: string | undefined } | undefined {
  if (reader.left < 18) return undefined;
  const bounds = readBounds(reader);
  const outside = reader.u8();
  const flags = reader.u8();
  const mask: LayerMask = { ...bounds, outside, density: 1, rendersVector: (flags & 8) !== 0 };
  if (flags & 2) return { mask: undefined, unsupported: undefined };
  // After a second mask (18 bytes), parameters are indistinguishable from padding.
  if (flags & 16 && reader.left >= 18) return { mask, unsupported: 'a vector mask with density or feather' };
  let feathered = false;
  if (flags & 16) {
    const parameters = reader.u8();
    if (parameters & 1) mask.density = reader.u8() / 255;
    if (parameters & 2) feathered = reader.take(8).readDoubleBE() > 0;
    if (parameters & 4) feathered ||= reader.u8() !== 255;
    if (parameters & 8) feathered ||= reader.take(8).readDoubleBE() > 0;
  }
  const unsupported = feathered ? 'a feathered mask' : flags & 4 ? 'an inverted mask' : undefined;
  return { mask, unsupported };
}

/** Adjustment layers and artboards: drawn by a rule, without pixels. */
const RULES = [
  'levl',
  'curv',
  'brit',
  'CgEd',
  'hue2',
  'hue ',
  'selc',
  'mixr',
  'blnc',
  'nvrt',
  'post',
  'thrs',
  'phfl',
  'expA',
].concat(['vibA', 'blwh', 'grdm', 'clrL', 'artb', 'artd', 'abdd']);
/** Fills without pixels in the file: gradient, pattern, shape with a stroke. */
const FILLS = ['GdFl', 'PtFl', 'vscg', 'vstk'];

/** Names a required feature beyond pixels, masks and blending; without it the image would be wrong. */
function findUnsupported(
  blocks: Map<string, Buffer>,
  ranges: Buffer,
  blend: string,
  empty: boolean,
): string | undefined {
  const rule = RULES.find((key) => blocks.has(key)) ?? (empty ? FILLS.find((key) => blocks.has(key)) : undefined);
  if (rule) return `an adjustment layer, artboard or fill (${rule})`;
  const effects = blocks.get('lmfx') ?? blocks.get('lfx2');
  if (effects ? hasEnabledEffect(effects) : blocks.has('lrFX')) return 'layer effects';
  if (blocks.get('knko')?.[0]) return 'a knockout';
  if (blocks.get('tsly')?.[0] === 0) return 'transparency that does not shape the layer';
  if (blocks.get('clbl')?.[0] === 0) return 'clipped layers that blend apart';
  if (blocks.get('brst')?.length) return 'channel restrictions';
  if ((blocks.get('iOpa')?.[0] ?? 255) !== 255 && FILL_SENSITIVE_MODES.has(blend))
    return `fill opacity in blend mode ${blend}`;
  for (let i = 0; i + 4 <= ranges.length; i += 4) if (ranges.readUInt32BE(i) !== 0xffff) return 'blending ranges';
  return undefined;
}

/** The descriptor holds a switch for all effects and one, `enab`, in each. */
function hasEnabledEffect(descriptor: Buffer): boolean {
  if (descriptor.includes('masterFXSwitchbool\0')) return false;
  return descriptor.includes('enabbool\x01');
}

function hasVectorMask(blocks: Map<string, Buffer>): boolean {
  const mask = blocks.get('vmsk') ?? blocks.get('vsms');
  return mask !== undefined && mask.length >= 8 && (mask.readUInt32BE(4) & 4) === 0;
}

/** Builds the tree. Records come bottom first: a divider, the group's layers, then the group itself. */
function nest(records: LayerRecord[]): Layer[] {
  const open: Layer[][] = [[]];
  for (const { layer, divider } of records) {
    if (divider === 3) {
      if (open.push([]) > MAX_NESTING) throw new UnsupportedImage('groups are nested too deep');
    } else if (divider === 1 || divider === 2) {
      const children = open.pop();
      if (!children || open.length === 0) throw new UnsupportedImage('the layer groups are damaged');
      open.at(-1)?.push({ ...layer, children });
    } else open.at(-1)?.push(layer);
  }
  if (open.length !== 1) throw new UnsupportedImage('the layer groups are damaged');
  return open[0] as Layer[];
}
