import { randomBytes } from 'node:crypto';
import { access } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { findAccount } from './admin/find-account.ts';
import { importOpeninary } from './admin/import-openinary.ts';
import { COMMAND, createKey, DAYS, listKeys, revokeKey } from './admin/keys.ts';
import { type Report, reindex, verify } from './admin/maintenance.ts';
import { Refusal } from './admin/refusal.ts';
import { resetTwoFactor } from './admin/reset-two-factor.ts';
import { signUrl } from './admin/sign-url.ts';
import { auditSystem } from './audit/audit-rows.ts';
import { PASSWORD_LENGTH, resetPassword } from './auth/accounts.ts';
import { PERMISSIONS } from './auth/api-key.ts';
import { createKeyring, type Keyring } from './auth/keyring.ts';
import { notifyNodes } from './cluster/join.ts';
import { databaseUrl } from './config/formats.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { deleteAgreement } from './db/common-settings.ts';
import { copyDatabase } from './db/copy.ts';
import { openDatabase } from './db/open.ts';
import type { OpenDatabase } from './db/schema.ts';
import { quote } from './path.ts';
import { ADMIN } from './runtime/packed.ts';
import { plainLines } from './runtime/printable.ts';

const USAGE = `${ADMIN} <command>

  keys list                lists the API keys, without their values
  keys create [--name <name>] [--permissions ${PERMISSIONS.join(',')}] [--days <${DAYS.min} to ${DAYS.max}>]
              [--remaining <requests>] [--rate-limit <requests>/<seconds>]
                           creates an API key and prints it, once; read only, ${DAYS.standard} days and no limits by default
  keys revoke <id>         revokes a key permanently
  import-openinary <auth.db>
                           imports the API keys of Openinary's database, which is only read
  reset-password [--email <address>]
                           sets the password of an account from standard input, or a random one, and ends its sessions;
                           the address is needed when there are several accounts
  reset-two-factor [--email <address>]
                           turns two-factor authentication of an account off, for whoever lost the app and the backup codes
  migrate                  runs the migrations of the database, for DATABASE_MIGRATE=off
  migrate-database <url>   copies accounts, sessions, keys, jobs, settings, counters and the catalog from the file in DATA_DIR
                           into an empty PostgreSQL database; stop the service first
  change-settings          lets the next node start with other settings than the running ones (API_SECRET, STORAGE_BUCKET_NAME,
                           PRESETS, limits), which have to be equal on all nodes; restart the others after it
  reindex                  compares the storage with the catalog and has all files described again; metadata stay
  verify [--repair]        lists differences between storage, catalog and cache, and files whose names cannot be served; ends with 1
                           if there are any; --repair first updates the catalog from the storage and moves stored files without a
                           record into the trash as recovered/<id>
  sign <url path> [--expires <seconds>]
                           prints a signed delivery URL

The settings come from the environment, as those of the service: DATA_DIR or DATABASE_URL above all. The service may be running.`;

type Input = Readonly<Record<string, string | undefined>>;
interface Command {
  /** Description of the operand, for commands that need one. */
  operand?: string;
  options?: readonly string[];
  /** Options without a value. */
  flags?: readonly string[];
  run(config: Config, input: Input): Promise<string>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  'keys list': { run: (config) => withKeyring(config, listKeys) },
  'keys create': {
    options: ['name', 'permissions', 'days', 'remaining', 'rate-limit'],
    run: (config, input) => withKeyring(config, (keyring) => createKey(keyring, input)),
  },
  'keys revoke': {
    operand: 'the id of a key',
    run: (config, { operand = '' }) => withKeyring(config, (keyring) => revokeKey(keyring, operand)),
  },
  'import-openinary': {
    operand: "the path of Openinary's auth.db",
    run: (config, { operand = '' }) =>
      withKeyring(config, (keyring) => importOpeninary(keyring, operand, config.data.temp)),
  },
  'reset-password': {
    options: ['email'],
    run: (config, { email }) => withDatabase(config, (database) => changePassword(database, email)),
  },
  'reset-two-factor': {
    options: ['email'],
    run: (config, { email }) => withDatabase(config, (database) => resetTwoFactor(database, email)),
  },
  migrate: { run: migrate },
  'migrate-database': {
    operand: 'the URL of a PostgreSQL database',
    run: (config, { operand = '' }) => moveDatabase(config, operand),
  },
  'change-settings': { run: (config) => withDatabase(config, changeSettings) },
  reindex: { run: (config) => withDatabase(config, (database) => printReport(reindex(config, database))) },
  verify: {
    flags: ['repair'],
    run: (config, { repair }) =>
      withDatabase(config, (database) => printReport(verify(config, database, repair !== undefined))),
  },
  sign: { operand: 'a URL path', options: ['expires'], run: async (config, input) => signUrl(config, input) },
};

