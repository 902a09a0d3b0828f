import { boxes, findBox, makeBox, readerOf, topBox } from '../boxes.ts';
import { withMeta } from '../heif/meta.ts';
import { type Association, mainItem, readAssociations } from './item-colour.ts';

/**
 * Adds a profile for the main image to an AVIF. Undefined if its properties cannot be read. libvips opens the file, so
 * it has a few hundred items and properties at most.
 */
export async function withAvifProfile(avif: Buffer, icc: Buffer): Promise<Buffer | undefined> {
  const old = await topBox(readerOf(avif), 'meta');
  const item = old && mainItem(old.data.subarray(4));
  const iprp = old && findBox(old.data.subarray(4), 'iprp');
  const ipco = iprp && findBox(iprp, 'ipco');
  if (!ipco || item === undefined) return undefined;
  const colr = makeBox('colr', Buffer.from('prof'), icc);
  const number = boxes(ipco).toArray().length + 1;
  const added = [...boxes(iprp)].map(({ type, data }) => {
    if (type === 'ipco') return makeBox(type, ipco, colr);
    if (type !== 'ipma') return makeBox(type, data);
    return associationsBox(
      data,
      [...readAssociations(data)].map((own) =>
        own.item === item && own.properties.length < 255 ? withProperty(own, number) : own,
      ),
    );
  });
  return withMeta(avif, old, 'iprp', Buffer.concat(added));
}

function withProperty({ item, properties }: Association, number: number): Association {
  return { item, properties: [...properties, { number, isEssential: false }] };
}

/**
 * Makes an `ipma` box of the associations of another one. Property numbers have 15 bits, whatever the old ones had.
 * @param old content of the other one
 */
export function associationsBox(old: Buffer, associations: readonly Association[]): Buffer {
  const head = Buffer.alloc(8);
  old.copy(head, 0, 0, 8);
  head[3] = 1;
  const idBytes = old[0] ? 4 : 2;
  const entries = associations.map(({ item, properties }) => {
    const entry = Buffer.alloc(idBytes + 1 + properties.length * 2);
    entry.writeUIntBE(item, 0, idBytes);
    entry[idBytes] = properties.length;
    for (const [index, { number, isEssential }] of properties.entries()) {
      entry.writeUInt16BE(number | (isEssential ? 0x8000 : 0), idBytes + 1 + index * 2);
    }
    return entry;
  });
  return makeBox('ipma', head, ...entries);
}
