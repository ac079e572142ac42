import { describe, expect, it } from 'vitest';
import { createMask, withoutSecrets } from '../../../src/core/rehearsal/masking.ts';
import { areSideBySide } from '../../../src/core/rehearsal/wire.ts';

const mask = createMask(Buffer.alloc(32, 7));
const jwt = (typ: string) =>
  [{ typ }, { sub: 'ada' }].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.') +
  '.x';

describe('what went over the wire', () => {
  it('shows only values whose names are known to hold no secret', () => {
    const sent = mask.values([
      ['grant_type', ['refresh_token']],
      ['client_secret', ['a secret']],
      ['password', ['a password']],
      ['Scope', ['a secret under a name that is nearly known']],
      ['__proto__', ['a secret']],
    ]);
    expect(sent.grant_type).toBe('refresh_token');
    expect(JSON.stringify(sent)).not.toContain('secret under');
    expect(Object.values(sent).filter((value) => value === '•••')).toHaveLength(4);
  });

  it('marks a secret so that it is known again, whatever it is called', () => {
    const { refresh_token: sent } = mask.values([['refresh_token', ['the-token']]]);
    expect(sent).toMatch(/^rt·[0-9a-f]{8}$/);
    expect(mask.values([['token', ['the-token']]]).token).toBe(sent);
    expect(mask.body({ refresh_token: 'the-token' })).toEqual({ refresh_token: sent });
    expect(mask.authorization(`Bearer ${jwt('at+jwt')}`)).toBe(
      `Bearer ${String((mask.body({ access_token: jwt('at+jwt') }) as { access_token: string }).access_token)}`,
    );
    expect(createMask(Buffer.alloc(32, 8)).values([['refresh_token', ['the-token']]])).not.toEqual({
      refresh_token: sent,
    });
  });

  it('masks what an answer leads to as it does what was sent', () => {
    const led = mask.location(
      'http://localhost:9876/callback?code=the-code&state=the-state&iss=https%3A%2F%2Fx',
    );
    expect(led).toMatch(
      /^http:\/\/localhost:9876\/callback\?code=code·\w{8}&state=state·\w{8}&iss=https:\/\/x$/,
    );
    expect(mask.location('/sign-in?flow=sealed')).toBe('/sign-in?flow=•••');
    expect(mask.location('com.example.app:/callback?error=access_denied')).toBe(
      'com.example.app:/callback?error=access_denied',
    );
    expect(withoutSecrets(`/sign-up/confirm/${'s'.repeat(43)}`)).toBe('/sign-up/confirm/•••');
  });

  it('tells requests that were under way side by side from those that followed one another', () => {
    expect(areSideBySide({ came: 1, id: 3 }, { came: 2, id: 4 })).toBe(true);
    expect(areSideBySide({ came: 1, id: 4 }, { came: 2, id: 3 })).toBe(true);
    expect(areSideBySide({ came: 1, id: 2 }, { came: 3, id: 4 })).toBe(false);
  });
});
