/** A part of an image file that holds no coded pixels and is not needed to decode them. */
export interface Extra {
  /** Its name in the container: the marker of a segment, the type of a chunk, an item or a box. */
  name: string;
  data: Buffer;
}

/**
 * Walks a file of its format to the last byte.
 * @returns all that a decoder of the pixels would skip
 * @throws when the file is not well-formed
 */
export function extrasOf(file: Buffer, format: string): Extra[] {
  const walk = WALKS[format];
  if (!walk) throw new Error(`no walk for ${format}`);
  return walk(file).filter(({ name, data }) => name !== AFTER_THE_END || data.length > 0);
}

const WALKS: Readonly<Record<string, (file: Buffer) => Extra[]>> = {
  jpeg: extrasOfJpeg,
  png: extrasOfPng,
  webp: extrasOfWebp,
  avif: extrasOfAvif,
  gif: extrasOfGif,
};

const AFTER_THE_END = 'after the end';

function expectAt(file: Buffer, at: number, wanted: string): void {
  const found = file.toString('latin1', at, at + wanted.length);
  if (found !== wanted) throw new Error(`expected ${wanted} at ${at}, found ${found}`);
}

/** ITU-T T.81, annex B. */
function extrasOfJpeg(file: Buffer): Extra[] {
  expectAt(file, 0, '\xff\xd8');
  const extras: Extra[] = [];
  let at = 2;
  while (!(file[at] === 0xff && file[at + 1] === 0xd9)) {
    if (file[at] !== 0xff || at + 4 > file.length) throw new Error(`no marker at ${at}`);
    const marker = file.readUInt8(at + 1);
    const end = at + 2 + file.readUInt16BE(at + 2);
    const data = file.subarray(at + 4, end);
    if (marker < 0xc0 || marker > 0xdf) extras.push({ name: marker.toString(16), data });
    at = end;
    if (marker !== 0xda) continue;
    // Coded pixels: 0xff is followed by 0 or is a restart marker.
    while (file[at] !== 0xff || file[at + 1] === 0 || ((file[at + 1] ?? 0) & 0xf8) === 0xd0) at++;
  }
  return [...extras, { name: AFTER_THE_END, data: file.subarray(at + 2) }];
}

/** PNG 3rd edition, 5. */
function extrasOfPng(file: Buffer): Extra[] {
  expectAt(file, 0, '\x89PNG\r\n\x1a\n');
  const extras: Extra[] = [];
  let at = 8;
  for (let type = ''; type !== 'IEND'; ) {
    type = file.toString('latin1', at + 4, at + 8);
    const length = file.readUInt32BE(at);
    const data = file.subarray(at + 8, at + 8 + length);
    if (!['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'].includes(type)) extras.push({ name: type, data });
    at += 12 + length;
  }
  return [...extras, { name: AFTER_THE_END, data: file.subarray(at) }];
}

/** RFC 9649, 2. */
function extrasOfWebp(file: Buffer): Extra[] {
  expectAt(file, 0, 'RIFF');
  expectAt(file, 8, 'WEBP');
  const end = 8 + file.readUInt32LE(4);
  const extras: Extra[] = [];
  let at = 12;
  while (at < end) {
    const name = file.toString('latin1', at, at + 4);
    const length = file.readUInt32LE(at + 4);
    if (!['VP8X', 'ALPH', 'VP8 ', 'VP8L'].includes(name)) {
      extras.push({ name, data: file.subarray(at + 8, at + 8 + length) });
    }
    at += 8 + length + (length % 2);
  }
  if (at !== end) throw new Error(`the chunks end at ${at}, the file at ${end}`);
  return [...extras, { name: AFTER_THE_END, data: file.subarray(end) }];
}

