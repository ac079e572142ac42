import { describe, expect, it } from 'vitest';
import { type IdTokenHint, type LogoutCommand, logout } from '../../../src/core/oidc/logout.ts';
import { clientRecord, sessionRecord } from '../../support/records/records.ts';

const client = clientRecord();
const session = sessionRecord();

/** A signed-in browser, and nothing in the request. */
const bare: LogoutCommand = {
  hint: undefined,
  clientId: undefined,
  client: null,
  session,
  postLogoutRedirectUri: undefined,
  confirmed: false,
};

/** What an app sends that names itself, and what an app sends that proves itself too. */
const named = { clientId: client.clientId, client };
const valid: IdTokenHint = {
  memberId: session.memberId,
  sessionId: session.id,
  clientId: client.clientId,
};
const first = 'https://app.test/out';
const second = 'https://app.test/out2';

const page = (kind: 'ask' | 'signed-out', refused: 'address' | 'hint' | null = null) => ({ kind, refused });
const redirect = (uri: string) => ({ kind: 'redirect', uri });

const invalid: readonly (readonly [string, Partial<LogoutCommand>])[] = [
  ['that is none of ours', { hint: null }],
  ['of another member', { hint: { ...valid, memberId: 'another-member' } }],
  ['of another session of the member', { hint: { ...valid, sessionId: 'another-session' } }],
];

const unregistered = [
  'https://evil.test/',
  'https://app.test/out/',
  'https://app.test/out?x=1',
  'https://app.test/cb',
  'https://app.test@evil.test/out',
  '',
];

describe('logout (decision 36)', () => {
  it.each<[string, Partial<LogoutCommand>, object]>([
    ['no hint, a known client_id, no address: its first address', named, redirect(first)],
    [
      'no hint, a known client_id, a registered address: that one',
      { ...named, postLogoutRedirectUri: second },
      redirect(second),
    ],
    [
      'a valid hint alone, a registered address: that one',
      { hint: valid, client, postLogoutRedirectUri: second },
      redirect(second),
    ],
    [
      "a valid hint, the hint's client_id, a registered address: that one",
      { ...named, hint: valid, postLogoutRedirectUri: second },
      redirect(second),
    ],
    ["a valid hint, the hint's client_id, no address: the first", { ...named, hint: valid }, redirect(first)],
    ['a valid hint alone: our page, no redirect', { hint: valid, client }, page('signed-out')],
    ['no hint, no client_id: our page asks', {}, page('ask')],
    ['no hint, an unknown client_id: our page asks', { clientId: 'unknown-client' }, page('ask')],
    ['no hint, no client_id, an address: our page asks', { postLogoutRedirectUri: first }, page('ask')],
  ])('%s', (_row, request, answer) => {
    expect(logout({ ...bare, ...request })).toEqual(answer);
  });

  it.each(unregistered)('the address "%s" is not registered: our page asks first, and says so', (uri) => {
    for (const who of [named, { hint: valid, client }, { ...named, hint: valid }]) {
      const command = { ...bare, ...who, postLogoutRedirectUri: uri };
      expect(logout(command)).toEqual(page('ask', 'address'));
      expect(logout({ ...command, confirmed: true })).toEqual(page('signed-out', 'address'));
      expect(logout({ ...command, session: null })).toEqual(page('signed-out', 'address'));
    }
  });

  it.each(invalid)('a hint %s is invalid: our page asks, whatever else is sent', (_kind, wrong) => {
    for (const who of [{ client }, named]) {
      for (const postLogoutRedirectUri of [undefined, first, 'https://evil.test/']) {
        const command = { ...bare, ...who, ...wrong, postLogoutRedirectUri };
        expect(logout(command)).toEqual(page('ask', 'hint'));
        expect(logout({ ...command, confirmed: true })).toEqual(page('signed-out', 'hint'));
      }
    }
  });

  it('a hint beside the client_id of another client is invalid', () => {
    const other = { clientId: 'client-2', client: clientRecord({ clientId: 'client-2' }) };
    for (const postLogoutRedirectUri of [undefined, first]) {
      const command = { ...bare, ...other, hint: valid, postLogoutRedirectUri };
      expect(logout(command)).toEqual(page('ask', 'hint'));
    }
  });

  it('without a session a hint that we signed is valid for any member, and any other hint is not', () => {
    const command = { ...bare, session: null, hint: valid, client, postLogoutRedirectUri: first };
    expect(logout(command)).toEqual(redirect(first));
    expect(logout({ ...command, hint: null })).toEqual(page('signed-out', 'hint'));
  });

  it('a client that registered no address leads to our own page', () => {
    const silent = { ...named, client: clientRecord({ postLogoutRedirectUris: [] }) };
    for (const hint of [undefined, valid]) {
      expect(logout({ ...bare, ...silent, hint })).toEqual(page('signed-out'));
    }
  });

  it('a hint of a client that is no more leads nowhere', () => {
    const command = { ...bare, hint: valid };
    expect(logout(command)).toEqual(page('signed-out'));
    expect(logout({ ...command, postLogoutRedirectUri: first })).toEqual(page('ask', 'address'));
  });

  it('a browser that is not signed in is led on as well', () => {
    expect(logout({ ...bare, ...named, session: null })).toEqual(redirect(first));
  });

  it('where nothing names a client of ours, a signed-in member is asked first, and then told', () => {
    expect(logout({ ...bare, confirmed: true })).toEqual(page('signed-out'));
    expect(logout({ ...bare, session: null })).toEqual(page('signed-out'));
  });
});
