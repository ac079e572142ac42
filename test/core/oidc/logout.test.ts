import { describe, expect, it } from 'vitest';
import { type LogoutCommand, logout } from '../../../src/core/oidc/logout.ts';
import { clientRecord } from '../../support/records/records.ts';

const client = clientRecord();

/** A signed-in browser that names a client of ours, and no address. */
const named: LogoutCommand = {
  client,
  postLogoutRedirectUri: undefined,
  signedIn: true,
  confirmed: false,
};

const ask = { kind: 'ask' };
const signedOut = { kind: 'signed-out' };
const redirect = (uri: string) => ({ kind: 'redirect', uri });

describe('logout (decision 36)', () => {
  it('a client of ours leads to its own address, the first by default', () => {
    expect(logout(named)).toEqual(redirect('https://app.test/out'));
  });

  it('a registered address that is asked for is followed', () => {
    expect(logout({ ...named, postLogoutRedirectUri: 'https://app.test/out2' })).toEqual(
      redirect('https://app.test/out2'),
    );
  });

  it.each([
    'https://evil.test/',
    'https://app.test/out/',
    'https://app.test/out?x=1',
    'https://app.test/cb',
    'https://app.test@evil.test/out',
    '',
  ])('the address "%s" is not registered for logout, and never followed', (postLogoutRedirectUri) => {
    expect(logout({ ...named, postLogoutRedirectUri })).toEqual(signedOut);
  });

  it('a client that registered no address leads to our own page', () => {
    expect(logout({ ...named, client: clientRecord({ postLogoutRedirectUris: [] }) })).toEqual(signedOut);
  });

  it('a browser that is not signed in is led on as well', () => {
    expect(logout({ ...named, signedIn: false })).toEqual(redirect('https://app.test/out'));
  });

  it('where no client of ours is named, a signed-in member is asked first, and then told', () => {
    const command = { ...named, client: null, postLogoutRedirectUri: 'https://app.test/out' };
    expect(logout(command)).toEqual(ask);
    expect(logout({ ...command, confirmed: true })).toEqual(signedOut);
    expect(logout({ ...command, signedIn: false })).toEqual(signedOut);
  });
});
