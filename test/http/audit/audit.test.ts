import { beforeAll, describe, expect, it } from 'vitest';
import { askForCode, codesFor, deviceGrant, phoneOf, poll } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import {
  type AuditWatch,
  byClient,
  byMember,
  idOf,
  refused,
  watchAudit,
} from '../../support/operators/audit-watch.ts';
import { apps, credentialsOf, refreshAs, revoke, tokensOf } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import {
  authorizationParameters,
  type Code,
  codeFor,
  field,
  pkce,
  type Tokens,
  token,
  visitor,
} from '../../support/visitor.ts';

const service = useService({ data: 'security' });
let watch: AuditWatch;
let leaves: AuditWatch['leaves'];
let note: AuditWatch['note'];
let noteTokens: AuditWatch['noteTokens'];

const a = hosts.a;
const { pub1 } = apps;

beforeAll(() => {
  watch = watchAudit(service);
  ({ leaves, note, noteTokens } = watch);
});

const exchange = (
  code: Code,
  more: Record<string, string> = {},
  app: (typeof apps)[keyof typeof apps] = pub1,
) =>
  token(service, a, {
    grant_type: 'authorization_code',
    ...credentialsOf(app),
    code: code.code,
    code_verifier: code.verifier,
    ...more,
  });

const newCode = async (app: (typeof apps)[keyof typeof apps] = pub1, browser = visitor(service, a)) => {
  const code = await codeFor(browser, app.clientId, app.redirectUri);
  note(code.code, code.verifier);
  for (const value of browser.cookies.values()) note(value);
  return code;
};

