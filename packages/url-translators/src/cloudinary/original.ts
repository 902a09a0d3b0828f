import { Refused } from '../refusal.ts';
import { readAddress } from './address.ts';
import type { Resource } from './draft.ts';
import { splitExtension } from './extension.ts';

/** Where Cloudinary answers unless a URL says otherwise. */
const HOST = 'https://res.cloudinary.com';

/** The file that a Cloudinary URL shows, without what is made of it. */
export interface Original {
  resource: Resource;
  /** Decoded; without an extension but for raw files. */
  stem: string;
  /** Where Cloudinary delivers it as it was uploaded. */
  url: string;
}

/** Names the original of a delivery URL, also of one that cannot be translated; undefined for what is no such URL. */
export function originalOf(url: string): Original | undefined {
  try {
    const { cloud, resource, path } = readAddress(url);
    const stem = resource === 'raw' ? path : splitExtension(path).stem;
    const names = [...(cloud === undefined ? [] : [cloud]), resource, 'upload', 'v1', ...stem.split('/')];
    return { resource, stem, url: `${originOf(url)}/${names.map(encodeURIComponent).join('/')}` };
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
