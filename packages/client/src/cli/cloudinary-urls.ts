/** A delivery URL of Cloudinary in a text. */
export interface FoundUrl {
  /** Position in the text. */
  start: number;
  end: number;
  /** As a browser would request it. */
  url: string;
  /** True if its slashes are written `\/`, as some JSON writers do. */
  hasEscapes: boolean;
  /** True if code assembles it, so that it cannot be read here. */
  isTemplate: boolean;
}

export interface Search {
  /** Only match URLs of this cloud, and those without a cloud name. */
  cloud: string | undefined;
  /** Custom host of Cloudinary. */
  host: string | undefined;
}

/** URLs in HTML, CSS, Markdown, JSON and code contain no other characters. */
const URLS = /(?:https?:)?\\?\/\\?\/([\w.-]+(?::\d+)?)((?:\\?\/)(?:[^\s"'`<>()[\]{}\\#]|\\\/)*)/gi;
const HOSTS = /^(?:(?:[\w-]+-)?res(?:-\d)?\.cloudinary\.com|cloudinary-a\.akamaihd\.net)$/i;
const KINDS = ['image', 'video', 'raw', 'iu'];
/** Entities that end an attribute and are not part of a URL. */
const ENTITIES = /&(?:quot|apos|lt|gt|#0*3[49]|#x0*2[27]);/i;

/**
 * Finds the URLs in a text, in linear time.
 * @param text its bytes as latin1, so that positions are those in the file
 */
export function findUrls(text: string, { cloud, host }: Search): FoundUrl[] {
  const found: FoundUrl[] = [];
  for (const match of text.matchAll(URLS)) {
    const [whole, at = ''] = match;
    const isOurs = HOSTS.test(at) || at.toLowerCase() === host;
    const written = trim(whole);
    const url = browserUrl(written);
    if (!isOurs || !isOfCloud(url, cloud)) continue;
    const end = match.index + written.length;
    const isTemplate = text[end] === '{' || (text[end] === '$' && text[end + 1] === '{') || written.endsWith('$');
    found.push({ start: match.index, end, url, hasEscapes: written.includes('\\/'), isTemplate });
  }
  return found;
}

/** Removes what follows a URL in a sentence, list or attribute. */
function trim(written: string): string {
  const entity = written.search(ENTITIES);
  return (entity < 0 ? written : written.slice(0, entity)).replace(/[.,;:!?*]{1,9}$/, '');
}

function browserUrl(written: string): string {
  const url = Buffer.from(written.replaceAll('\\/', '/'), 'latin1').toString('utf8');
  return url.startsWith('//') ? `https:${url}` : url;
}

/** True for delivery URLs of this cloud. */
function isOfCloud(url: string, cloud: string | undefined): boolean {
  const [, , , first = '', second = ''] = url.split('/', 5);
  if (KINDS.includes(first)) return true;
  return KINDS.includes(second) && (cloud === undefined || first === cloud);
}
