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
    // A wrong one, and not none.
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
    [['Cookie', 'darkroom.session_token=a.b'], 'a.b'],
    [['cookie', 'x=y; darkroom.session_token=a.b; z=1'], 'a.b'],
    [['COOKIE', 'x=y;darkroom.session_token= a.b ;z=1'], 'a.b'],
    [['Cookie', 'x=y', 'Accept', '*/*', 'Cookie', 'darkroom.session_token=a.b'], 'a.b'],
    // The first counts, as it does where cookies are checked.
    [['Cookie', 'darkroom.session_token=a.b; darkroom.session_token=c.d'], 'a.b'],
    [['Cookie', 'xdarkroom.session_token=a.b'], undefined],
    [['Cookie', 'x darkroom.session_token=a.b; y=darkroom.session_token=c'], undefined],
    [['X-Cookie', 'darkroom.session_token=a.b'], undefined],
    [['Accept', '*/*'], undefined],
    [[], undefined],
  ])('in %j is %j', (rawHeaders, value) => {
    expect(presentedSession(rawHeaders)).toBe(value);
  });
});
