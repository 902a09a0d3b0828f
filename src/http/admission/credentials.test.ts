import { describe, expect, test } from 'vitest';
import { presentedKey, presentedSession } from './credentials.ts';

describe('the key that a request presents', () => {
  test.each([
    [{ authorization: 'Bearer abc' }, 'abc'],
    [{ authorization: 'bearer abc' }, 'abc'],
    [{ authorization: 'BEARER   abc ' }, 'abc'],
    [{ 'x-api-key': 'abc' }, 'abc'],
    [{ authorization: 'Bearer abc', 'x-api-key': 'other' }, 'abc'],
    [{ authorization: 'Basic abc', 'x-api-key': 'other' }, 'other'],
    // An invalid key, not a missing one.
    [{ authorization: 'Bearer' }, ''],
    [{ authorization: 'Bearer  ', 'x-api-key': 'other' }, ''],
    [{ authorization: 'Basic abc' }, undefined],
    [{ authorization: 'Bearerabc' }, undefined],
    [{ 'x-api-key': '' }, undefined],
    [{}, undefined],
  ])('%j is %j', (headers, key) => {
    expect(presentedKey(headers)).toBe(key);
  });
});

describe('the session cookie that a request presents', () => {
  test.each([
    [{ cookie: 'darkroom.session_token=a.b' }, 'a.b'],
    [{ cookie: 'x=y; darkroom.session_token=a.b; z=1' }, 'a.b'],
    [{ cookie: 'x=y;darkroom.session_token= a.b ;z=1' }, 'a.b'],
    // The first counts, as in the check of cookies.
    [{ cookie: 'darkroom.session_token=a.b; darkroom.session_token=c.d' }, 'a.b'],
    [{ cookie: 'xdarkroom.session_token=a.b' }, undefined],
    [{ cookie: 'x darkroom.session_token=a.b; y=darkroom.session_token=c' }, undefined],
    [{ 'x-cookie': 'darkroom.session_token=a.b' }, undefined],
    [{}, undefined],
  ])('in %j is %j', (headers, value) => {
    expect(presentedSession(headers)).toBe(value);
  });
});
