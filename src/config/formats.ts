import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import { parsePath, ROOT, type StoragePath } from '../path.ts';

/** Formats of environment variables. Each has a description, as in "expected <description>". */

const number = (what: string, digits: RegExp) => (min: number, max: number) =>
  z
    .string()
    .regex(digits)
    .transform(Number)
    .refine((value) => value >= min && value <= max)
    .describe(`${what} from ${min} to ${max}`);

export const integer = number('a whole number', /^\d+$/);
/** With a fraction, as in `8.3`. */
export const decimal = number('a number', /^\d{1,9}(\.\d{1,9})?$/);

export const text = (description: string, min = 1, max = Number.POSITIVE_INFINITY) =>
  z.string().min(min).max(max).describe(description);

export const email = () => z.email().describe('an e-mail address');

/** Path of a file or folder, made absolute. */
export const path = (description: string) =>
  z
    .string()
    .min(1)
    .transform((value) => resolve(value))
    .describe(description);

/** Value of a header, as it is sent. */
export const headerValue = (description: string) =>
  z
    .string()
    .regex(/^[ -~]+$/)
    .describe(description);

export const oneOf = <const T extends readonly [string, ...string[]]>(words: T) =>
  z.enum(words).describe(`one of ${words.join(', ')}`);

export const boolean = () =>
  z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .describe('one of true, false');

/** Some of the allowed values, separated by commas; each once. */
export const listOf = <const T extends string>(words: readonly T[]) =>
  list()
    .refine((items): items is T[] => items.every((item) => words.some((word) => word === item)))
    .transform((items) => [...new Set(items)])
    .describe(`a list of ${words.join(', ')}, separated by commas`);

