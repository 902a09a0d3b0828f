import { expect, test } from 'vitest';
import { FORMATS, formatKeyOf } from '../src/catalog/format-key.ts';
import { MEDIA_TYPES } from '../src/media.ts';
import { formatNameOf } from '../web/src/messages/format-name.ts';

test('the dashboard names formats as listings sort them', () => {
  const names = [...MEDIA_TYPES.flatMap(({ extensions }) => extensions), ...Object.keys(FORMATS)].map(
    (one) => `a.${one}`,
  );
  expect(names.map((name) => formatNameOf(name).toLowerCase())).toEqual(names.map(formatKeyOf));
});
