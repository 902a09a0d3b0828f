import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';

/** A file for an archive. */
export interface ZipEntry {
  /** Relative, with `/` between its parts. */
  name: string;
  size: number;
  modifiedAt: Date;
}

/** Value that refers to the ZIP64 field. */
const MAX_16 = 0xffff;
const MAX_32 = 0xffffffff;

const VERSION = 45;
const MADE_ON_UNIX = 3 << 8;
/** Checksum and sizes follow the data; the name is UTF-8. */
const FLAGS = 0x0808;
const REGULAR_FILE = 0o100644;

const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;
const TIME_BYTES = 9;
const END_BYTES = 22;
const END_64_BYTES = 56 + 20;

/** Entries between two yields to the event loop: a few milliseconds. */
const BATCH_ENTRIES = 1000;

/** Returns the length of the archive that `writeZip` makes of these entries. */
export async function zipSize(entries: readonly Pick<ZipEntry, 'name' | 'size'>[]): Promise<number> {
  let offset = 0;
  let directory = 0;
  for (const [index, { name, size }] of entries.entries()) {
    if (index % BATCH_ENTRIES === BATCH_ENTRIES - 1) await setImmediate();
    const nameBytes = Buffer.byteLength(name);
    directory += CENTRAL_BYTES + nameBytes + TIME_BYTES + wideBytes(centralWide(size, offset));
    offset += LOCAL_BYTES + nameBytes + TIME_BYTES + wideBytes(localWide(size)) + size + descriptorBytes(size);
  }
  return offset + directory + (needs64(entries.length, directory, offset) ? END_64_BYTES : 0) + END_BYTES;
}

/**
 * Writes a ZIP archive (PKWARE APPNOTE 6.3) as a stream: without compression, ZIP64 where necessary, one file at a time
 * and none in memory. The length is known before the first byte, so every file must have its announced size.
 * @param open called when the archive reaches the file
 * @throws Error if a file has another size, and errors of opening or reading it
 */
export async function* writeZip<Entry extends ZipEntry>(
  entries: readonly Entry[],
  open: (entry: Entry) => Promise<AsyncIterable<Uint8Array>>,
): AsyncGenerator<Uint8Array> {
  const offsets: number[] = [];
  const checksums = new Uint32Array(entries.length);
  let offset = 0;
  for (const [index, entry] of entries.entries()) {
    offsets.push(offset);
    const header = localHeader(entry);
    yield header;
    let checksum = 0;
    let size = 0;
    for await (const chunk of await open(entry)) {
      size += chunk.length;
      if (size > entry.size) break;
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
    if (size !== entry.size)
      throw new Error(`A file has another size than the ${entry.size} bytes it was announced with.`);
    checksums[index] = checksum;
    yield descriptor(checksum, size);
    offset += header.length + size + descriptorBytes(size);
  }
  const start = offset;
  for (let first = 0; first < entries.length; first += BATCH_ENTRIES) {
    // The directory of many files takes long: yield between its batches.
    if (first > 0) await setImmediate();
    const batch = entries.slice(first, first + BATCH_ENTRIES);
    const records = batch.map((entry, index) =>
      centralHeader(entry, checksums[first + index] ?? 0, offsets[first + index] ?? 0),
    );
    const part = Buffer.concat(records);
    yield part;
    offset += part.length;
  }
  yield endOfDirectory(entries.length, start, offset - start);
}

/** Lists the numbers over 32 bits, in the order of the ZIP64 field. */
function centralWide(size: number, offset: number): number[] {
  return [...localWide(size), ...(offset >= MAX_32 ? [offset] : [])];
}

function localWide(size: number): number[] {
  return size >= MAX_32 ? [size, size] : [];
}

function needs64(count: number, directoryBytes: number, offset: number): boolean {
  return count >= MAX_16 || directoryBytes >= MAX_32 || offset >= MAX_32;
}

function descriptorBytes(size: number): number {
  return size >= MAX_32 ? 24 : 16;
}

function localHeader({ name, size, modifiedAt }: ZipEntry): Buffer {
  const nameField = Buffer.from(name);
  const extra = Buffer.concat([timeField(modifiedAt), wide(localWide(size))]);
  const header = Buffer.alloc(LOCAL_BYTES);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(VERSION, 4);
  header.writeUInt16LE(FLAGS, 6);
  header.writeUInt32LE(dosTime(modifiedAt), 10);
  // The sizes follow the data. These values say that they have 64 bits.
  if (size >= MAX_32) header.fill(0xff, 18, 26);
  header.writeUInt16LE(nameField.length, 26);
  header.writeUInt16LE(extra.length, 28);
  return Buffer.concat([header, nameField, extra]);
}

function descriptor(checksum: number, size: number): Buffer {
  const buffer = Buffer.alloc(descriptorBytes(size));
  buffer.writeUInt32LE(0x08074b50, 0);
  buffer.writeUInt32LE(checksum, 4);
  if (size >= MAX_32) {
    buffer.writeBigUInt64LE(BigInt(size), 8);
    buffer.writeBigUInt64LE(BigInt(size), 16);
  } else {
    buffer.writeUInt32LE(size, 8);
    buffer.writeUInt32LE(size, 12);
  }
  return buffer;
}

function centralHeader({ name, size, modifiedAt }: ZipEntry, checksum: number, offset: number): Buffer {
  const nameField = Buffer.from(name);
  const extra = Buffer.concat([timeField(modifiedAt), wide(centralWide(size, offset))]);
  const header = Buffer.alloc(CENTRAL_BYTES);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(MADE_ON_UNIX | VERSION, 4);
  header.writeUInt16LE(VERSION, 6);
  header.writeUInt16LE(FLAGS, 8);
  header.writeUInt32LE(dosTime(modifiedAt), 12);
  header.writeUInt32LE(checksum, 16);
  header.writeUInt32LE(Math.min(size, MAX_32), 20);
  header.writeUInt32LE(Math.min(size, MAX_32), 24);
  header.writeUInt16LE(nameField.length, 28);
  header.writeUInt16LE(extra.length, 30);
  header.writeUInt32LE((REGULAR_FILE << 16) >>> 0, 38);
  header.writeUInt32LE(Math.min(offset, MAX_32), 42);
  return Buffer.concat([header, nameField, extra]);
}

function endOfDirectory(count: number, start: number, bytes: number): Buffer {
  const end = Buffer.alloc(END_BYTES);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(count, MAX_16), 8);
  end.writeUInt16LE(Math.min(count, MAX_16), 10);
  end.writeUInt32LE(Math.min(bytes, MAX_32), 12);
  end.writeUInt32LE(Math.min(start, MAX_32), 16);
  return needs64(count, bytes, start) ? Buffer.concat([end64(count, start, bytes), end]) : end;
}

