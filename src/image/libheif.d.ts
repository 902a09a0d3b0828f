/** The few parts of libheif's wasm build that are used here; the package brings no types for this entry. */
declare module 'libheif-js/libheif-wasm/libheif-bundle.js' {
  export interface HeifError {
    code: unknown;
    message?: string;
  }
  export interface HeifContext {
    readonly brand: 'context';
  }
  export interface HeifImageHandle {
    readonly brand: 'handle';
    readonly code?: undefined;
  }
  export interface HeifChannel {
    id: unknown;
    width: number;
    height: number;
    /** Bytes from one row to the next. */
    stride: number;
    bits_per_pixel: number;
    /** A view into the memory of the instance. */
    data: Uint8Array;
  }
  export interface LibHeif {
    heif_error_code: { heif_error_Ok: unknown };
    heif_colorspace: { heif_colorspace_RGB: unknown };
    heif_chroma: Record<`heif_chroma_interleaved_${'RGB' | 'RGBA' | 'RRGGBB_BE' | 'RRGGBBAA_BE'}`, unknown>;
    heif_channel: { heif_channel_interleaved: unknown };
    heif_context_alloc(): HeifContext;
    heif_context_read_from_memory(context: HeifContext, bytes: Uint8Array): HeifError;
    heif_js_context_get_primary_image_handle(context: HeifContext): HeifImageHandle | HeifError;
    heif_image_handle_get_width(handle: HeifImageHandle): number;
    heif_image_handle_get_height(handle: HeifImageHandle): number;
    heif_image_handle_has_alpha_channel(handle: HeifImageHandle): number;
    heif_image_handle_is_premultiplied_alpha(handle: HeifImageHandle): number;
    heif_js_decode_image2(
      handle: HeifImageHandle,
      space: unknown,
      chroma: unknown,
    ): Promise<HeifError | { code?: undefined; channels: HeifChannel[] }>;
  }
  /** Creates an instance with memory of its own. */
  // biome-ignore lint/style/noDefaultExport: this is how the package exports
  export default function libheif(): LibHeif;
}
