import { describe, expect, it } from 'vitest';
import { livesUntil, signInLives } from '../../../src/core/grants/sign-in.ts';
import {
  clientRecord,
  day,
  hour,
  minute,
  now,
  second,
  sessionRecord,
  signInRecord,
} from '../../support/records/records.ts';

const client = clientRecord({ accessTokenSeconds: 1_800 });
const online = signInRecord({ scope: 'openid', createdAt: now - 10 * minute });

describe('whether a sign-in still gives its app access (pages 17)', () => {
  it('with offline_access it does until its refresh token was unused for too long', () => {
    const signIn = signInRecord({ createdAt: now, rotatedAt: now });
    expect(livesUntil(signIn, client)).toBe(now + 30 * day);
    expect(signInLives(signIn, client, null, now + 30 * day - 1)).toBe(true);
    expect(signInLives(signIn, client, null, now + 30 * day)).toBe(false);
  });

  it('with offline_access it does not beyond the absolute lifetime, however often it was used', () => {
    const signIn = signInRecord({ createdAt: now, rotatedAt: now + 90 * day });
    expect(livesUntil(signIn, client)).toBe(now + 100 * day);
  });

  it('without it, it does as long as its access token and its browser session', () => {
    expect(signInLives(online, client, sessionRecord(), now)).toBe(true);
    expect(signInLives(online, client, null, now)).toBe(false);
    expect(signInLives(online, client, sessionRecord({ state: 'ended' }), now)).toBe(false);
    const over = online.createdAt + 1_800 * second;
    expect(signInLives(online, client, sessionRecord(), over - 1)).toBe(true);
    expect(signInLives(online, client, sessionRecord(), over)).toBe(false);
  });

  it('one that has ended does not', () => {
    const ended = signInRecord({ state: 'ended', endedAt: now - hour, endReason: 'signed_out' });
    expect(signInLives(ended, client, sessionRecord(), now)).toBe(false);
  });
});
