import { expect, test } from 'vitest';
import { readParameters, readPartHeaders } from './part-headers.ts';

/** As a parser shows UTF-8: one character for each byte. */
const bytesOf = (text: string) => Buffer.from(text).toString('latin1');

const part = (disposition: string, type?: string) =>
  readPartHeaders({
    'content-disposition': [bytesOf(disposition)],
    ...(type !== undefined && { 'content-type': [type] }),
  });

test.each([
  ['form-data; name="files"; filename="a.jpg"', 'a.jpg'],
  ['form-data; name=files; filename=a.jpg', 'a.jpg'],
  ['Form-Data ;NAME = "files" ; FileName = "a.jpg" ; size=3', 'a.jpg'],
  ['form-data; filename="a.jpg"; name="files"', 'a.jpg'],
  ['form-data; name="files"; filename="ü 日本 \u{1f600}.jpg"', 'ü 日本 \u{1f600}.jpg'],
  ['form-data; name="files"; filename="a; name=b.jpg"', 'a; name=b.jpg'],
  ['form-data; name="files"; filename="%22a%22%0D%0A%41.jpg"', '"a"\r\n%41.jpg'],
  ['form-data; name="files"; filename="\\"a\\\\\\".jpg"', '"a\\".jpg'],
  ['form-data; name="files"; filename="C:\\photos\\a.jpg"', 'C:\\photos\\a.jpg'],
  ['form-data; name="files"; filename=""', ''],
  ['form-data; name="files"; filename=', ''],
  ['form-data; name="files"; filename="a.jpg', 'a.jpg'],
  ['form-data; name="files"; filename*=UTF-8\'\'%E2%82%AC%20a.jpg', '€ a.jpg'],
  ['form-data; name="files"; filename*=iso-8859-1\'en\'%FC.jpg', 'ü.jpg'],
  ['form-data; name="files"; filename*=UTF-8\'\'100%2522.jpg', '100%22.jpg'],
  ['form-data; name="files"; filename*=a.jpg', 'a.jpg'],
  ['form-data; name="files"; filename="a.jpg"; filename*=UTF-8\'\'b.jpg', 'a.jpg'],
])('%s is a file of the field "files"', (disposition, fileName) => {
  expect(part(disposition)).toMatchObject({ field: 'files', isFile: true, fileName });
});

test('a part without a file name is a field, unless its type is that of any bytes', () => {
  const disposition = 'form-data; name="folder"';
  expect(part(disposition)).toMatchObject({ field: 'folder', isFile: false, charset: 'utf-8' });
  expect(part(disposition, 'image/png')).toMatchObject({ isFile: false });
  expect(part(disposition, 'application/octet-stream')).toMatchObject({ isFile: true, fileName: '' });
});

test.each([
  [undefined, ''],
  ['', ''],
  ['text/plain', 'text/plain'],
  ['Text/Plain ; charset=utf-8', 'text/plain'],
  ['nonsense', 'nonsense'],
])('a part with the type %s declares "%s"', (type, declaredType) => {
  expect(part('form-data; name="files"; filename="a"', type)).toMatchObject({ declaredType });
});

test.each(['', 'attachment; name="files"', 'form-data-not; name="files"', '; name="files"'])(
  '"%s" is not of a form',
  (disposition) => {
    expect(part(disposition)).toBeUndefined();
  },
);

test('a part without headers is not of a form', () => {
  expect(readPartHeaders({})).toBeUndefined();
});

test('a boundary is read with and without quotes', () => {
  for (const header of ['multipart/form-data; boundary="a b"', 'multipart/form-data;charset=utf-8;Boundary="a b"']) {
    expect(readParameters(header).get('boundary')).toBe('a b');
  }
  expect(readParameters('multipart/form-data; boundary=----a').get('boundary')).toBe('----a');
  expect(readParameters('multipart/form-data').get('boundary')).toBeUndefined();
});
