import { createCipheriv, createDecipheriv } from 'node:crypto';

export type EntryIds = ReturnType<typeof createEntryIds>;

const BLOCK_BYTES = 16;
const CIPHER = 'aes-256-ecb';

/**
 * Creates the ids of entries as clients see them: the numbers of the rows count the entries of all spaces, so they are
 * encrypted. Each is one block, and no number occurs twice.
 * @param derive returns a key of 32 bytes, the same on all nodes; throws while it is not known
 */
export function createEntryIds(derive: () => Buffer) {
  let derived: Buffer | undefined;
  const key = () => (derived ??= derive());
  return {
    of(row: number): string {
      const block = Buffer.alloc(BLOCK_BYTES);
      block.writeBigUInt64BE(BigInt(row));
      const cipher = createCipheriv(CIPHER, key(), null).setAutoPadding(false);
      return Buffer.concat([cipher.update(block), cipher.final()]).toString('base64url');
    },

    /** Returns the number of the row; undefined for an id that this installation did not make. */
    rowOf(id: string): number | undefined {
      const block = Buffer.from(id, 'base64url');
      if (block.length !== BLOCK_BYTES) return undefined;
      const decipher = createDecipheriv(CIPHER, key(), null).setAutoPadding(false);
      const plain = Buffer.concat([decipher.update(block), decipher.final()]);
      const row = Number(plain.readBigUInt64BE());
      return plain.readBigUInt64BE(8) === 0n && Number.isSafeInteger(row) ? row : undefined;
    },
  };
}
