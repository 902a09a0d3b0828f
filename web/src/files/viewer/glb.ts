/** Compressions whose decoders are WebAssembly, which the policy of the dashboard forbids. */
const UNSUPPORTED = [
  'KHR_draco_mesh_compression',
  'EXT_meshopt_compression',
  'KHR_meshopt_compression',
  'KHR_texture_basisu',
];

const MAGIC = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;

interface Gltf {
  extensionsRequired?: unknown;
  buffers?: { uri?: unknown }[];
}

/**
 * Finds out why a binary glTF cannot be shown: the names of what it requires; undefined if nothing is in the way.
 * Source: glTF 2.0, 4.4.
 */
export function obstaclesOf(bytes: ArrayBuffer): string[] | undefined {
  const view = new DataView(bytes);
  if (bytes.byteLength < 20 || view.getUint32(0, true) !== MAGIC || view.getUint32(16, true) !== JSON_CHUNK) return [];
  const length = Math.min(view.getUint32(12, true), bytes.byteLength - 20);
  let gltf: Gltf;
  try {
    gltf = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 20, length))) as Gltf;
  } catch {
    return [];
  }
  const { extensionsRequired } = gltf;
  const required = Array.isArray(extensionsRequired) ? extensionsRequired : [];
  const obstacles = UNSUPPORTED.filter((name) => required.includes(name));
  return obstacles.length > 0 ? obstacles : undefined;
}
