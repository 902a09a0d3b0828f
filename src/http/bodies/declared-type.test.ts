import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { expect, test } from 'vitest';
import { readDeclaredTypes } from './declared-type.ts';

const PARTS = [
  ['', ''],
  ['Content-Type: text/plain\r\n', 'text/plain'],
  ['Content-Type: image/png\r\n', 'image/png'],
  ['', ''],
] as const;

/** The declared types of all parts of a form. */
async function declared(wrap: (parser: BusboyInstance) => BusboyInstance): Promise<string[]> {
  const parser = new Busboy({ headers: { 'content-type': 'multipart/form-data; boundary=x' } });
  const declaredType = readDeclaredTypes(wrap(parser));
  const types: string[] = [];
  parser.on('file', (_field, stream, _name, _encoding, type) => {
    types.push(declaredType(type));
    stream.resume();
  });
  const part = (header: string) =>
    `--x\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n${header}\r\nbytes\r\n`;
  await new Promise((resolve) => {
    parser.once('finish', resolve);
    parser.end(`${PARTS.map(([header]) => part(header)).join('')}--x--\r\n`);
  });
  return types;
}

test('a part without a type declares none, and one of text declares text', async () => {
  expect(await declared((parser) => parser)).toEqual(PARTS.map(([, type]) => type));
});

test('where the parser does not show the headers of its parts, text is no declared type, and every other type is', async () => {
  const types = await declared(() => ({}) as BusboyInstance);
  expect(types).toEqual(PARTS.map(([, type]) => (type === 'text/plain' ? '' : type)));
});
