/** A delivery URL of Cloudinary in a text. */
export interface FoundUrl {
  /** Where it stands in the text. */
  start: number;
  end: number;
  /** As a browser would ask for it. */
  url: string;
  /** Whether its slashes are written as in JSON by some programs, `\/`. */
  hasEscapes: boolean;
  /** Whether code puts it together, so that it cannot be read here. */
  isTemplate: boolean;
}

export interface Search {
  /** Only URLs of this cloud, and those that name none. */
  cloud: string | undefined;
  /** A host of one's own behind which Cloudinary answers. */
  host: string | undefined;
}

/** In HTML, CSS, Markdown, JSON and code nothing of a URL is beyond these. */
const URLS = /(?:https?:)?\\?\/\\?\/([\w.-]+(?::\d+)?)((?:\\?\/)(?:[^\s"'`<>()[\]{}\\#]|\\\/)*)/gi;
const HOSTS = /^(?:(?:[\w-]+-)?res(?:-\d)?\.cloudinary\.com|cloudinary-a\.akamaihd\.net)$/i;
const KINDS = ['image', 'video', 'raw', 'iu'];
/** What ends an attribute, and is no part of a URL. */
const ENTITIES = /&(?:quot|apos|lt|gt|#0*3[49]|#x0*2[27]);/i;

/**
 * Finds the URLs in a text, in linear time.
 * @param text its bytes as latin1, so that places in it are places in the file
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

/** Without what follows a URL in a sentence, a list or an attribute. */
function trim(written: string): string {
  const entity = written.search(ENTITIES);
  return (entity < 0 ? written : written.slice(0, entity)).replace(/[.,;:!?*]{1,9}$/, '');
}

function browserUrl(written: string): string {
  const url = Buffer.from(written.replaceAll('\\/', '/'), 'latin1').toString('utf8');
  return url.startsWith('//') ? `https:${url}` : url;
}

/** Whether a URL is one of delivery, and of this cloud. */
function isOfCloud(url: string, cloud: string | undefined): boolean {
  const [, , , first = '', second = ''] = url.split('/', 5);
  if (KINDS.includes(first)) return true;
  return KINDS.includes(second) && (cloud === undefined || first === cloud);
}