/** GIF89a. */
function extrasOfGif(file: Buffer): Extra[] {
  expectAt(file, 0, 'GIF8');
  const table = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  const extras: Extra[] = [];
  let at = 13 + table(file.readUInt8(10));
  while (file[at] !== 0x3b) {
    const isPicture = file[at] === 0x2c;
    if (!isPicture && file[at] !== 0x21) throw new Error(`no block at ${at}`);
    const label = file.readUInt8(at + 1);
    const start = isPicture ? at + 11 + table(file.readUInt8(at + 9)) : at + 2;
    let end = start;
    while (file.readUInt8(end) > 0) end += file.readUInt8(end) + 1;
    const isControl = label === 0xf9 && end - start === 5;
    if (!isPicture && !isControl) extras.push({ name: label.toString(16), data: file.subarray(start, end) });
    at = end + 1;
  }
  return [...extras, { name: AFTER_THE_END, data: file.subarray(at + 1) }];
}

interface Box {
  type: string;
  start: number;
  end: number;
}

function boxesOf(file: Buffer, start: number, end: number): Box[] {
  const boxes: Box[] = [];
  let at = start;
  while (at < end) {
    const length = file.readUInt32BE(at);
    boxes.push({ type: file.toString('latin1', at + 4, at + 8), start: at, end: at + length });
    at += length;
  }
  if (at !== end) throw new Error(`the boxes end at ${at}, not at ${end}`);
  return boxes;
}

/** Offset of the inner boxes in each container box. */
const INNER: Readonly<Record<string, number>> = { meta: 12, iinf: 14, iprp: 8, ipco: 8 };
const NEEDED = [
  ...['ftyp', 'meta', 'mdat', 'hdlr', 'pitm', 'iloc', 'iinf', 'infe', 'iref', 'iprp', 'ipco', 'ipma'],
  ...['ispe', 'pixi', 'av1C', 'auxC', 'pasp', 'irot', 'imir'],
];

/** ISO/IEC 14496-12, 8.11, and 23008-12: version 0 of the locations, with 4-byte numbers, as encoders write them. */
function extrasOfAvif(file: Buffer): Extra[] {
  const boxes: Box[] = [];
  const collect = (start: number, end: number) => {
    for (const box of boxesOf(file, start, end)) {
      boxes.push(box);
      const inner = INNER[box.type];
      if (inner !== undefined) collect(box.start + inner, box.end);
    }
  };
  collect(0, file.length);
  const content = ({ start, end }: Box) => file.subarray(start + 8, end);
  const isNeeded = (box: Box) =>
    NEEDED.includes(box.type) || (box.type === 'colr' && content(box).toString('latin1', 0, 4) === 'nclx');
  const extras = boxes.filter((box) => !isNeeded(box)).map((box) => ({ name: box.type, data: content(box) }));
  const types = new Map(
    boxes
      .filter(({ type }) => type === 'infe')
      .map(({ start }) => [file.readUInt16BE(start + 12), file.toString('latin1', start + 16, start + 20)]),
  );
  const items = itemsOf(file, boxes.find(({ type }) => type === 'iloc') as Box);
  const others = items.filter(({ id }) => types.get(id) !== 'av01');
  // Every byte of coded data belongs to exactly one item.
  const held = boxes.filter(({ type }) => type === 'mdat').reduce((sum, box) => sum + content(box).length, 0);
  const named = items.reduce((sum, { data }) => sum + data.length, 0);
  if (held !== named) extras.push({ name: 'mdat', data: Buffer.alloc(Math.abs(held - named)) });
  return [...extras, ...others.map(({ id, data }) => ({ name: types.get(id) ?? `item ${id}`, data }))];
}

function itemsOf(file: Buffer, iloc: Box): { id: number; data: Buffer }[] {
  expectAt(file, iloc.start + 8, '\0\0\0\0\x44\x40');
  let at = iloc.start + 16;
  return Array.from({ length: file.readUInt16BE(iloc.start + 14) }, () => {
    const id = file.readUInt16BE(at);
    const base = file.readUInt32BE(at + 4);
    const extents = file.readUInt16BE(at + 8);
    at += 10;
    const parts: Buffer[] = [];
    for (let left = extents; left > 0; left--, at += 8) {
      const start = base + file.readUInt32BE(at);
      const end = start + file.readUInt32BE(at + 4);
      if (end > file.length) throw new Error(`item ${id} ends at ${end}, beyond the file`);
      parts.push(file.subarray(start, end));
    }
    return { id, data: Buffer.concat(parts) };
  });
}
