import type { components, operations } from '../api-types.ts';
import { type Command, SERVICE_HELP, SERVICE_OPTIONS, text, UsageError } from './command.ts';
import { jsonText, plain, quote } from './printable.ts';
import { requestJson, type Service, serviceOf } from './service.ts';

type ApiKey = components['schemas']['ApiKey'];
type Created = operations['createApiKey']['responses'][200]['content']['application/json']['apiKey'];

const DAY_SECONDS = 86_400;

export const keys: Command = {
  help: `darkroom keys list
darkroom keys create [--name <name>] [--permissions read,upload,manage,admin] [--days <days>]
                     [--remaining <requests>] [--rate-limit <requests>/<seconds>]
darkroom keys revoke <id>

Lists, creates and revokes API keys. A new key is printed to the standard output, once and alone; read only, 90 days and no
limits by default. A revoked key cannot be restored.

  --json         list and create: an object for each key, in a line of its own
${SERVICE_HELP}

Needs DARKROOM_KEY with the permission "admin".`,
  options: {
    ...SERVICE_OPTIONS,
    name: { type: 'string' },
    permissions: { type: 'string' },
    days: { type: 'string' },
    remaining: { type: 'string' },
    'rate-limit': { type: 'string' },
    json: { type: 'boolean' },
  },
  async run([act, id, ...more], values, env) {
    if (act === undefined || !['list', 'create', 'revoke'].includes(act)) {
      throw new UsageError(`Expected list, create or revoke, received ${act === undefined ? 'nothing' : quote(act)}.`);
    }
    if (more.length > 0 || (id === undefined) === (act === 'revoke')) {
      throw new UsageError(`Expected ${act === 'revoke' ? 'the id of a key' : 'nothing'} after "${act}".`);
    }
    const body = keyOptionsOf(values);
    const isJson = values.json === true;
    const service = serviceOf(values, env);
    if (act === 'list') await list(service, isJson);
    else if (act === 'create') await create(service, body, isJson);
    else await revoke(service, id ?? '');
    return true;
  },
};

/** Options of a new key: by default of little power, unlike those of the API. The service checks names, permissions and the size of limits. */
function keyOptionsOf({ name, permissions = 'read', days = '90', ...limits }: Parameters<Command['run']>[1]): object {
  const lasts = text(days) ?? '';
  if (!/^[1-9]\d{0,4}$/.test(lasts)) {
    throw new UsageError(`Expected a number of days after --days, received ${quote(lasts)}.`);
  }
  return {
    name: text(name),
    permissions: text(permissions)
      ?.split(',')
      .map((one) => one.trim()),
    expiresIn: Number(lasts) * DAY_SECONDS,
    remaining: parseQuota(text(limits.remaining)),
    rateLimit: parseRateLimit(text(limits['rate-limit'])),
  };
}

function parseQuota(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (!/^\d{1,15}$/.test(given)) {
    throw new UsageError(`Expected a number of requests after --remaining, received ${quote(given)}.`);
  }
  return Number(given);
}

function parseRateLimit(given: string | undefined): { max: number; window: number } | undefined {
  if (given === undefined) return undefined;
  const [, max, window] = /^([1-9]\d{0,14})\/([1-9]\d{0,14})$/.exec(given) ?? [];
  if (max === undefined) {
    throw new UsageError(`Expected <requests>/<seconds> after --rate-limit, received ${quote(given)}.`);
  }
  return { max: Number(max), window: Number(window) };
}

async function list(service: Service, isJson: boolean): Promise<void> {
  const { keys: all } = (await requestJson(service, 'GET', '/api-keys/list')) as { keys: ApiKey[] };
  for (const key of all) process.stdout.write(`${isJson ? jsonText(key) : lineOf(key)}\n`);
}

function lineOf({ id, name, start, permissions, enabled, expiresAt }: ApiKey): string {
  const state = enabled ? `ends ${expiresAt ?? 'never'}` : 'disabled';
  return [id, name, `${start}…`, permissions.join(',') || 'none', state].map(plain).join('\t');
}

async function create(service: Service, body: object, isJson: boolean): Promise<void> {
  const { apiKey } = (await requestJson(service, 'POST', '/api-keys/create', { json: body })) as { apiKey: Created };
  process.stdout.write(`${isJson ? jsonText(apiKey) : plain(apiKey.key)}\n`);
  const { id, permissions, expiresAt } = apiKey;
  if (!isJson) {
    const terms = `Id ${id}, permissions ${permissions.join(', ')}, ends ${expiresAt ?? 'never'}.`;
    process.stderr.write(`It is shown only now. ${plain(terms)}\n`);
  }
}

async function revoke(service: Service, id: string): Promise<void> {
  await requestJson(service, 'DELETE', `/api-keys/${encodeURIComponent(id)}`);
  process.stderr.write(`The key ${plain(id)} was revoked.\n`);
}
