/** Properties of an entire recording, as its container states them. */
export interface MediaDetails {
  /** Seconds. */
  duration: number | undefined;
  /** Bits per second, of all streams together. */
  bitrate: number | undefined;
  /** ISO 8601 with a UTC offset: time of recording, or else of file creation. */
  takenAt: string | undefined;
  /** Make and model. */
  camera: string | undefined;
  /** True if the file contains the recording location. The location itself is never read out. */
  hasGps: boolean;
}

/** Fields of an ffprobe format that are read here. */
export interface RawFormat {
  duration?: string;
  start_time?: string;
  size?: string;
  bit_rate?: string;
  tags?: Readonly<Record<string, string>>;
}

const LONGEST_NAME = 100;
/** Tolerated difference between the durations of a file and its streams, in seconds. */
const LENGTH_TOLERANCE = 0.1;

/** Tags in order of preference. Apple and Android have their own names for QuickTime user data. */
const TIMES = ['com.apple.quicktime.creationdate', 'creation_time'];
const MAKES = ['com.apple.quicktime.make', 'com.android.manufacturer', 'make'];
const MODELS = ['com.apple.quicktime.model', 'com.android.model', 'model'];
const LOCATIONS = ['com.apple.quicktime.location.ISO6709', 'location', 'location-eng'];

/** Entries that ffprobe has to show. */
export const DETAIL_ENTRIES = [
  'format=duration,start_time,size,bit_rate',
  `format_tags=${[...TIMES, ...MAKES, ...MODELS, ...LOCATIONS].join(',')}`,
];

/**
 * Reads the properties that a container states.
 * @param duration in seconds, if it is known better than the container states
 */
export function readDetails(format: RawFormat = {}, duration = readNumber(format.duration)): MediaDetails {
  const { tags = {} } = format;
  const first = (names: readonly string[]) => names.map((name) => tags[name]?.trim()).find(Boolean);
  const make = first(MAKES);
  const model = first(MODELS);
  const isNamed = make && model?.toLowerCase().startsWith(make.toLowerCase());
  const camera = [isNamed ? undefined : make, model].filter(Boolean).join(' ');
  return {
    duration,
    bitrate: bitrateOf(format, duration),
    takenAt: TIMES.map((name) => readTime(tags[name])).find(Boolean),
    camera: camera.replace(/[\p{Cc}\s]+/gu, ' ').slice(0, LONGEST_NAME) || undefined,
    hasGps: first(LOCATIONS) !== undefined,
  };
}

/** Returns the bit rate. ffprobe divides by the claimed duration. */
function bitrateOf({ duration: claimed, size, bit_rate }: RawFormat, seconds: number | undefined): number | undefined {
  const bytes = readNumber(size);
  const isBelieved = Math.abs((readNumber(claimed) ?? Number.POSITIVE_INFINITY) - (seconds ?? 0)) < LENGTH_TOLERANCE;
  return seconds && bytes !== undefined && !isBelieved ? Math.round((8 * bytes) / seconds) : readNumber(bit_rate);
}

/**
 * Parses `2024-05-01T12:00:00+0200` or `2024-05-01T10:00:00.000000Z`, drops the fraction and adds a colon to the
 * offset.
 */
function readTime(text: string | undefined): string | undefined {
  const [, time, offset = ''] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:?\d\d)$/.exec(text ?? '') ?? [];
  const zone = offset.replace(/(\d\d)(\d\d)$/, '$1:$2');
  // The epochs of QuickTime (1904) and Unix mean that the clock was never set.
  return time && time >= '1970-01-02' && !Number.isNaN(Date.parse(time + zone)) ? time + zone : undefined;
}

/** Parses a number of ffprobe, which writes `N/A` for unknown values. */
export function readNumber(text: string | undefined): number | undefined {
  const value = Number(text ?? Number.NaN);
  return Number.isFinite(value) ? value : undefined;
}
