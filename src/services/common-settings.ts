import { createHash, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { Cluster } from '../cluster/cluster.ts';
import type { Config } from '../config.ts';
import { agreeOnSettings, type Fingerprints } from '../db/common-settings.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { ADMIN } from '../runtime/packed.ts';

const derive = promisify<string, string, number, Buffer>(scrypt);

/** In bytes. */
const DERIVED_LENGTH = 16;

/**
 * Keeps a node from running beside others whose answers to the same URL would differ: it has other files, signatures,
 * presets or limits.
 * @throws Error that names the variables
 */
export async function assertCommonSettings(config: Config, database: OpenDatabase, cluster: Cluster): Promise<void> {
  if (database.dialect === 'sqlite') return;
  await database.whenAvailable(async () => {
    const own = await fingerprintsOf(config);
    // A node whose settings cannot be compared may run.
    const isAlive = (node: string) => cluster.isAlive(node).catch(() => true);
    const different = await agreeOnSettings(database.db, cluster.node, own, isAlive);
    if (different.length === 0) return;
    throw new Error(
      `Expected the same settings on all nodes, found others than those of the nodes that run: ${different.join(', ')}. To change ` +
        `one without stopping all, run "${ADMIN} change-settings" first.`,
    );
  });
}

async function fingerprintsOf({ auth, storage, http, limits, compat }: Config): Promise<Fingerprints> {
  const { bucket = '', prefix = '' } = storage.kind === 's3' ? storage : {};
  // A reader of the database must not be able to guess the secret by a dictionary attack.
  const hide = async (secret: string) =>
    (await derive(secret, `${bucket}/${prefix}`, DERIVED_LENGTH)).toString('base64url');
  return {
    API_SECRET: await hide(auth.secret ?? ''),
    STORAGE_BUCKET_NAME: hashOf(bucket),
    STORAGE_PREFIX: hashOf(prefix),
    DELIVERY_MODE: hashOf(http.deliveryMode),
    PRESETS: hashOf(limits.presets),
    COMPAT: hashOf([compat.cloudinary, compat.imgproxy !== undefined]),
    IMGPROXY_KEY: await hide(JSON.stringify(compat.imgproxy?.keys ?? [])),
    EXTRA_TYPES: hashOf(limits.documents.toSorted()),
    MAX_INPUT_MEGAPIXELS: hashOf(limits.inputMegapixels),
    MAX_ANIMATION_FRAMES: hashOf(limits.animationFrames),
    MAX_ANIMATION_MEGAPIXELS: hashOf(limits.animationMegapixels),
    MAX_OUTPUT_SIDE: hashOf(limits.outputSide),
    MAX_OUTPUT_MEGAPIXELS: hashOf(limits.outputMegapixels),
    MAX_WEBP_MEGAPIXELS: hashOf(limits.formatMegapixels.webp),
    MAX_AVIF_MEGAPIXELS: hashOf(limits.formatMegapixels.avif),
    MAX_GIF_MEGAPIXELS: hashOf(limits.formatMegapixels.gif),
    MAX_VIDEO_OUTPUT_SIDE: hashOf(limits.videoOutput.side),
    MAX_VIDEO_OUTPUT_MEGAPIXELS: hashOf(limits.videoOutput.pixels),
  };
}

function hashOf(value: unknown): string {
  const text = JSON.stringify(value, (_key, part) => (part instanceof Map ? [...part] : part));
  return createHash('sha256').update(text).digest('base64url');
}
