import { readFile } from 'node:fs/promises';
import { boxes, findBox, makeBox, readerOf, readFrom, topBox } from '../boxes.ts';
import { associationsBox } from '../colour/avif-profile.ts';
import { type Association, readAssociations } from '../colour/item-colour.ts';
import { type HeifFaults, type LayeredItem, readHeifFaults, TRANSFORMS } from './faults.ts';
import { chooseLayers } from './layers.ts';
import { withMeta } from './meta.ts';

/** Larger metadata are left unchanged, because they would be copied box by box. */
const META_BYTES = 2 ** 18;

const BT601_MATRIX = 6;

/** An AVIF or HEIC whose metadata libheif applies as other decoders do. Its samples may still need corrections. */
export interface MendedHeif {
  /** The file itself if nothing changed. */
  source: string | Buffer;
  faults: HeifFaults;
  /** True if its coded image is smaller than its displayed one, to which it has to be enlarged. */
  isEnlarged?: boolean;
}

/** Rewrites metadata that libheif does not apply. Without any, only headers are read. */
export async function mendHeif(file: string | Buffer): Promise<MendedHeif> {
  const faults = await readFrom(file, readHeifFaults);
  const { turnedAlpha, rangeAt, layered } = faults;
  if (!turnedAlpha && !layered && rangeAt === undefined) return { source: file, faults };
  const bytes = typeof file === 'string' ? await readFile(file) : Buffer.from(file);
  // Without any code point the box would be ignored. This matrix is the default of browsers.
  if (rangeAt !== undefined) bytes.writeUInt16BE(BT601_MATRIX, rangeAt + 8);
  const isEnlarged = layered?.map((item) => chooseIn(bytes, item)).some(Boolean) === true;
  const turned = turnedAlpha && (await withTurnedAlpha(bytes, turnedAlpha));
  return { source: turned ?? bytes, faults, isEnlarged };
}

/** Removes hidden layers, in place. @returns true if the remaining ones have another size than the item */
function chooseIn(heif: Buffer, { choice, at, length, sizeAt }: LayeredItem): boolean {
  const stream = heif.subarray(at, length === 0 ? heif.length : at + length);
  const size = chooseLayers(stream, choice);
  if (!size || (size.width === heif.readUInt32BE(sizeAt) && size.height === heif.readUInt32BE(sizeAt + 4)))
    return false;
  heif.writeUInt32BE(size.width, sizeAt);
  heif.writeUInt32BE(size.height, sizeAt + 4);
  return true;
}

/** Returns a file whose alpha has the transforms of the image. Undefined if that takes too much. */
async function withTurnedAlpha(heif: Buffer, items: { main: number; alpha: number }): Promise<Buffer | undefined> {
  const box = await topBox(readerOf(heif), 'meta');
  const iprp = box && findBox(box.data.subarray(4), 'iprp');
  const ipco = iprp && findBox(iprp, 'ipco');
  if (!box || !iprp || !ipco || box.data.length > META_BYTES) return undefined;
  const all = [...boxes(ipco)];
  const isTransform = ({ number }: { number: number }) => TRANSFORMS.includes(all[number - 1]?.type ?? '');
  const main = associationOf(iprp, items.main);
  const alpha = associationOf(iprp, items.alpha);
  if (!main || !alpha) return undefined;
  const properties = [
    ...alpha.properties.filter((property) => !isTransform(property)),
    ...main.properties.filter(isTransform),
  ];
  if (properties.length > 255) return undefined;
  const content = [...boxes(iprp)].map(({ type, data }) => {
    const associations = type === 'ipma' ? [...readAssociations(data)] : [];
    const own = associations.find(({ item }) => item === items.alpha);
    if (own) own.properties = properties;
    return own ? associationsBox(data, associations) : makeBox(type, data);
  });
  return withMeta(heif, box, 'iprp', Buffer.concat(content));
}

function associationOf(iprp: Buffer, item: number): Association | undefined {
  const tables = boxes(iprp).filter(({ type }) => type === 'ipma');
  return tables.flatMap(({ data }) => readAssociations(data)).find((association) => association.item === item);
}
