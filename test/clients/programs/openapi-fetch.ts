import { client } from '../generated/openapi-fetch/darkroom.js';
import { thumbnail, upload } from '../generated/openapi-fetch/upload.js';
import { countsOf, FOLDER, FOLDERS, NAME, type Seen, say, takePicture, the } from './seen.js';

// Uses the API with openapi-fetch, as in docs/api-clients.md, and prints the results.

const picture = await takePicture();
const uploaded = the(await upload(picture, FOLDER));
const listed = the((await client.GET('/storage', { params: { query: { path: FOLDER, sort: 'name' } } })).data);
const counted = the((await client.GET('/storage/folder-summaries', { params: { query: { paths: FOLDERS } } })).data);
const metadata = await client.GET('/storage/{path}/metadata', { params: { path: { path: uploaded } } });
const renamed = await client.PATCH('/storage/{path}', { params: { path: { path: uploaded } }, body: { name: NAME } });
const { path } = the(renamed.data);
const signing = { path, transformation: 'w_10,f_png', expiresIn: 60 };
const signed = the((await client.POST('/delivery/sign', { body: signing })).data);
const variant = await thumbnail(path);
const original = await client.GET('/t/{path}', { params: { path: { path } }, parseAs: 'arrayBuffer' });

const missing = await client.GET('/storage/{path}/metadata', { params: { path: { path: `${FOLDER}/none.png` } } });
const withoutKey = await client.GET('/storage', { headers: { 'x-api-key': null } });

const { apiKey } = the((await client.POST('/api-keys/create', { body: { name: 'ci', permissions: ['read'] } })).data);
const keys = the((await client.GET('/api-keys/list')).data);
const byKey = await client.GET('/storage', { headers: { 'x-api-key': apiKey.key } });

const replaced = await client.PUT('/storage/{path}', {
  params: { path: { path } },
  body: picture,
  bodySerializer: (body) => body,
  headers: { 'content-type': picture.type },
});
const deleted = await client.DELETE('/storage/{path}', { params: { path: { path } } });
const left = the((await client.GET('/storage', { params: { query: { path: FOLDER } } })).data);

const seen: Seen = {
  uploaded,
  listed: { folders: listed.folders.map((folder) => folder.path), files: listed.files.map((file) => file.path) },
  summaries: countsOf(counted.summaries),
  size: the(metadata.data).size,
  renamed: path,
  signed,
  variant: { type: variant.type, isSmall: variant.size < picture.size },
  original: the(original.data).byteLength,
  missing: { status: missing.response.status, code: missing.error?.code },
  withoutKey: { status: withoutKey.response.status, code: withoutKey.error?.code },
  keys: { permissions: apiKey.permissions, listed: keys.keys.map((key) => key.name), status: byKey.response.status },
  replaced: the(replaced.data).size,
  deleted: the(deleted.data).success,
  left: left.files.map((file) => file.path),
};
say(seen);
