/**
 * Writes a binary glTF by hand: a square in the plane of x and y, seen from both sides.
 * @param texture a PNG
 * @param more further properties of the document
 */
export function squareGlb(texture: Buffer, more: object = {}): Buffer {
  const positions = Buffer.from(new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]).buffer);
  const corners = Buffer.from(new Float32Array([0, 1, 1, 1, 1, 0, 0, 0]).buffer);
  const indices = Buffer.from(new Uint16Array([0, 1, 2, 0, 2, 3]).buffer);
  const parts = [positions, corners, indices, texture];
  const starts = parts.map((_, at) => parts.slice(0, at).reduce((sum, { length }) => sum + length, 0));
  const binary = padded(Buffer.concat(parts), 0);
  const document = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0, TEXCOORD_0: 1 }, indices: 2, material: 0 }] }],
    materials: [{ doubleSided: true, pbrMetallicRoughness: { baseColorTexture: { index: 0 }, metallicFactor: 0 } }],
    textures: [{ source: 0 }],
    images: [{ bufferView: 3, mimeType: 'image/png' }],
    accessors: [
      { bufferView: 0, componentType: 5126, count: 4, type: 'VEC3', min: [-1, -1, 0], max: [1, 1, 0] },
      { bufferView: 1, componentType: 5126, count: 4, type: 'VEC2' },
      { bufferView: 2, componentType: 5123, count: 6, type: 'SCALAR' },
    ],
    bufferViews: parts.map(({ length }, at) => ({ buffer: 0, byteOffset: starts[at], byteLength: length })),
    buffers: [{ byteLength: binary.length }],
    ...more,
  };
  const json = padded(Buffer.from(JSON.stringify(document)), 0x20);
  const chunks = [chunk(json, 0x4e4f534a), chunk(binary, 0x004e4942)];
  const head = Buffer.alloc(12);
  head.writeUInt32LE(0x46546c67, 0);
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(12 + chunks.reduce((sum, { length }) => sum + length, 0), 8);
  return Buffer.concat([head, ...chunks]);
}

const padded = (bytes: Buffer, filler: number) => Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3, filler)]);

function chunk(bytes: Buffer, type: number): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(bytes.length, 0);
  head.writeUInt32LE(type, 4);
  return Buffer.concat([head, bytes]);
}
