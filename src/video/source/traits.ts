/** Traits of a stream that decide how its frames are decoded and prepared. */
export interface FrameTraits {
  hasAlpha: boolean;
  /** Required decoder, as ffmpeg names it; undefined for the default one. */
  decoder: string | undefined;
  /** Field shown first; undefined for progressive streams, and if the stream does not say. */
  fieldOrder: 'top' | 'bottom' | undefined;
  /** True if ffmpeg may keep its filters when frames change size: nothing rotates the frames before them. */
  sizeMayChange: boolean;
}

/** Fields of an ffprobe stream that are read here. */
interface RawTraits {
  codec_name?: string;
  pix_fmt?: string;
  field_order?: string;
  tags?: { alpha_mode?: string; ALPHA_MODE?: string };
  side_data_list?: readonly { rotation?: number }[];
}

/** Entries that ffprobe has to show. */
export const TRAIT_ENTRIES = ['stream=field_order', 'stream_tags=alpha_mode,ALPHA_MODE'];

/** Pixel formats with alpha. Among palettes, only those of PNG have transparent colours. */
const ALPHA_FORMATS = /^(yuva|gbrap|ya\d)|rgba|bgra|argb|abgr|ayuv|vuya/;

/** libvpx decoders by codec. ffmpeg's own ignore the alpha that WebM stores next to each frame. */
const ALPHA_DECODERS: Readonly<Record<string, string>> = { vp8: 'libvpx', vp9: 'libvpx-vp9' };

/** ffprobe names the field stored first and the field shown first: `tb` is shown bottom first. */
const FIELD_ORDERS: Readonly<Record<string, 'top' | 'bottom'>> = { tt: 'top', bt: 'top', bb: 'bottom', tb: 'bottom' };

/** @param libraries of the ffmpeg build */
export function readTraits(stream: RawTraits, libraries: ReadonlySet<string>): FrameTraits {
  const { codec_name: codec = '', pix_fmt: pixelFormat = '', field_order: order = '', tags, side_data_list } = stream;
  const isAlphaAside = (tags?.alpha_mode ?? tags?.ALPHA_MODE) === '1';
  const decoder = isAlphaAside && libraries.has('libvpx') ? ALPHA_DECODERS[codec] : undefined;
  return {
    hasAlpha: decoder !== undefined || ALPHA_FORMATS.test(pixelFormat) || (codec === 'png' && pixelFormat === 'pal8'),
    decoder,
    fieldOrder: FIELD_ORDERS[order],
    sizeMayChange: !side_data_list?.some((data) => data.rotation !== undefined),
  };
}
