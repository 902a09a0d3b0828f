/** Settings that are set together or not at all. */
const GROUPS = [
  ['ADMIN_EMAIL', 'ADMIN_PASSWORD'],
  ['IMGPROXY_KEY', 'IMGPROXY_SALT'],
  ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'],
  ['STORAGE_BUCKET_NAME', 'STORAGE_ACCESS_KEY_ID', 'STORAGE_SECRET_ACCESS_KEY'],
] as const;

/** Checks the rules over several settings. @returns a line for each broken rule */
export function checkRules(environment: NodeJS.ProcessEnv): string[] {
  const checks = [groupErrors, databaseErrors, cdnErrors, signingErrors, imgproxyErrors, signInErrors];
  return checks.flatMap((check) => check(environment));
}

function groupErrors(environment: NodeJS.ProcessEnv): string[] {
  return GROUPS.flatMap((group) => {
    const present = group.find((name) => environment[name]);
    if (present === undefined) return [];
    const missing = group.filter((name) => !environment[name]);
    return missing.map((name) => `${name}: expected a value because ${present} is set, received nothing`);
  });
}

/** Settings that have no effect without an identity provider. */
const OF_OIDC = ['OIDC_NAME', 'OIDC_SCOPES', 'OIDC_ROLES_CLAIM', 'OIDC_ROLES', 'OIDC_DEFAULT_ROLE'] as const;

function signInErrors(environment: NodeJS.ProcessEnv): string[] {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, PASSWORD_SIGN_IN } = environment;
  if (OIDC_ISSUER || OIDC_CLIENT_ID || OIDC_CLIENT_SECRET) return [];
  const lines: string[] = [];
  const present = OF_OIDC.find((name) => environment[name]);
  if (present) lines.push(`OIDC_ISSUER: expected a value because ${present} is set, received nothing`);
  if (PASSWORD_SIGN_IN === 'owners' || PASSWORD_SIGN_IN === 'false') {
    lines.push(`OIDC_ISSUER: expected a value because PASSWORD_SIGN_IN is ${PASSWORD_SIGN_IN}, received nothing`);
  }
  return lines;
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

function signingErrors(environment: NodeJS.ProcessEnv): string[] {
  const { DELIVERY_MODE, API_SECRET, API_SECRET_OLD, COMPAT, IMGPROXY_KEY } = environment;
  const lines: string[] = [];
  if (API_SECRET_OLD && !API_SECRET) {
    lines.push('API_SECRET: expected a value because API_SECRET_OLD is set, received nothing');
  }
  if (DELIVERY_MODE !== 'signed') return lines;
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
