import { readFile } from 'node:fs/promises';
import type { HeifImageHandle, LibHeif } from 'libheif-js/libheif-wasm/libheif-bundle.js';
import type { Sharp } from 'sharp';
import {
  checkSize,
  type DecodedImage,
  type DecodeLimits,
  ImageTooLarge,
  toSharp,
  UnsupportedImage,
} from '../decoded-image.ts';
import { NeedsRoom } from '../memory.ts';
import { heicProfile } from './colour.ts';

/**
 * The main picture of a HEIC or HEIF file as a sharp instance: upright (the decoder turns it; EXIF orientation does not count
 * in this format), 8 bits a channel, with its alpha and ICC profile if it has them. Reads the whole file into memory.
 * Throws ImageTooLarge by the declared size before decoding, UnsupportedImage for damaged, truncated or HDR files.
 */
export async function openHeic(file: string | Buffer, limits: DecodeLimits): Promise<Sharp> {
  const bytes = typeof file === 'string' ? await readFile(file) : file;
  return toSharp(await decodeHeic(bytes, limits));
}

async function decodeHeic(bytes: Buffer, limits: DecodeLimits): Promise<DecodedImage> {
  const icc = await heicProfile(bytes);
  const { default: load } = await import('libheif-js/libheif-wasm/libheif-bundle.js');
  // Each picture has its own instance, so that its memory is freed and an instance that crashed is not used again.
  const libheif = load();
  try {
    const handle = openMain(libheif, bytes);
    checkSize(libheif.heif_image_handle_get_width(handle), libheif.heif_image_handle_get_height(handle), limits);
    const image = await decode(libheif, handle);
    checkSize(image.width, image.height, limits);
    return { ...image, ...(icc && { icc }) };
  } catch (error) {
    if (error instanceof UnsupportedImage || error instanceof ImageTooLarge || error instanceof NeedsRoom) throw error;
    throw new UnsupportedImage('the HEIC decoder crashed', error);
  }
}

function openMain(libheif: LibHeif, bytes: Buffer): HeifImageHandle {
  const context = libheif.heif_context_alloc();
  const read = libheif.heif_context_read_from_memory(context, bytes);
  if (read.code !== libheif.heif_error_code.heif_error_Ok) throw new UnsupportedImage(`no HEIC: ${read.message}`);
  const handle = libheif.heif_js_context_get_primary_image_handle(context);
  if (!handle || handle.code !== undefined) throw new UnsupportedImage('no main picture');
  return handle as HeifImageHandle;
}

async function decode(libheif: LibHeif, handle: HeifImageHandle): Promise<DecodedImage> {
  const hasAlpha = libheif.heif_image_handle_has_alpha_channel(handle) !== 0;
  if (hasAlpha && libheif.heif_image_handle_is_premultiplied_alpha(handle)) {
    throw new UnsupportedImage('premultiplied alpha');
  }
  const { heif_chroma_interleaved_RGB, heif_chroma_interleaved_RGBA } = libheif.heif_chroma;
  const chroma = hasAlpha ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB;
  const decoded = await libheif.heif_js_decode_image2(handle, libheif.heif_colorspace.heif_colorspace_RGB, chroma);
  if (!decoded || !('channels' in decoded)) throw new UnsupportedImage('the picture is damaged or truncated', decoded);
  const plane = decoded.channels.find(({ id }) => id === libheif.heif_channel.heif_channel_interleaved);
  if (!plane) throw new UnsupportedImage('the picture has no pixels');
  const { width, height, stride, data } = plane;
  const channels = hasAlpha ? 4 : 3;
  const rowBytes = width * channels;
  if (stride < rowBytes || data.length < stride * (height - 1) + rowBytes)
    throw new UnsupportedImage('rows are missing');
  // The rows are a view of the decoder's memory and may be padded.
  const samples = new Uint8Array(rowBytes * height);
  for (let y = 0; y < height; y++) samples.set(data.subarray(y * stride, y * stride + rowBytes), y * rowBytes);
  return { samples, width, height, channels, space: 'srgb' };
}
