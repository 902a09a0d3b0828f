import { open } from 'node:fs/promises';

/** Writes a new file. The parent process moves it into place as it is: after this it survives a power cut. */
export async function writeDurably(file: string, data: Buffer): Promise<void> {
  await using handle = await open(file, 'wx');
  await handle.writeFile(data);
  await handle.datasync();
}

/** Does the same for a file that has been written. */
export async function makeDurable(file: string): Promise<void> {
  await using handle = await open(file, 'r+');
  await handle.datasync();
}
