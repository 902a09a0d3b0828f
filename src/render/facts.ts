import type { Lab } from '../lab.ts';

/** Facts about an original, for the catalog and `f_json`; plain data, null where unknown or not applicable. */
export interface Facts {
  /** Of all bytes, in hexadecimal. */
  sha256: string;
  /** Of images and videos: in pixels, upright, as displayed. */
  width: number | null;
  height: number | null;
  /** In seconds: of audio, videos and animations. */
  duration: number | null;
  /** Of animations, and of videos that count them. */
  frames: number | null;
  /** True if an image has transparent pixels. An opaque alpha channel does not count. */
  hasAlpha: boolean | null;
  /**
   * Format of an image (`jpeg`, `png`, `webp`, `avif`, `gif`, `heic`, `psd`), codec of video or audio (`h264`, `opus`).
   */
  codec: string | null;
  /** Bits a second, all streams together. */
  bitrate: number | null;
  /** Of videos: average frames a second, and the turn of the stored image for display in degrees (-180 to 180). */
  frameRate: number | null;
  rotation: number | null;
  /** Of videos: true with an audio stream, and its codec. */
  hasSound: boolean | null;
  soundCodec: string | null;
  /**
   * ISO 8601 in seconds: with an offset from UTC (`Z`, `+02:00`) where the file states it, else in the local time of
   * the camera.
   */
  takenAt: string | null;
  /** The same in milliseconds since 1970; a local time counts as if it were UTC. */
  takenAtMs: number | null;
  /** Make and model. */
  camera: string | null;
  /** True if the file states a position. The position itself is never read. */
  hasGps: boolean | null;
  /** As `#rrggbb`. Those of a video are of its first frame, and so are the hashes. */
  dominantColour: string | null;
  /** The same in CIE L*a*b*, D65. */
  dominantLab: Lab | null;
  borderColour: string | null;
  /** At most five that look different, the commonest first. */
  palette: string[];
  /** In base64. */
  thumbHash: string | null;
  blurHash: string | null;
  /** 16 hexadecimal digits; null for an image of one colour, too. */
  perceptualHash: string | null;
}

export const NO_FACTS: Omit<Facts, 'sha256'> = {
  width: null,
  height: null,
  duration: null,
  frames: null,
  hasAlpha: null,
  codec: null,
  bitrate: null,
  frameRate: null,
  rotation: null,
  hasSound: null,
  soundCodec: null,
  takenAt: null,
  takenAtMs: null,
  camera: null,
  hasGps: null,
  dominantColour: null,
  dominantLab: null,
  borderColour: null,
  palette: [],
  thumbHash: null,
  blurHash: null,
  perceptualHash: null,
};