function end64(count: number, start: number, bytes: number): Buffer {
  const record = Buffer.alloc(END_64_BYTES);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(44n, 4);
  record.writeUInt16LE(MADE_ON_UNIX | VERSION, 12);
  record.writeUInt16LE(VERSION, 14);
  for (const [at, value] of [count, count, bytes, start].entries()) record.writeBigUInt64LE(BigInt(value), 24 + 8 * at);
  // The locator, with the position of the record above.
  record.writeUInt32LE(0x07064b50, 56);
  record.writeBigUInt64LE(BigInt(start + bytes), 64);
  record.writeUInt32LE(1, 72);
  return record;
}

/** Writes the ZIP64 field of 64-bit numbers; empty if there are none. */
function wide(values: readonly number[]): Buffer {
  const field = Buffer.alloc(wideBytes(values));
  if (values.length === 0) return field;
  field.writeUInt16LE(0x0001, 0);
  field.writeUInt16LE(8 * values.length, 2);
  for (const [index, value] of values.entries()) field.writeBigUInt64LE(BigInt(value), 4 + 8 * index);
  return field;
}

function wideBytes(values: readonly number[]): number {
  return values.length === 0 ? 0 : 4 + 8 * values.length;
}

/** Writes Info-ZIP's time field in Unix seconds, because DOS times have no zone and two-second steps. */
function timeField(time: Date): Buffer {
  const field = Buffer.alloc(TIME_BYTES);
  field.writeUInt16LE(0x5455, 0);
  field.writeUInt16LE(5, 2);
  field.writeUInt8(1, 4);
  field.writeInt32LE(Math.min(Math.max(0, Math.floor(time.getTime() / 1000)), 0x7fffffff), 5);
  return field;
}

/** Time in the lower, date in the upper 16 bits; from 1980 on. */
function dosTime(time: Date): number {
  const year = Math.min(Math.max(time.getFullYear(), 1980), 2107) - 1980;
  const date = (year << 9) | ((time.getMonth() + 1) << 5) | time.getDate();
  return ((date << 16) | (time.getHours() << 11) | (time.getMinutes() << 5) | (time.getSeconds() >> 1)) >>> 0;
}
