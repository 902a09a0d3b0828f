/** Traits of a stream that decide how its frames are decoded and prepared. */
export interface FrameTraits {
  hasAlpha: boolean;
  /** ffmpeg's name for a decoder that has to be used; undefined for the usual one. */
  decoder: string | undefined;
  /** The field that is shown first; undefined for progressive streams, and where the stream does not say. */
  fieldOrder: 'top' | 'bottom' | undefined;
  /** True where ffmpeg may be told to keep its filters when frames change their size: nothing turns the frames before them. */
  sizeMayChange: boolean;
}

/** A stream as ffprobe writes it, as far as it is read here. */
interface RawTraits {
  codec_name?: string;
  pix_fmt?: string;
  field_order?: string;
  tags?: { alpha_mode?: string; ALPHA_MODE?: string };
  side_data_list?: readonly { rotation?: number }[];
}

/** Entries that ffprobe has to show. */
export const TRAIT_ENTRIES = ['stream=field_order', 'stream_tags=alpha_mode,ALPHA_MODE'];

/** Pixel formats with alpha. Of palettes, only those of PNG have transparent colours. */
const ALPHA_FORMATS = /^(yuva|gbrap|ya\d)|rgba|bgra|argb|abgr|ayuv|vuya/;

/** Decoders of libvpx, by codec. ffmpeg's own leave out the alpha that WebM stores next to each frame. */
const ALPHA_DECODERS: Readonly<Record<string, string>> = { vp8: 'libvpx', vp9: 'libvpx-vp9' };

/** ffprobe names the field that is stored first and the one that is shown first: `tb` is shown bottom first. */
const FIELD_ORDERS: Readonly<Record<string, 'top' | 'bottom'>> = { tt: 'top', bt: 'top', bb: 'bottom', tb: 'bottom' };

/** @param libraries that ffmpeg was built with */
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
