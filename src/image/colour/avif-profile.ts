import { boxes, findBox, makeBox, type ReadBytes, readerOf, topBox } from '../boxes.ts';
import { type Association, mainItem, readAssociations } from './item-colour.ts';

/**
 * An AVIF with a profile for its main picture, beside what it has. The metadata with the profile come to the end, and the old
 * ones become free space, so that no offset changes. Undefined for a file whose properties cannot be read. The file is one that
 * libvips opens, so it has at most some hundreds of items and properties.
 */
export async function withAvifProfile(avif: Buffer, icc: Buffer): Promise<Buffer | undefined> {
  const read: ReadBytes = readerOf(avif);
  const old = await topBox(read, 'meta');
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
  const content = [...boxes(old.data.subarray(4))].map(({ type, data }) =>
    type === 'iprp' ? makeBox(type, ...added) : makeBox(type, data),
  );
  const last = [...boxes(avif)].at(-1);
  // A file that is cut off has no end where a box could follow.
  if (last?.end !== avif.length) return undefined;
  const file = Buffer.concat([avif, makeBox('meta', old.data.subarray(0, 4), ...content)]);
  file.write('free', old.start + 4, 'latin1');
  // A size of 0 means that the box ends with the file, which is longer now.
  if (file.readUInt32BE(last.start) === 0) file.writeUInt32BE(last.end - last.start, last.start);
  return file;
}

function withProperty({ item, properties }: Association, number: number): Association {
  return { item, properties: [...properties, { number, isEssential: false }] };
}

/** With numbers of 15 bits, whatever the old ones had. */
function associationsBox(old: Buffer, associations: readonly Association[]): Buffer {
  const head = Buffer.alloc(8);
  head[0] = old[0] ?? 0;
  head[3] = 1;
  head.writeUInt32BE(associations.length, 4);
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