describe('W11: whatever concerns security is written down once, as a row and as a line', () => {
  it('W11: signing in, wrongly and rightly', async () => {
    const u1 = await idOf(service, 'u1@example.test');
    const browser = visitor(service, a);
    const page = await browser.authorize(authorizationParameters('pub1', pub1.redirectUri, pkce()));
    const nobody = { actorKind: 'nobody', actorId: null, clientId: 'pub1', result: 'refused' } as const;
    note('a wrong password', 'nobody-knows@example.test');
    await leaves(() => browser.signIn(page, 'u1@example.test', 'a wrong password'), {
      event: 'sign_in_refused',
      ...nobody,
      target: u1,
      reason: /^the password is wrong$/,
    });
    await leaves(() => browser.signIn(page, 'nobody-knows@example.test', 'a wrong password'), {
      event: 'sign_in_refused',
      ...nobody,
      target: null,
      reason: /^no account has the address$/,
    });
    await leaves(
      () => browser.signIn(page, 'u1@example.test'),
      { event: 'sign_in', ...byMember(u1), target: expect.any(String), reason: null },
      { event: 'code_issued', ...byMember(u1), clientId: 'pub1' },
    );
  });

  it('W11: codes, exchanged, wrongly exchanged and exchanged twice', async () => {
    const code = await newCode();
    await leaves(() => exchange(code, { code: 'no code at all' }), {
      event: 'code_refused',
      ...refused('pub1'),
      reason: /unknown/,
    });
    await leaves(() => exchange(code, {}, apps.pub2), {
      event: 'code_refused',
      ...refused('pub2'),
      reason: /another client/,
    });
    const tokens = await leaves(() => exchange(code), { event: 'code_redeemed', ...byClient('pub1') });
    noteTokens(tokens.json<Tokens & Record<string, unknown>>());
    await leaves(() => exchange(code), { event: 'code_reused', ...refused('pub1'), reason: /has ended/ });
    await leaves(() => exchange(code), { event: 'code_reused', ...refused('pub1'), reason: /before/ });
    const burned = await newCode();
    await leaves(() => exchange(burned, { redirect_uri: 'https://pub1.test/other' }), {
      event: 'code_refused',
      ...refused('pub1'),
      reason: /redirect_uri/,
    });
    await leaves(() => exchange(burned, { code_verifier: pkce().verifier }), {
      event: 'code_refused',
      ...refused('pub1'),
      reason: /verifier is wrong/,
    });
    await leaves(() => exchange(burned), {
      event: 'code_refused',
      ...refused('pub1'),
      reason: /ended before/,
    });
  });

  it('W11: refresh tokens, used, used again with their age, revoked, and no tokens at all', async () => {
    const first = noteTokens(await tokensOf(service, a, pub1));
    const again = () => refreshAs(service, a, pub1, first.refresh_token);
    const next = await leaves(again, { event: 'token_refreshed', ...byClient('pub1'), reason: null });
    noteTokens(next.json<Tokens & Record<string, unknown>>());
    service.clock.advance(40_000);
    await leaves(again, {
      event: 'refresh_reused',
      ...refused('pub1'),
      target: String(first.refresh_token).replace(/\..*/, ''),
      reason:
        /^a refresh token 1 generation old, superseded 40 s ago; probably the answer before was lost \(/,
    });
    await leaves(again, { event: 'refresh_refused', ...refused('pub1'), reason: /refresh_token_reused/ });
    await leaves(() => refreshAs(service, a, pub1, 'forged'), {
      event: 'refresh_refused',
      ...refused('pub1'),
      reason: /no refresh token of the tenant/,
    });
    const second = noteTokens(await tokensOf(service, a, pub1));
    const text = String(second.refresh_token);
    await leaves(() => refreshAs(service, a, pub1, text, { scope: 'openid phone' }), {
      event: 'refresh_refused',
      ...refused('pub1'),
      reason: /wider/,
    });
    await leaves(() => revoke(service, a, { client_id: 'pub1', token: text }), {
      event: 'token_revoked',
      ...byClient('pub1'),
    });
    await leaves(() => revoke(service, a, { client_id: 'pub1', token: text }));
  });

  it('W11: a client that is not who it says it is; an unknown client_id is not kept', async () => {
    note('wrong-secret', 'pasted-secret');
    const body = { grant_type: 'refresh_token', refresh_token: 'x' };
    const failed = { event: 'client_authentication_failed', actorKind: 'nobody', result: 'refused' } as const;
    await leaves(() => token(service, a, { ...body, client_id: 'conf1', client_secret: 'wrong-secret' }), {
      ...failed,
      clientId: 'conf1',
      target: 'conf1',
      reason: /secret is wrong/,
    });
    await leaves(() => token(service, a, { ...body, client_id: 'pasted-secret' }), {
      ...failed,
      clientId: null,
      reason: /not known/,
    });
  });

  it('W11: refused authorization requests, with the reason', async () => {
    const browser = visitor(service, a);
    const ask = (more: Record<string, string>) => () =>
      browser.authorize(authorizationParameters('pub1', pub1.redirectUri, pkce(), more));
    const event = 'authorization_refused';
    await leaves(ask({ redirect_uri: 'https://evil.test/cb' }), {
      event,
      clientId: 'pub1',
      result: 'refused',
      reason: /redirect_uri is not registered/,
    });
    await leaves(ask({ client_id: 'nobodys' }), {
      event,
      clientId: null,
      result: 'refused',
      reason: /not known/,
    });
    await leaves(ask({ prompt: 'none' }), {
      event,
      clientId: 'pub1',
      result: 'refused',
      reason: /^login_required/,
    });
    await leaves(ask({ response_type: 'token' }), { event, clientId: 'pub1', result: 'refused' });
    const page = await browser.authorize(authorizationParameters('pub1', pub1.redirectUri, pkce()));
    await leaves(() => browser.send('/sign-in', { body: { flow: field(page, 'flow'), action: 'cancel' } }), {
      event,
      clientId: 'pub1',
      result: 'refused',
      reason: /^access_denied/,
    });
  });

  it('W11: every step of the device flow; a poll that waits leaves nothing', async () => {
    const u1 = await idOf(service, 'u1@example.test');
    const phone = await phoneOf(service, a);
    for (const value of phone.cookies.values()) note(value);
    const codes = await leaves(() => codesFor(service, a), {
      event: 'device_code_issued',
      ...byClient('pub1'),
    });
    note(codes.device_code, codes.user_code, codes.user_code.replace('-', ''));
    await leaves(() => poll(service, a, codes.device_code));
    await leaves(() => poll(service, a, codes.device_code));
    await leaves(() => phone.open('000-000'), {
      event: 'device_code_wrong',
      ...byMember(u1),
      result: 'refused',
    });
    const page = await leaves(() => phone.open(codes.user_code), {
      event: 'device_code_entered',
      ...byMember(u1),
      clientId: 'pub1',
    });
    await leaves(() => phone.press(page, 'approve'), {
      event: 'device_approved',
      ...byMember(u1),
      clientId: 'pub1',
    });
    service.clock.advance(30_000);
    const tokens = await leaves(() => poll(service, a, codes.device_code), {
      event: 'device_redeemed',
      ...byClient('pub1'),
    });
    noteTokens(tokens.json<Tokens & Record<string, unknown>>());
    await leaves(() => poll(service, a, codes.device_code), {
      event: 'device_code_reused',
      ...refused('pub1'),
    });
    const other = await codesFor(service, a);
    note(other.device_code, other.user_code);
    const otherPage = await phone.open(other.user_code);
    await leaves(() => phone.press(otherPage, 'reject'), { event: 'device_rejected', ...byMember(u1) });
    await leaves(() => poll(service, a, other.device_code), {
      event: 'device_code_refused',
      ...refused('pub1'),
      reason: /rejected/,
    });
    await leaves(() => askForCode(service, a, { clientId: 'nodev' }), {
      event: 'device_code_refused',
      ...refused('nodev'),
      reason: /not enabled/,
    });
    await leaves(
      () => token(service, a, { grant_type: deviceGrant, client_id: 'pub1', device_code: 'unknown' }),
      { event: 'device_code_refused', ...refused('pub1'), reason: /unknown/ },
    );
  });

  it('W11: W7: no row and no line of all that holds a secret', () =>
    watch.expectNoSecrets({ kinds: 15, secrets: 21 }));
});
