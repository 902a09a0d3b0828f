/** Settings that are set together or not at all. */
const GROUPS = [
  ['ADMIN_EMAIL', 'ADMIN_PASSWORD'],
  ['IMGPROXY_KEY', 'IMGPROXY_SALT'],
  ['STORAGE_BUCKET_NAME', 'STORAGE_ACCESS_KEY_ID', 'STORAGE_SECRET_ACCESS_KEY'],
] as const;

/** Checks the rules over several settings. @returns a line for each broken rule */
export function checkRules(environment: NodeJS.ProcessEnv): string[] {
  return [groupErrors, databaseErrors, cdnErrors, signingErrors, imgproxyErrors].flatMap((check) => check(environment));
}

function groupErrors(environment: NodeJS.ProcessEnv): string[] {
  return GROUPS.flatMap((group) => {
    const present = group.find((name) => environment[name]);
    if (present === undefined) return [];
    const missing = group.filter((name) => !environment[name]);
    return missing.map((name) => `${name}: expected a value because ${present} is set, received nothing`);
  });
}

function databaseErrors({
  DATABASE_URL,
  DATABASE_SESSION_URL,
  STORAGE_BUCKET_NAME,
  JOB_WORKER,
}: NodeJS.ProcessEnv): string[] {
  const lines: string[] = [];
  if (DATABASE_URL && !STORAGE_BUCKET_NAME) {
    lines.push('STORAGE_BUCKET_NAME: expected a bucket for the files because DATABASE_URL is set, received nothing');
  }
  if (DATABASE_SESSION_URL && !DATABASE_URL) {
    lines.push('DATABASE_URL: expected a value because DATABASE_SESSION_URL is set, received nothing');
  }
  if (JOB_WORKER === 'false' && !DATABASE_URL) {
    lines.push('JOB_WORKER: expected true because without DATABASE_URL no other node runs jobs, received "false"');
  }
  return lines;
}

function cdnErrors({ CDN_PURGE_URL, CDN_PURGE_TOKEN, CDN_PURGE_STYLE, CDN_TAGS }: NodeJS.ProcessEnv): string[] {
  if (CDN_PURGE_URL) {
    if (CDN_TAGS === 'true') return [];
    return ['CDN_TAGS: expected true because CDN_PURGE_URL is set and a CDN purges by tags, received another value'];
  }
  const without = (name: string) => [`CDN_PURGE_URL: expected a value because ${name} is set, received nothing`];
  if (CDN_PURGE_TOKEN) return without('CDN_PURGE_TOKEN');
  return CDN_PURGE_STYLE ? without('CDN_PURGE_STYLE') : [];
}

function signingErrors({ DELIVERY_MODE, API_SECRET, COMPAT, IMGPROXY_KEY }: NodeJS.ProcessEnv): string[] {
  if (DELIVERY_MODE !== 'signed') return [];
  const lines: string[] = [];
  if (!API_SECRET) lines.push('API_SECRET: expected a value because DELIVERY_MODE is signed, received nothing');
  const services = listOf(COMPAT);
  if (services.includes('cloudinary')) {
    lines.push('COMPAT: expected no cloudinary because DELIVERY_MODE is signed and its URLs cannot be checked');
  }
  if (services.includes('imgproxy') && !IMGPROXY_KEY) {
    lines.push(
      'IMGPROXY_KEY: expected a value because DELIVERY_MODE is signed and COMPAT has imgproxy, received nothing',
    );
  }
  return lines;
}

function imgproxyErrors({ API_SECRET, COMPAT, IMGPROXY_KEY, IMGPROXY_SALT }: NodeJS.ProcessEnv): string[] {
  if (!IMGPROXY_KEY) return [];
  const lines: string[] = [];
  const keys = IMGPROXY_KEY.split(',');
  const salts = IMGPROXY_SALT?.split(',');
  if (salts !== undefined && salts.length !== keys.length) {
    lines.push(`IMGPROXY_SALT: expected as many salts as there are keys (${keys.length}), received ${salts.length}`);
  }
  if (!listOf(COMPAT).includes('imgproxy')) {
    lines.push('COMPAT: expected imgproxy because IMGPROXY_KEY is set, received another value');
  }
  // With the secret as key, signatures of imgproxy URLs would also be valid for the service's own texts.
  const secret = API_SECRET && Buffer.from(API_SECRET).toString('hex');
  if (keys.some((key) => key.trim().toLowerCase() === secret)) {
    lines.push('IMGPROXY_KEY: expected other keys than API_SECRET, which signs texts of other purposes, received it');
  }
  return lines;
}

function listOf(text = ''): string[] {
  return text.split(',').map((item) => item.trim());
}
