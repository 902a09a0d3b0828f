import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { PASSWORD_LENGTH, resetPassword } from './auth/accounts.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { openDatabase } from './db/open.ts';
import { signDeliveryUrl } from './http/signed-url.ts';

const USAGE = `Expected one of:
  npm run admin -- reset-password [--email <address>]   the new password comes from standard input, or is made up
  npm run admin -- sign <url path> [--expires <seconds>]   prints a signed delivery URL`;

/** What was asked for cannot be done; the message says why. */
class Refusal extends Error {
  override name = 'Refusal';
}

/** Gives the account another password, ends its sessions, and says so. */
async function changePassword(config: Config, email: string | undefined): Promise<string> {
  const given = process.stdin.isTTY ? '' : (await text(process.stdin)).replace(/\r?\n$/, '');
  const password = given === '' ? randomBytes(15).toString('base64url') : given;
  if (password.length < PASSWORD_LENGTH.min || password.length > PASSWORD_LENGTH.max) {
    const { min, max } = PASSWORD_LENGTH;
    throw new Refusal(`Expected a password of ${min} to ${max} characters, received ${password.length}.`);
  }
  const database = await openDatabase({ file: config.data.database });
  try {
    const changed = await resetPassword({ db: database.db, email, password });
    if (changed === undefined) {
      throw new Refusal(email ? `There is no account with the address ${email}.` : 'There is no account yet.');
    }
    const shown = given === '' ? `\nPassword: ${password}` : '';
    return `The password of ${changed} was changed and all sessions were ended.${shown}`;
  } finally {
    database.close();
  }
}

function signUrl({ auth, http, limits }: Config, url: string | undefined, expires: string | undefined): string {
  if (auth.secret === undefined) throw new Refusal('Signing needs the setting API_SECRET, which is not set.');
  if (url === undefined) throw new Refusal(USAGE);
  if (expires !== undefined && !/^[1-9]\d{0,9}$/.test(expires)) {
    throw new Refusal(`Expected seconds after --expires, received ${expires}.`);
  }
  const path = url.replace(/^https?:\/\/[^/]*/, '').replace(/^\/?(api\/)?t\//, '');
  const until = expires === undefined ? undefined : Math.floor(Date.now() / 1000) + Number(expires);
  return (
    (http.publicUrl ?? '') + signDeliveryUrl(path.replace(/^\//, ''), { secret: auth.secret, limits, expires: until })
  );
}

async function run(args: readonly string[]): Promise<string> {
  const options = { email: { type: 'string' }, expires: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const [command, ...rest] = positionals;
  const config = readConfig();
  if (command === 'reset-password' && rest.length === 0) return changePassword(config, values.email);
  if (command === 'sign' && rest.length <= 1) return signUrl(config, rest[0], values.expires);
  throw new Refusal(USAGE);
}

try {
  process.stdout.write(`${await run(process.argv.slice(2))}\n`);
} catch (error) {
  const reason = error instanceof ConfigError ? error.lines.join('\n') : error instanceof Error ? error.message : error;
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}
