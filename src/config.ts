import { z } from 'zod';
import { arrange } from './config/arrange.ts';
import { nearMisses } from './config/near-misses.ts';
import { listSettings, type Setting } from './config/settings.ts';
import { SECRETS, variables } from './config/variables.ts';

/** All of a group are given, or none. */
const GROUPS = [
  ['ADMIN_EMAIL', 'ADMIN_PASSWORD'],
  ['IMGPROXY_KEY', 'IMGPROXY_SALT'],
  ['STORAGE_BUCKET_NAME', 'STORAGE_ACCESS_KEY_ID', 'STORAGE_SECRET_ACCESS_KEY'],
] as const;

/** The environment is wrong: one line for each wrong variable. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly lines: readonly string[];
  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}

export interface Config extends ReturnType<typeof arrange> {
  /** All variables, to be shown. */
  settings: readonly Setting[];
}

/**
 * Reads and validates the whole environment at once. An empty variable counts as absent.
 * @throws ConfigError with one line for each wrong variable: its name, what was expected, what was received.
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = z.object(variables).safeParse(present);
  const lines = [...(result.success ? [] : wrongVariables(result.error, present)), ...crossChecks(present)];
  if (!result.success || lines.length > 0) throw new ConfigError(lines);
  return deepFreeze({ ...arrange(result.data), settings: listSettings(present) });
}

/** A line for each variable that nobody reads and that was probably meant to be one of ours. */
export function misspelledVariables(environment: NodeJS.ProcessEnv = process.env): string[] {
  const misses = nearMisses(Object.keys(environment), Object.keys(variables));
  return misses.map(({ name, meant }) => `${name}: there is no such setting; is ${meant} meant?`);
}

function wrongVariables(error: z.ZodError, present: NodeJS.ProcessEnv): string[] {
  const names = [...new Set(error.issues.map((issue) => String(issue.path[0])))];
  return names.map((name) => `${name}: expected ${expectedOf(name)}, received ${received(name, present[name])}`);
}

/** What a variable has to look like. The schema of an optional variable, or of one with a default, wraps that of its value. */
function expectedOf(name: string): string {
  const schema: z.core.$ZodType = variables[name as keyof typeof variables];
  const isWrapper = schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional;
  const descriptions = (isWrapper ? [schema, schema.unwrap()] : [schema]).map(
    (one) => z.globalRegistry.get(one)?.description,
  );
  return descriptions.find((description) => description !== undefined) ?? 'another value';
}

function received(name: string, value: string | undefined): string {
  if (value === undefined) return 'nothing';
  return SECRETS.includes(name) ? `a value of ${value.length} characters` : JSON.stringify(value);
}

function crossChecks(values: NodeJS.ProcessEnv): string[] {
  const lines: string[] = [];
  for (const group of GROUPS) {
    const given = group.find((name) => values[name]);
    const missing = given === undefined ? [] : group.filter((name) => !values[name]);
    lines.push(...missing.map((name) => `${name}: expected a value because ${given} is set, received nothing`));
  }
  if (values.DATABASE_URL && !values.STORAGE_BUCKET_NAME) {
    lines.push('STORAGE_BUCKET_NAME: expected a bucket for the files because DATABASE_URL is set, received nothing');
  }
  if (values.DATABASE_SESSION_URL && !values.DATABASE_URL) {
    lines.push('DATABASE_URL: expected a value because DATABASE_SESSION_URL is set, received nothing');
  }
  if (values.JOB_WORKER === 'false' && !values.DATABASE_URL) {
    lines.push('JOB_WORKER: expected true because without DATABASE_URL no other machine does jobs, received "false"');
  }
  if (values.CDN_PURGE_URL && values.CDN_TAGS !== 'true') {
    lines.push('CDN_TAGS: expected true because CDN_PURGE_URL is set and a CDN purges by tags, received another value');
  }
  const [lonely] = ['CDN_PURGE_TOKEN', 'CDN_PURGE_STYLE'].filter((name) => values[name]);
  if (lonely && !values.CDN_PURGE_URL) {
    lines.push(`CDN_PURGE_URL: expected a value because ${lonely} is set, received nothing`);
  }
  if (values.DELIVERY_MODE === 'signed' && !values.API_SECRET) {
    lines.push('API_SECRET: expected a value because DELIVERY_MODE is signed, received nothing');
  }
  return [...lines, ...compatChecks(values)];
}

/** What is signed with the keys of others can be checked, or not. */
function compatChecks(values: NodeJS.ProcessEnv): string[] {
  const lines: string[] = [];
  const services = (values.COMPAT ?? '').split(',').map((name) => name.trim());
  const isSigned = values.DELIVERY_MODE === 'signed';
  if (isSigned && services.includes('cloudinary')) {
    lines.push('COMPAT: expected no cloudinary because DELIVERY_MODE is signed and its URLs cannot be checked');
  }
  if (isSigned && services.includes('imgproxy') && !values.IMGPROXY_KEY) {
    lines.push(
      'IMGPROXY_KEY: expected a value because DELIVERY_MODE is signed and COMPAT has imgproxy, received nothing',
    );
  }
  const [keys, salts] = [values.IMGPROXY_KEY, values.IMGPROXY_SALT].map((value) => value?.split(',').length);
  if (keys !== undefined && salts !== undefined && keys !== salts) {
    lines.push(`IMGPROXY_SALT: expected as many salts as there are keys (${keys}), received ${salts}`);
  }
  if (keys !== undefined && !services.includes('imgproxy')) {
    lines.push('COMPAT: expected imgproxy because IMGPROXY_KEY is set, received another value');
  }
  if (signsWithSecret(values)) {
    lines.push('IMGPROXY_KEY: expected other keys than API_SECRET, which signs texts of other purposes, received it');
  }
  return lines;
}

/** True where imgproxy's signatures would be those of our own texts. */
function signsWithSecret({ API_SECRET = '', IMGPROXY_KEY = '' }: NodeJS.ProcessEnv): boolean {
  const secret = Buffer.from(API_SECRET).toString('hex');
  return secret !== '' && IMGPROXY_KEY.split(',').some((key) => key.trim().toLowerCase() === secret);
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  return Object.freeze(value);
}
