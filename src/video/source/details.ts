/** What a container says about a recording as a whole. */
export interface MediaDetails {
  /** Seconds. */
  duration: number | undefined;
  /** Bits a second, of all streams together. */
  bitrate: number | undefined;
  /** ISO 8601 with an offset from UTC: when it was recorded, or else when the file was made. */
  takenAt: string | undefined;
  /** Make and model. */
  camera: string | undefined;
  /** Whether the file says where it was recorded. The place itself goes nowhere. */
  hasGps: boolean;
}

/** A format as ffprobe writes it, as far as it is read here. */
export interface RawFormat {
  duration?: string;
  start_time?: string;
  size?: string;
  bit_rate?: string;
  tags?: Readonly<Record<string, string>>;
}

const LONGEST_NAME = 100;
/** Seconds by which the durations of a file and of its streams may differ. */
const LENGTH_TOLERANCE = 0.1;

/** Tags in the order of preference. Apple and Android have names of their own for what QuickTime has in its user data. */
const TIMES = ['com.apple.quicktime.creationdate', 'creation_time'];
const MAKES = ['com.apple.quicktime.make', 'com.android.manufacturer', 'make'];
const MODELS = ['com.apple.quicktime.model', 'com.android.model', 'model'];
const LOCATIONS = ['com.apple.quicktime.location.ISO6709', 'location', 'location-eng'];

/** What ffprobe has to be asked for. */
export const DETAIL_ENTRIES = [
  'format=duration,start_time,size,bit_rate',
  `format_tags=${[...TIMES, ...MAKES, ...MODELS, ...LOCATIONS].join(',')}`,
];

/**
 * Reads what a container says.
 * @param duration in seconds, where it is known better than the container says
 */
export function readDetails(format: RawFormat = {}, duration = readNumber(format.duration)): MediaDetails {
  const { tags = {} } = format;
  const first = (names: readonly string[]) => names.map((name) => tags[name]?.trim()).find(Boolean);
  const [make, model] = [first(MAKES), first(MODELS)];
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

/** ffprobe divides by the duration that the file claims. */
function bitrateOf({ duration: claimed, size, bit_rate }: RawFormat, seconds: number | undefined): number | undefined {
  const bytes = readNumber(size);
  const isBelieved = Math.abs((readNumber(claimed) ?? Number.POSITIVE_INFINITY) - (seconds ?? 0)) < LENGTH_TOLERANCE;
  return seconds && bytes !== undefined && !isBelieved ? Math.round((8 * bytes) / seconds) : readNumber(bit_rate);
}

/** `2024-05-01T12:00:00+0200` or `2024-05-01T10:00:00.000000Z`, without the fraction and with a colon in the offset. */
function readTime(text: string | undefined): string | undefined {
  const [, time, offset = ''] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:?\d\d)$/.exec(text ?? '') ?? [];
  const zone = offset.replace(/(\d\d)(\d\d)$/, '$1:$2');
  // Zero of the clock of QuickTime (1904) or of Unix means that nobody set it.
  return time && time >= '1970-01-02' && !Number.isNaN(Date.parse(time + zone)) ? time + zone : undefined;
}

/** A number in a text of ffprobe, which writes `N/A` for what it does not know. */
export function readNumber(text: string | undefined): number | undefined {
  const value = Number(text ?? Number.NaN);
  return Number.isFinite(value) ? value : undefined;
}
