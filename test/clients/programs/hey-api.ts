import {
  createApiKey,
  deleteFile,
  getFileMetadata,
  getOriginal,
  listApiKeys,
  listFolder,
  renameFile,
  replaceFile,
  signDeliveryUrl,
  summariseFolders,
} from '../generated/hey-api/api/index.js';
import { thumbnail, upload } from '../generated/hey-api/upload.js';
import { countsOf, FOLDER, FOLDERS, NAME, type Seen, say, takePicture, the } from './seen.js';

// Uses the API with the client of @hey-api/openapi-ts, as in docs/api-clients.md, and prints the results.

const picture = await takePicture();
const uploaded = the(await upload(picture, FOLDER));
const listed = the((await listFolder({ query: { path: FOLDER, sort: 'name' } })).data);
const counted = the((await summariseFolders({ query: { paths: FOLDERS } })).data);
const metadata = the((await getFileMetadata({ path: { path: uploaded } })).data);
const { path } = the((await renameFile({ path: { path: uploaded }, body: { name: NAME } })).data);
const signed = the((await signDeliveryUrl({ body: { path, transformation: 'w_10,f_png', expiresIn: 60 } })).data);
const variant = the(await thumbnail(path));
const original = the((await getOriginal({ path: { path }, parseAs: 'blob' })).data);

const missing = await getFileMetadata({ path: { path: `${FOLDER}/none.png` } });
const withoutKey = await listFolder({ auth: undefined });

const { apiKey } = the((await createApiKey({ body: { name: 'ci', permissions: ['read'] } })).data);
const keys = the((await listApiKeys()).data);
const byKey = await listFolder({ auth: apiKey.key });

const replaced = the((await replaceFile({ path: { path }, body: picture })).data);
const deleted = the((await deleteFile({ path: { path } })).data);
const left = the((await listFolder({ query: { path: FOLDER } })).data);

const seen: Seen = {
  uploaded,
  listed: { folders: listed.folders.map((folder) => folder.path), files: listed.files.map((file) => file.path) },
  summaries: countsOf(counted.summaries),
  size: metadata.size,
  renamed: path,
  signed,
  variant: { type: variant.type, isSmall: variant.size < picture.size },
  original: original.size,
  missing: { status: missing.response?.status, code: missing.error?.code },
  withoutKey: { status: withoutKey.response?.status, code: withoutKey.error?.code },
  keys: { permissions: apiKey.permissions, listed: keys.keys.map((key) => key.name), status: byKey.response?.status },
  replaced: replaced.size,
  deleted: deleted.success,
  left: left.files.map((file) => file.path),
};
say(seen);
