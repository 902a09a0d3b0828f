import { readFile } from 'node:fs/promises';
import { readerOf } from '@darkroom/image-files/boxes';
import { describedProfile } from '@darkroom/image-files/colour/missing-profile';
import { divideByAlpha } from '@darkroom/image-files/colour/premultiplied';
import { expandRange } from '@darkroom/image-files/colour/sample-range';
import {
  checkSize,
  type DecodedImage,
  type DecodeLimits,
  ImageTooLarge,
  toSharp,
  UnsupportedImage,
} from '@darkroom/image-files/decoded-image';
import type { HeifFaults } from '@darkroom/image-files/heif/faults';
import { mendHeif } from '@darkroom/image-files/heif/mend';
import type { HeifImageHandle, LibHeif } from 'libheif-js/libheif-wasm/libheif-bundle.js';
import type { Sharp } from 'sharp';
import { LimitExceeded } from './failure.ts';
import { NeedsMemory } from './memory.ts';

/**
 * The main image of a HEIC or HEIF file as a sharp instance: upright (the decoder turns it; EXIF orientation does not
 * count in this format), with its alpha, and with the ICC profile that it has or describes. It has 8 bits a channel,
 * HDR 16. Reads the whole file into memory. Throws ImageTooLarge by the declared size before decoding, UnsupportedImage
 * for damaged or truncated files.
 */
export async function openHeic(file: string | Buffer, limits: DecodeLimits): Promise<Sharp> {
  const original = typeof file === 'string' ? await readFile(file) : file;
  const { source, faults } = await mendHeif(original);
  const bytes = typeof source === 'string' ? original : source;
  return toSharp(await decodeHeic(bytes, faults, limits));
}

/** Errors that are no crash of the decoder. */
const REPORTED = [UnsupportedImage, ImageTooLarge, LimitExceeded, NeedsMemory];

async function decodeHeic(bytes: Buffer, faults: HeifFaults, limits: DecodeLimits): Promise<DecodedImage> {
  const profile = await describedProfile(readerOf(bytes));
  const { default: load } = await import('libheif-js/libheif-wasm/libheif-bundle.js');
  // Each image has its own instance, so that its memory is freed and an instance that crashed is not used again.
  const libheif = load();
  try {
    const handle = openMain(libheif, bytes);
    const depth = profile?.isHdr ? 16 : 8;
    const bounds = { ...limits, admit: (pixels: number) => limits.admit?.(pixels, depth / 8) };
    checkSize(libheif.heif_image_handle_get_width(handle), libheif.heif_image_handle_get_height(handle), bounds);
    const image = await decode(libheif, handle, { depth, faults });
    checkSize(image.width, image.height, bounds);
    return { ...image, ...(profile && { icc: profile.icc }) };
  } catch (error) {
    if (REPORTED.some((kind) => error instanceof kind)) throw error;
    throw new UnsupportedImage('the HEIC decoder crashed', error);
  }
}

function openMain(libheif: LibHeif, bytes: Buffer): HeifImageHandle {
  const context = libheif.heif_context_alloc();
  const read = libheif.heif_context_read_from_memory(context, bytes);
  if (read.code !== libheif.heif_error_code.heif_error_Ok) throw new UnsupportedImage(`no HEIC: ${read.message}`);
  const handle = libheif.heif_js_context_get_primary_image_handle(context);
  if (!handle || handle.code !== undefined) throw new UnsupportedImage('no primary image');
  return handle as HeifImageHandle;
}

async function decode(
  libheif: LibHeif,
  handle: HeifImageHandle,
  { depth, faults }: { depth: 8 | 16; faults: HeifFaults },
): Promise<DecodedImage> {
  const hasAlpha = libheif.heif_image_handle_has_alpha_channel(handle) !== 0;
  const chroma = libheif.heif_chroma[LAYOUTS[depth][hasAlpha ? 'alpha' : 'opaque']];
  const decoded = await libheif.heif_js_decode_image2(handle, libheif.heif_colorspace.heif_colorspace_RGB, chroma);
  if (!decoded || !('channels' in decoded)) throw new UnsupportedImage('the image is damaged or truncated', decoded);
  const plane = decoded.channels.find(({ id }) => id === libheif.heif_channel.heif_channel_interleaved);
  if (!plane) throw new UnsupportedImage('the image has no pixels');
  const { width, height, stride, data, bits_per_pixel: bits } = plane;
  const channels = hasAlpha ? 4 : 3;
  const rowBytes = (width * channels * depth) / 8;
  if (stride < rowBytes || data.length < stride * (height - 1) + rowBytes)
    throw new UnsupportedImage('rows are missing');
  // The rows are a view of the decoder's memory and may be padded.
  const samples = new Uint8Array(rowBytes * height);
  for (let y = 0; y < height; y++) samples.set(data.subarray(y * stride, y * stride + rowBytes), y * rowBytes);
  if (depth === 16) fill(samples, bits);
  const { narrow } = faults;
  if (narrow.colours || narrow.alpha) expandRange(samples, { channels, depth, unit: unitOf(depth, bits) }, narrow);
  if (hasAlpha && libheif.heif_image_handle_is_premultiplied_alpha(handle)) divideByAlpha(samples, channels, depth);
  return { samples, width, height, channels, depth, space: 'srgb' };
}

/** libheif's names for interleaved samples; those of 16 bits have the high byte first. */
const LAYOUTS = {
  8: { opaque: 'heif_chroma_interleaved_RGB', alpha: 'heif_chroma_interleaved_RGBA' },
  16: { opaque: 'heif_chroma_interleaved_RRGGBB_BE', alpha: 'heif_chroma_interleaved_RRGGBBAA_BE' },
} as const;

/** Value in samples of 16 bits of one step of 8 bits. */
function unitOf(depth: 8 | 16, bits: number): number {
  return depth === 8 ? 1 : (2 ** (bits - 8) * (2 ** 16 - 1)) / (2 ** bits - 1);
}

/** Makes numbers of some bits fill all 16. */
function fill(samples: Uint8Array, bits: number): void {
  for (let i = 0; i < samples.length; i += 2) {
    const value = ((samples[i] as number) << 8) | (samples[i + 1] as number);
    const full = (value << (16 - bits)) | (value >> (2 * bits - 16));
    samples[i] = full >> 8;
    samples[i + 1] = full;
  }
}
