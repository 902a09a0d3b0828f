import { describe, expect, test } from 'vitest';
import { judgeFiles, type UploadLimits } from './judge-files.ts';

const LIMITS: UploadLimits = {
  fileBytes: 2 * 1024 ** 2,
  fileSetting: 'MAX_FILE_SIZE_MB',
  extensions: new Set(['jpg', 'png']),
  filesPerRequest: 20,
  isOfSpace: false,
};
const file = (name: string, size = 10) => ({ name, file: { name, size } as File });
const reasonFor = (one: ReturnType<typeof file>, limits = LIMITS) => judgeFiles([one], limits).leftOut[0]?.leftOut;

describe('a chosen file', () => {
  test.each(['a.jpg', 'a.b.PNG', 'folder.x/a.png'])('is uploaded: %s', (name) => {
    const one = file(name);
    expect(judgeFiles([one], LIMITS)).toEqual({ fitting: [one], leftOut: [] });
  });

  test.each([
    [file('a.svg'), 'Left out: svg files are not accepted. EXTRA_TYPES=svg accepts them.'],
    [file('a.TIF'), 'Left out: tiff files are not accepted. EXTRA_TYPES=tiff accepts them.'],
    [file('a.exe'), 'Left out: exe files are not accepted.'],
    [file('x.jpg/README'), 'Left out: files without an extension are not accepted.'],
    [file('a.jpg', 0), 'Left out: the file is empty.'],
    [file('a.jpg', 3 * 1024 ** 2), 'Left out: larger than 2 MB (MAX_FILE_SIZE_MB).'],
  ])('is left out with the reason: $0.name', (one, reason) => {
    expect(reasonFor(one)).toBe(reason);
  });

  test('in a space is measured by the limit of the space, which no setting names', () => {
    const space = { ...LIMITS, fileSetting: 'maxFileBytes', isOfSpace: true };
    expect(reasonFor(file('a.jpg', 3 * 1024 ** 2), space)).toBe('Left out: larger than 2 MB, the limit of this space.');
    expect(reasonFor(file('a.svg'), space)).toBe('Left out: svg files are not accepted.');
  });
});