export const url = () =>
  z
    .url({ protocol: /^https?$/ })
    .refine((text) => !/[?#]/.test(text))
    .describe('an http or https URL');

/** A URL without slashes at its end. */
export const baseUrl = () =>
  url()
    .transform((text) => text.replace(/(?<!\/)\/+$/, ''))
    .describe('an http or https URL');

/** URL that requests are sent to. `fetch` refuses URLs with a user and a password. */
export const outgoingUrl = () =>
  z
    .url({ protocol: /^https?$/ })
    .refine((text) => !text.includes('#') && URL.canParse(text) && !new URL(text).username && !new URL(text).password)
    .describe('an http or https URL without user, password and "#"');

/** Hosts for which http is as good as https. */
const OWN_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** Issuer of OpenID Connect, as it is written: a `/` at its end belongs to it. */
export const issuer = () =>
  z.string().refine(isIssuer).describe('an https URL without user, password, "?" and "#" (http only for localhost)');

function isIssuer(text: string): boolean {
  const url = /^https?:\/\/[^?#]+$/.test(text) ? URL.parse(text) : null;
  if (!url || url.username || url.password) return false;
  return url.protocol === 'https:' || OWN_HOSTS.includes(url.hostname);
}

/** Scopes, separated by spaces. */
export const scopes = () =>
  z
    .string()
    .transform((text) => [...new Set(text.split(' ').filter((scope) => scope !== ''))])
    .refine((items) => items.includes('openid') && items.every((item) => /^[!#-[\]-~]+$/.test(item)))
    .transform((items) => items.join(' '))
    .describe('scopes separated by spaces, one of which is openid');

/** `group=role` and `group=space:role`, separated by commas. A group may have several roles. */
export const claimedRoles = <const T extends string>(roles: readonly T[]) =>
  list()
    .transform((items) => items.map((item) => readClaimedRole(item, roles)))
    .refine((items) => items.every((item) => item !== undefined))
    .transform((items) => items.filter((item) => item !== undefined))
    .describe(`groups with roles (${roles.join(', ')}) such as media=editor,acme-team=acme:admin`);

function readClaimedRole<T extends string>(item: string, roles: readonly T[]) {
  const [, group, space = '', name] = /^(.+)=(?:([a-z0-9][a-z0-9-]{1,39}):)?([a-z]+)$/.exec(item) ?? [];
  const role = roles.find((one) => one === name);
  // The library is not a space: its roles are those of the installation.
  if (group === undefined || role === undefined || space === 'default') return undefined;
  return { group: group.trim(), space, role };
}

/** URL of a PostgreSQL database. */
export const databaseUrl = () =>
  z
    .string()
    .refine((text) => /^postgres(ql)?:\/\//.test(text) && URL.canParse(text) && new URL(text).pathname.length > 1)
    .describe('the URL of a PostgreSQL database, such as postgres://user:password@host:5432/darkroom');

/** Networks, separated by commas. Trusting the whole internet (/0) would accept any forged address. */
export const networks = () =>
  list()
    .refine((items) => items.every(isNetwork))
    .describe('addresses or networks such as 10.0.0.0/8 or fd00::/8 (from /1 on), separated by commas');

/** Origins as browsers write them, separated by commas; `*` is any. */
export const origins = () =>
  list()
    .refine((items) => items.every((item) => item === '*' || isOrigin(item)))
    .describe('origins such as https://www.example.com, separated by commas, or *');

/** `name=transformation` pairs, separated by `;`. */
export const presets = () =>
  z
    .string()
    .transform((value) => value.split(';').flatMap((pair) => (pair.trim() === '' ? [] : [pair.trim().split('=')])))
    .refine((pairs) => pairs.every((pair) => pair.length === 2 && /^[\w-]+$/.test(pair[0] ?? '') && pair[1]))
    .refine((pairs) => new Set(pairs.map(([name]) => name)).size === pairs.length)
    .transform((pairs): Readonly<Record<string, string>> => Object.fromEntries(pairs))
    .describe('presets such as thumb=w_200,h_200;hero=w_1600, each name (letters, digits, "-", "_") once');

/** Texts without commas, separated by commas. */
export const secrets = (minLength: number, max: number) =>
  list()
    .refine((items) => items.length <= max && items.every((item) => item.length >= minLength))
    .describe(`at most ${max} texts of at least ${minLength} characters, separated by commas`);

/** Secret bytes in hexadecimal digits; several while keys are rotated. */
export const hexadecimal = () =>
  list()
    .refine((items) => items.length > 0 && items.every((item) => /^([0-9a-f]{2}){1,256}$/i.test(item)))
    .describe('bytes in hexadecimal digits, or several of these separated by commas');

/** Heights of videos in pixels, separated by commas: sorted, each once. */
export const heights = () =>
  list()
    .refine((items) => items.length > 0 && items.length <= 10)
    .refine((items) => items.every((item) => /^\d{2,5}$/.test(item) && Number(item) >= 16 && Number(item) <= 16_384))
    .transform((items) => [...new Set(items.map(Number))].sort((a, b) => a - b))
    .describe('one to ten heights from 16 to 16384, separated by commas');

/** Common prefix of the keys in a bucket, with or without a `/` at its end. */
export const keyPrefix = () =>
  z
    .string()
    .refine((value) => /^([\w.!*'()-]+(\/[\w.!*'()-]+)*\/?)?$/.test(value) && Buffer.byteLength(value) <= 200)
    .transform((value) => (value === '' || value.endsWith('/') ? value : `${value}/`))
    .describe('a key prefix such as media or sites/one');

/** `folder=URL` pairs, separated by commas; sorted by the length of the folder's path, longest first. */
export const folderUrls = () =>
  list()
    .transform((items) => items.map(readFolderUrl))
    .refine(
      (pairs) => pairs.length <= MAX_FOLDER_URLS && new Set(pairs.map((pair) => pair?.folder)).size === pairs.length,
    )
    .refine((pairs) => pairs.every((pair) => pair !== undefined))
    .transform((pairs) => pairs.filter((pair) => pair !== undefined).sort((a, b) => b.folder.length - a.folder.length))
    .describe(
      `up to ${MAX_FOLDER_URLS} folders with http or https URLs, such as photos=https://old.example.com/uploads, ` +
        'separated by commas; =https://... is for all folders',
    );

const MAX_FOLDER_URLS = 20;

function readFolderUrl(item: string): { folder: StoragePath; url: string } | undefined {
  const [folder = '', ...rest] = item.split('=');
  const text = rest.join('=');
  const url = /^https?:\/\//.test(text) && !/[?#]/.test(text) ? URL.parse(text) : null;
  if (!url || url.username || url.password) return undefined;
  try {
    return { folder: folder === '' ? ROOT : parsePath(folder), url: url.href.replace(/\/$/, '') };
  } catch {
    return undefined;
  }
}

const list = () =>
  z.string().transform((value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );

function isOrigin(item: string): boolean {
  return /^https?:\/\//.test(item) && URL.canParse(item) && new URL(item).origin === item;
}

function isNetwork(item: string): boolean {
  const [address = '', bits = '1', ...rest] = item.split('/');
  const mostBits = isIP(address) === 4 ? 32 : 128;
  if (isIP(address) === 0 || rest.length > 0) return false;
  return /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= mostBits;
}
