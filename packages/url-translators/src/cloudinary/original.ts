import { Refused } from '../refusal.ts';
import { readAddress } from './address.ts';
import { splitExtension } from './extension.ts';

/** Default host of Cloudinary. */
const HOST = 'https://res.cloudinary.com';

/** Original of a Cloudinary URL, without its transformation. */
export interface Original {
  /** Decoded; without an extension except for raw files. */
  stem: string;
  /** URL of the unchanged upload. */
  url: string;
}

/** Returns the original of a delivery URL, even if it cannot be translated; undefined for other URLs. */
export function originalOf(url: string): Original | undefined {
  try {
    const { cloud, resource, path } = readAddress(url);
    const stem = resource === 'raw' ? path : splitExtension(path).stem;
    const names = [...(cloud === undefined ? [] : [cloud]), resource, 'upload', 'v1', ...stem.split('/')];
    return { stem, url: `${originOf(url)}/${names.map(encodeURIComponent).join('/')}` };
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

/** Hosts are short, and encoding one in other scripts takes quadratic time. */
const START = /^https?:\/\/[^/?#\\]{1,255}(?=[/?#]|$)/;

function originOf(url: string): string {
  const whole = url.startsWith('//') ? `https:${url}` : url;
  const start = START.exec(whole)?.[0] ?? '';
  return URL.parse(start)?.origin ?? HOST;
}
