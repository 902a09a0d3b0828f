import { expect, test } from 'vitest';
import { obstaclesOf } from './glb.ts';

function glb(json: unknown): ArrayBuffer {
  const text = new TextEncoder().encode(JSON.stringify(json));
  const bytes = new Uint8Array(20 + text.length);
  const view = new DataView(bytes.buffer);
  const head = [0x46546c67, 2, bytes.length, text.length, 0x4e4f534a];
  for (const [at, value] of head.entries()) view.setUint32(4 * at, value, true);
  bytes.set(text, 20);
  return bytes.buffer;
}

test('a model without required extensions, or with others, is shown', () => {
  expect(obstaclesOf(glb({ asset: { version: '2.0' } }))).toBeUndefined();
  expect(obstaclesOf(glb({ extensionsRequired: ['KHR_materials_unlit'] }))).toBeUndefined();
  expect(obstaclesOf(glb({ extensionsUsed: ['KHR_draco_mesh_compression'] }))).toBeUndefined();
});

test('a compression that needs WebAssembly is named', () => {
  expect(obstaclesOf(glb({ extensionsRequired: ['KHR_draco_mesh_compression'] }))).toEqual([
    'KHR_draco_mesh_compression',
  ]);
});

test('what is no binary glTF is damaged', () => {
  expect(obstaclesOf(new ArrayBuffer(3))).toEqual([]);
  expect(obstaclesOf(new TextEncoder().encode('{"asset":{"version":"2.0"}}').buffer as ArrayBuffer)).toEqual([]);
  const broken = glb({});
  new Uint8Array(broken).fill(1, 20);
  expect(obstaclesOf(broken)).toEqual([]);
});