/** Opens the database of the service. A missing one is not created, because then DATA_DIR is wrong. */
async function withDatabase(
  { data, database: settings }: Config,
  work: (database: OpenDatabase) => Promise<string>,
): Promise<string> {
  if (settings.url === undefined) await assertExists(data);
  const database = await openDatabase({ file: data.database, ...settings });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

async function assertExists({ database, directory }: Config['data']): Promise<void> {
  await access(database).catch(() => {
    throw new Refusal(`No database in ${directory}. Set DATA_DIR as for the service.`);
  });
}

/** Opening a database migrates it. */
function migrate(config: Config): Promise<string> {
  const settings = { ...config, database: { ...config.database, migrate: 'auto' as const } };
  return withDatabase(settings, async ({ location }) => `The tables of ${location} are up to date.`);
}

async function changeSettings({ db }: OpenDatabase): Promise<string> {
  await deleteAgreement(db);
  return 'The next node that starts sets the settings for all. Restart the others after it.';
}

async function moveDatabase({ data }: Config, url: string): Promise<string> {
  const format = databaseUrl();
  if (!format.safeParse(url).success) throw new Refusal(`Expected ${format.description}.`);
  await assertExists(data);
  const from = await openDatabase({ file: data.database });
  try {
    const to = await openDatabase({ file: data.database, url });
    try {
      const copied = Object.entries(await copyDatabase(from, to)).map(([table, count]) => `${table}: ${count}`);
      return [`Copied from ${from.location} to ${to.location}, rows of each table:`, ...copied].join('\n');
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

function withKeyring(config: Config, work: (keyring: Keyring) => Promise<string>): Promise<string> {
  return withDatabase(config, (database) =>
    work(createKeyring({ database, onChange: () => notifyNodes(config, { kind: 'key' }) })),
  );
}

/** Sets the password of an account and ends its sessions. */
async function changePassword(database: OpenDatabase, email: string | undefined): Promise<string> {
  const user = await findAccount(database, email);
  const received = process.stdin.isTTY ? '' : (await text(process.stdin)).replace(/\r?\n$/, '');
  const password = received === '' ? randomBytes(15).toString('base64url') : received;
  if (password.length < PASSWORD_LENGTH.min || password.length > PASSWORD_LENGTH.max) {
    const { min, max } = PASSWORD_LENGTH;
    throw new Refusal(`Expected a password of ${min} to ${max} characters, received ${password.length}.`);
  }
  const within = auditSystem(COMMAND, () => ({ action: 'account.password_changed', target: user.id }));
  await resetPassword(database.db, user.id, password, within);
  const shown = received === '' ? `\nPassword: ${password}` : '';
  return `The password of ${user.email} was changed and all sessions were ended.${shown}`;
}

/** Prints a report. @throws Refusal with its text when it found problems */
async function printReport(work: Promise<Report>): Promise<string> {
  const { text: found, isGood } = await work;
  if (!isGood) throw new Refusal(found);
  return found;
}

async function run(args: readonly string[]): Promise<string> {
  if (args.includes('--help') || args.includes('-h')) return USAGE;
  const name = Object.keys(COMMANDS).find((command) => `${args.join(' ')} `.startsWith(`${command} `));
  const command = name === undefined ? undefined : COMMANDS[name];
  if (name === undefined || command === undefined) throw new Refusal(`Expected a command.\n\n${USAGE}`);
  const { options = [], flags = [] } = command;
  const known = { ...typed(options, 'string'), ...typed(flags, 'boolean') };
  const rest = args.slice(name.split(' ').length);
  const { values, positionals } = parseArgs({ args: rest, options: known, allowPositionals: true });
  const [operand, ...more] = positionals;
  if (more.length > 0 || (operand === undefined) !== (command.operand === undefined)) {
    const received = positionals.map(quote).join(' ') || 'nothing';
    throw new Refusal(`Expected ${command.operand ?? 'nothing'} after "${name}", received ${received}.`);
  }
  const input = Object.entries(values).map(([option, value]) => [option, String(value)]);
  return command.run(readConfig(), { ...Object.fromEntries(input), operand });
}

const typed = (names: readonly string[], type: 'string' | 'boolean') =>
  Object.fromEntries(names.map((name) => [name, { type }]));

try {
  process.stdout.write(`${plainLines(await run(process.argv.slice(2)))}\n`);
} catch (error) {
  const reason = error instanceof ConfigError ? error.lines.join('\n') : error instanceof Error ? error.message : error;
  process.stderr.write(`${plainLines(String(reason))}\n`);
  process.exit(1);
}
