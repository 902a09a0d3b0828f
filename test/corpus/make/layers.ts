import { readSequence } from '@darkroom/image-files/heif/av1-frames';
import { HEIGHT, sceneAt, WIDTH } from '../scene.ts';
import { type CodedItem, readItems } from './heif.ts';
import { portable, withTools } from './tools.ts';

type Colour = (x: number, y: number) => readonly number[];

/** A frame of a layered image. */
export interface Layer {
  colour: Colour;
  /** True if coded at 15/16 of its width and height. */
  isSmaller?: true;
}

interface Unit {
  type: number;
  data: Buffer;
}

const SEQUENCE_HEADER = 1;
const FRAME = 6;

/**
 * Returns an AV1 item of layers, each a separate key frame.
 * @param points the layers of each operating point, as in the sequence header
 */
export async function layeredItem(layers: readonly Layer[], points: readonly number[]): Promise<CodedItem> {
  // The header is that of a full-size image, regardless of its layers.
  const whole = await codedLayer({ colour: sceneAt });
  const data = [unit(SEQUENCE_HEADER, withPoints(whole.header, points))];
  for (const [index, layer] of layers.entries()) {
    const { frame } = await codedLayer(layer);
    data.push(unit(FRAME, layer.isSmaller ? withSize(frame, whole.header, SMALLER) : frame, index));
  }
  return { ...whole.item, data: Buffer.concat(data) };
}

const SCALE = 16 / 15;
const SMALLER = { width: WIDTH / SCALE, height: HEIGHT / SCALE };

async function codedLayer({ colour, isSmaller }: Layer): Promise<{ item: CodedItem; header: Buffer; frame: Buffer }> {
  const picture = isSmaller
    ? portable((x, y) => colour((x + 0.5) * SCALE - 0.5, (y + 0.5) * SCALE - 0.5), SMALLER)
    : portable(colour, { width: WIDTH, height: HEIGHT });
  const filter = 'scale=out_color_matrix=bt601:out_range=full,format=yuv444p';
  const coding = ['-c:v', 'libaom-av1', '-crf', '4', '-cpu-used', '4', '-lag-in-frames', '0', '-color_range', 'pc'];
  const file = await withTools(
    { 'in.ppm': picture },
    [['ffmpeg', '-v', 'error', '-i', 'in.ppm', '-vf', filter, ...coding, 'out.avif']],
    'out.avif',
  );
  const [item] = readItems(file);
  const units = item ? unitsOf(item.data) : [];
  const header = units.find(({ type }) => type === SEQUENCE_HEADER)?.data;
  const frame = units.find(({ type }) => type === FRAME)?.data;
  if (!item || !header || !frame) throw new Error('Expected a frame in a unit of its own.');
  return { item, header, frame };
}

/**
 * Returns a key frame that states its size, in as many whole bytes as the sequence header declares. Source: AV1, 5.9.2
 * and 5.9.5.
 */
function withSize(frame: Buffer, header: Buffer, { width, height }: typeof SMALLER): Buffer {
  const sequence = readSequence(header);
  if (!sequence || sequence.isReduced || sequence.idBits > 0 || (sequence.widthBits + sequence.heightBits) % 8 !== 0) {
    throw new Error('Expected a sequence whose sizes take whole bytes.');
  }
  const bits = bitsOf(frame);
  const hasScreenTools = bits[5] === '1';
  if (sequence.screenTools !== 2 || !bits.startsWith('0001')) throw new Error('Expected a key frame that is shown.');
  const override = hasScreenTools && sequence.integerMotion === 2 ? 7 : 6;
  const end = override + 1 + sequence.orderBits;
  const size =
    (width - 1).toString(2).padStart(sequence.widthBits, '0') +
    (height - 1).toString(2).padStart(sequence.heightBits, '0');
  return bytesOf(`${bits.slice(0, override)}1${bits.slice(override + 1, end)}${size}${bits.slice(end)}`);
}

const bitsOf = (bytes: Buffer) => [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
const bytesOf = (bits: string) => Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));

/**
 * Returns the units of a stream, which all have a size. Source: AV1 Bitstream & Decoding Process Specification (2019),
 * 5.3.
 */
function unitsOf(stream: Buffer): Unit[] {
  const units: Unit[] = [];
  for (let at = 0; at < stream.length; ) {
    const head = stream[at] as number;
    at += head & 4 ? 2 : 1;
    let size = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = stream[at++] as number;
      size += (byte & 127) << shift;
      if (byte < 128) break;
    }
    units.push({ type: (head >> 3) & 15, data: stream.subarray(at, at + size) });
    at += size;
  }
  return units;
}

function unit(type: number, data: Buffer, layer?: number): Buffer {
  const head = layer === undefined ? [(type << 3) | 2] : [(type << 3) | 6, layer << 3];
  const size: number[] = [];
  for (let left = data.length; left > 0 || size.length === 0; left >>= 7)
    size.push((left & 127) | (left > 127 ? 128 : 0));
  return Buffer.concat([Buffer.from([...head, ...size]), data]);
}

/**
 * Returns a sequence header with other operating points: after 7 bits, each has 12, and 5 for its level. Source: the
 * same, 5.5.
 */
function withPoints(header: Buffer, points: readonly number[]): Buffer {
  const bits = bitsOf(header);
  if (bits.slice(3, 12) !== '000000000') throw new Error('Expected a stream without timing, of one operating point.');
  const level = bits.slice(24, 29);
  const end = Number.parseInt(level, 2) > 7 ? 30 : 29;
  const all = points.map((point) => point.toString(2).padStart(12, '0') + bits.slice(24, end)).join('');
  const count = (points.length - 1).toString(2).padStart(5, '0');
  // A header ends with a one bit, and zeros up to the next byte.
  const text = `${bits.slice(0, 7)}${count}${all}${bits.slice(end)}`.replace(/0+$/, '');
  return bytesOf(text.padEnd(Math.ceil(text.length / 8) * 8, '0'));
}
