import { signedUrl } from '../sign.ts';
import { baseOf, type Command, SERVICE_HELP, SERVICE_OPTIONS, text, UsageError } from './command.ts';
import { quote } from './printable.ts';

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

export const sign: Command = {
  help: `darkroom sign <path> [transformation]

Prints a signed URL of a file, or of what a transformation makes of it. Both are written as they are, not encoded:

  darkroom sign 'private/my plan.png' w_800,f_webp --expires 1h

  --expires <time>   when it ends: after 90s, 30m, 1h or 7d, or at a date (2026-12-24, 2026-12-24T18:00:00Z); never by default
${SERVICE_HELP}; without either
                     the URL begins with /authenticated/

Needs DARKROOM_SECRET, the API_SECRET of the service. It sends no request.`,
  options: { ...SERVICE_OPTIONS, expires: { type: 'string' } },
  async run([path, transformation = '', ...more], values, env) {
    if (path === undefined) throw new UsageError('Expected the path of a file, received nothing.');
    if (more.length > 0) throw new UsageError('Expected a path and a transformation, received more.');
    const secret = env.DARKROOM_SECRET ?? '';
    if (secret === '') throw new UsageError('Expected the API_SECRET of the service in DARKROOM_SECRET.');
    const expires = expiryOf(text(values.expires));
    process.stdout.write(`${await signed(secret, path, transformation, { expires, base: baseOf(values, env) })}\n`);
    return true;
  },
};

/** @throws UsageError for a path that no file has */
async function signed(...given: Parameters<typeof signedUrl>): Promise<string> {
  try {
    return await signedUrl(...given);
  } catch (error) {
    throw error instanceof TypeError ? new UsageError(error.message) : error;
  }
}

/** @throws UsageError for an invalid or past time */
function expiryOf(given: string | undefined): Date | undefined {
  if (given === undefined) return undefined;
  const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(given) ?? [];
  const at = new Date(count === undefined ? given : Date.now() + Number(count) * (UNITS[unit] ?? 0) * 1000);
  if (at.getTime() > Date.now()) return at;
  throw new UsageError(`Expected a time to come after --expires, such as 1h or 2026-12-24, received ${quote(given)}.`);
}
