import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { badRequest, conflict, forbidden, type HttpProblem } from '../../errors.ts';
import type { Services } from '../../library-services.ts';
import { EXTRA_MEDIA_TYPES, MEDIA_TYPES } from '../../media.ts';
import { parseNewPath, quote, ROOT, type StoragePath } from '../../path.ts';
import { noSpace, type RulesPatch, type SpacePatch, type SpaceUpdate } from '../../spaces/manager.ts';
import { LIBRARY, MAX_PRIVATE_FOLDERS, type Space } from '../../spaces/space.ts';
import { callerOf } from '../admission/caller.ts';
import { requireOwnSpace, SPACE_ID } from '../admission/space.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../endpoints/endpoint.ts';
import { type AuditTrail, changedFields } from '../observe/audit-trail.ts';

const MAX_HOSTS = 20;
const MAX_PRESETS = 200;
const MAX_ENTRIES = 100;
const DAY_SECONDS = 24 * 60 * 60;
const MAX_KEEP_SECONDS = 30 * DAY_SECONDS;

/** Kinds, and MIME types of files. */
const TYPES = [
  ...new Set([...MEDIA_TYPES, ...Object.values(EXTRA_MEDIA_TYPES)].flatMap(({ kind, mime }) => [kind, mime])),
];

/** A name without a port. */
const HOST = /^[\w-]+(\.[\w-]+)*$/;
const ORIGIN = /^(\*|https?:\/\/[^/?#\s]+)$/;

const name = z.string().trim().min(1).max(100);
const path = z.string().max(1024);
const bytes = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);
const requests = z.number().int().min(1).max(1e9);
const privateFolders = z
  .array(path.min(1))
  .describe(
    `Nothing in them is delivered without a signature, a key or a session. At most ${MAX_PRIVATE_FOLDERS}; of the library as many in each space, and outside of all.`,
  );
const originals = z
  .enum(['open', 'protected'])
  .describe('`protected`: stored bytes need a signature, a key or a session; variants do not.');

const limits = {
  quota: z.strictObject({ bytes: bytes.nullish(), transferPerMonth: bytes.nullish() }).nullish(),
  rateLimit: z.strictObject({ perAddress: requests.nullish(), total: requests.nullish() }).nullish(),
};
const fields = {
  name: name.optional(),
  enabled: z.boolean().optional(),
  hosts: z.array(z.string().max(253).regex(HOST, 'expected a host name without a port')).max(MAX_HOSTS).optional(),
  delivery: z.enum(['open', 'presets', 'signed']).nullish(),
  originals: originals.nullish(),
  privateFolders: privateFolders.nullish(),
  presets: z
    .record(z.string().regex(/^[\w-]{1,100}$/, 'expected a name of letters, digits, _ and -'), z.string().min(1))
    .refine((presets) => Object.keys(presets).length <= MAX_PRESETS, `expected at most ${MAX_PRESETS} presets`)
    .nullish(),
  types: z.array(z.enum(TYPES)).max(MAX_ENTRIES).nullish().describe('Kinds (`image`) or MIME types.'),
  maxFileBytes: bytes.nullish(),
  cors: z
    .array(z.string().max(300).regex(ORIGIN, 'expected an origin such as https://example.com, or *'))
    .max(MAX_ENTRIES)
    .nullish(),
  ...limits,
};

const createBody = z.strictObject({
  id: z
    .string()
    .regex(SPACE_ID, 'expected 2 to 40 of a-z, 0-9 and -, not - first')
    .refine((id) => id !== LIBRARY, `expected another id than "${LIBRARY}"`),
  folder: path.optional().describe('Default: the id.'),
  ...fields,
  privateFolders: privateFolders.max(MAX_PRIVATE_FOLDERS).nullish(),
});
const updateBody = z
  .strictObject({
    ...fields,
    addPrivateFolders: privateFolders.optional().describe('Adds to the list as it is, also if it has just changed.'),
    removePrivateFolders: privateFolders.optional().describe('Removes from the list as it is. Others stay.'),
  })
  .refine((patch) => Object.values(patch).some((value) => value !== undefined), 'expected a field, received none')
  .refine(
    ({ privateFolders: list, addPrivateFolders: add, removePrivateFolders: remove }) =>
      list === undefined || (add ?? remove) === undefined,
    'expected "privateFolders", or changes of it with "addPrivateFolders" and "removePrivateFolders", received both',
  );
const rotateBody = z
  .strictObject({
    keepFor: z
      .number()
      .int()
      .min(0)
      .max(MAX_KEEP_SECONDS)
      .default(DAY_SECONDS)
      .describe('Seconds for which the previous secret still verifies.'),
  })
  .nullish();

const shown = z
  .object({
    id: z.string(),
    name: z.string(),
    folder: z.string().nullable().describe('Null inside the space.'),
    enabled: z.boolean(),
    hosts: z.array(z.string()),
    delivery: z.enum(['open', 'presets', 'signed']).nullable().describe('Null: as the installation, here and below.'),
    originals: originals.nullable(),
    privateFolders,
    presets: z.record(z.string(), z.string()).nullable(),
    types: z.array(z.string()).nullable(),
    maxFileBytes: z.number().int().nullable(),
    cors: z.array(z.string()).nullable(),
    quota: z.object({ bytes: z.number().int().nullable(), transferPerMonth: z.number().int().nullable() }),
    rateLimit: z.object({ perAddress: z.number().int().nullable(), total: z.number().int().nullable() }),
    createdAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Space' });
const changed = z.object({ success: z.boolean(), space: shown });
const created = changed.extend({ secret: z.string().describe('Signs URLs and uploads; returned only here.') });
const rotated = z.object({ success: z.boolean(), secret: z.string(), previousUntil: z.iso.datetime() });

const tag = 'Spaces';
const params = z.object({ spaceId: z.string() });
const admin = { access: 'admin', noStore: true } as const;

/** Endpoints that create, change and delete spaces. Inside a space only itself exists. */
export function spaceRoutes({ services, trail }: RouteContext): readonly Endpoint[] {
  return [...allSpaces(services, trail), ...oneSpace(services, trail)];
}

function allSpaces(
  { spaceManager, spaces, members, library, originals, trash }: Services,
  trail: AuditTrail,
): readonly Endpoint[] {
  const create = defineEndpoint('POST /spaces', {
    ...admin,
    isForInstallation: true,
    audit: 'space.created',
    openapi: { id: 'createSpace', tag, summary: 'Creates a space.', errors: [409, 503] },
    schemas: { body: createBody, response: { 200: created } },
    async handle(request) {
      const { id, folder, ...patch } = request.body;
      refuseOwnHost(request, patch.hosts);
      const within = trail.within(request, () => ({
        action: 'space.created',
        target: id,
        detail: { fields: changedFields(request.body) },
      }));
      const space = await spaceManager.create({ id, folder, ...patchOf(patch) }, within);
      return { success: true, space: answerOf(space, false), secret: space.secret };
    },
  });
  const list = defineEndpoint('GET /spaces', {
    access: 'credentials',
    noStore: true,
    openapi: {
      id: 'listSpaces',
      tag,
      summary: 'Lists the spaces that the caller may enter, the library first.',
      description: 'People with roles in spaces only see these, without their folders.',
    },
    schemas: { response: { 200: z.object({ spaces: z.array(shown) }) } },
    async handle(request) {
      const { within } = request;
      if (within) return { spaces: [answerOf(within.space, true)] };
      const caller = callerOf(request);
      if (caller.type === 'key' || caller.role !== undefined)
        return { spaces: [spaces.library(), ...spaces.list()].map((space) => answerOf(space, false)) };
      const entered = new Set(await members.spacesOf(caller.id));
      const open = spaces.list().filter(({ id, isEnabled }) => isEnabled && entered.has(id));
      return { spaces: open.map((space) => answerOf(space, true)) };
    },
  });
  const remove = defineEndpoint('DELETE /spaces/:spaceId', {
    ...admin,
    isForInstallation: true,
    audit: 'space.deleted',
    openapi: {
      id: 'deleteSpace',
      tag,
      summary: 'Deletes a space with its keys, roles and rules.',
      description:
        'Its files stay in the library, under its rules, or go to its trash. It is disabled first; a request that fails later can be repeated.',
      errors: [404, 503],
    },
    schemas: {
      params,
      query: z.object({ files: z.enum(['keep', 'trash']).default('keep') }),
      response: { 200: z.object({ success: z.boolean() }) },
    },
    async handle(request) {
      const { spaceId } = request.params;
      const { files } = request.query;
      const within = trail.within(request, () => ({ action: 'space.deleted', target: spaceId, detail: { files } }));
      // The row goes last. While it is there, a request that was cut short can be repeated: each step finds what the
      // one before has left, and without the row the rest of the files would belong to nobody's deletion.
      const { folder } = await spaceManager.close(spaceId);
      if (files === 'keep') await library.invalidate(folder);
      else if (await originals.store.folderExists(folder))
        await trash.put(folder, { recursive: true, isOfSpace: true });
      await spaceManager.remove(spaceId, within);
      return { success: true };
    },
  });
  return [create, list, remove];
}

function oneSpace({ spaceManager, spaces }: Services, trail: AuditTrail): readonly Endpoint[] {
  const read = defineEndpoint('GET /spaces/:spaceId', {
    access: 'read',
    noStore: true,
    openapi: { id: 'getSpace', tag, summary: 'A space with its rules.', errors: [404] },
    schemas: { params, response: { 200: z.object({ space: shown }) } },
    handle(request) {
      const { within } = request;
      const { spaceId } = request.params;
      requireOwnSpace(request, spaceId);
      const space = spaceId === LIBRARY ? spaces.library() : spaces.find(spaceId);
      if (!space) throw noSpace(spaceId);
      return { space: answerOf(space, within !== undefined) };
    },
  });
  const update = defineEndpoint('PATCH /spaces/:spaceId', {
    ...admin,
    audit: 'space.updated',
    openapi: { id: 'updateSpace', tag, summary: 'Changes the rules of a space.', errors: [404, 409, 503] },
    schemas: { params, body: updateBody, response: { 200: changed } },
    async handle(request) {
      const { within, body } = request;
      const { spaceId } = request.params;
      requireOwnSpace(request, spaceId);
      if (within) refuseFields(body, OF_INSTALLATION, ofInstallation);
      else refuseOwnHost(request, body.hosts);
      if (spaceId === LIBRARY) refuseFields(body, Object.keys(fields).filter(isForSpacesOnly), ofEnvironment);
      const detail = { fields: changedFields(body) };
      const record = trail.within(request, () => ({ action: 'space.updated', target: spaceId, detail }));
      const space = await spaceManager.update(spaceId, updateOf(body), record);
      return { success: true, space: answerOf(space, within !== undefined) };
    },
  });
  const rotate = defineEndpoint('POST /spaces/:spaceId/rotate-secret', {
    ...admin,
    audit: 'space.secret_rotated',
    openapi: { id: 'rotateSpaceSecret', tag, summary: 'Replaces the signing secret.', errors: [404, 503] },
    schemas: { params, body: rotateBody, response: { 200: rotated } },
    async handle(request) {
      const { spaceId } = request.params;
      requireOwnSpace(request, spaceId);
      const { keepFor = DAY_SECONDS } = request.body ?? {};
      const within = trail.within(request, () => ({
        action: 'space.secret_rotated',
        target: spaceId,
        detail: { keepFor },
      }));
      return { success: true, ...(await spaceManager.rotateSecret(spaceId, keepFor, within)) };
    },
  });
  return [read, update, rotate];
}

/** Fields that only the installation changes. */
const OF_INSTALLATION = ['hosts', 'enabled', 'quota', 'rateLimit'];
/** Fields that the library has. Its others are settings. */
const OF_LIBRARY = ['originals', 'privateFolders', 'addPrivateFolders', 'removePrivateFolders'];

const isForSpacesOnly = (field: string) => !OF_LIBRARY.includes(field);

const ofInstallation = (field: string) =>
  forbidden(`"${field}" belongs to the installation: change it from the library.`, 'installation_only');
const ofEnvironment = (field: string) =>
  badRequest(
    `In "${field}": expected only originals and privateFolders of the library, whose other rules are settings.`,
  );

function refuseFields(body: object, names: readonly string[], refusal: (field: string) => HttpProblem): void {
  const field = Object.entries(body).find(([key, value]) => value !== undefined && names.includes(key))?.[0];
  if (field !== undefined) throw refusal(field);
}

/**
 * Keeps the host at which the operator works for the library: that of a space leads into the space alone. Without
 * PUBLIC_URL no other host is known to be the installation's.
 * @throws HttpProblem 409
 */
function refuseOwnHost({ hostname }: FastifyRequest, hosts: readonly string[] = []): void {
  const own = hosts.find((host) => host.toLowerCase() === hostname.toLowerCase().replace(/\.$/, ''));
  if (own === undefined) return;
  const message = `Expected other hosts than that of this request, ${quote(own)}: it would lead into the space, and no longer to the library.`;
  throw conflict(message, 'space_conflict');
}

type Fields = { [Name in keyof typeof fields]?: z.output<(typeof fields)[Name]> | undefined };

function updateOf({ addPrivateFolders: add, removePrivateFolders: remove, ...patch }: z.output<typeof updateBody>) {
  const changes = { add: parseFolders(add ?? []), remove: parseFolders(remove ?? []) };
  return { ...patchOf(patch), privateFolders: (add ?? remove) && changes } satisfies SpaceUpdate;
}

function patchOf({ name: newName, enabled, hosts, ...rules }: Fields): SpacePatch {
  const { privateFolders: folders } = rules;
  const parsed = folders ? parseFolders(folders) : folders;
  return { name: newName, isEnabled: enabled, hosts, rules: { ...rules, privateFolders: parsed } as RulesPatch };
}

const parseFolders = (texts: readonly string[]) => texts.map((text) => parsePrivateFolder(text));

function parsePrivateFolder(text: string): StoragePath {
  const folder = parseNewPath(text);
  if (folder === ROOT)
    throw badRequest(`Expected folders in "privateFolders", received ${quote(text)}.`, 'validation_failed');
  return folder;
}

function answerOf(space: Space, isInside: boolean): z.output<typeof shown> {
  const { rules } = space;
  return {
    id: space.id,
    name: space.name,
    folder: isInside ? null : space.folder,
    enabled: space.isEnabled,
    hosts: [...space.hosts],
    delivery: rules.delivery ?? null,
    originals: rules.originals ?? null,
    privateFolders: [...(rules.privateFolders ?? [])],
    presets: rules.presets ?? null,
    types: rules.types ? [...rules.types] : null,
    maxFileBytes: rules.maxFileBytes ?? null,
    cors: rules.cors ? [...rules.cors] : null,
    quota: { bytes: rules.quota?.bytes ?? null, transferPerMonth: rules.quota?.transferPerMonth ?? null },
    rateLimit: { perAddress: rules.rateLimit?.perAddress ?? null, total: rules.rateLimit?.total ?? null },
    createdAt: space.createdAt ?? null,
  };
}
