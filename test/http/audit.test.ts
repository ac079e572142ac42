import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEvent } from '../../src/core/operators/audit-event.ts';
import { listAuditEvents, type StoredAuditEvent } from '../../src/storage/operators/audit-event.ts';
import { newPackage, shopper } from '../support/access/shopper.ts';
import { askForCode, codesFor, deviceGrant, phoneOf, poll, tenantOf } from '../support/device.ts';
import { secrets as clientSecrets, hosts, passwords } from '../support/fixtures.ts';
import { type AccountVisitor, accountOf } from '../support/members/account.ts';
import { codeIn } from '../support/members/outbox.ts';
import { addMember, oldPassword, recoveryLink, submitReset } from '../support/members/recover.ts';
import { applied, newPassword, submitCode } from '../support/members/sign-up.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { apps, credentialsOf, profile, refreshAs, revoke, tokensOf } from '../support/tokens.ts';
import {
  authorizationParameters,
  type Code,
  codeFor,
  field,
  pkce,
  type Tokens,
  token,
  visitor,
} from '../support/visitor.ts';

let service: TestService;
let lastId = 0;
/** Every secret that the run issued, used or guessed. */
const secrets = new Set<string>();
const note = (...values: readonly (string | undefined)[]) => {
  for (const value of values) if (value !== undefined && value !== '') secrets.add(value);
};
const noteTokens = (tokens: Tokens) => {
  note(tokens.access_token, tokens.id_token, tokens.refresh_token, tokens.refresh_token?.split('.').at(-1));
  return tokens;
};

const a = hosts.a;
const { pub1, conf1 } = apps;

beforeAll(async () => {
  service = await startTestService({ data: 'security' });
  note(...Object.values(passwords[a]), ...Object.values(clientSecrets), oldPassword, newPassword);
});
afterAll(() => service.stop());

const ownId = () => tenantOf(service, a).id;

/** What was written down since this was asked last, oldest first. */
async function newEvents(): Promise<readonly StoredAuditEvent[]> {
  const all = await service.store.transaction((tx) => listAuditEvents(tx, {}, 1_000));
  const fresh = all.filter(({ id }) => id > lastId).toSorted((one, other) => one.id - other.id);
  lastId = Math.max(lastId, ...all.map(({ id }) => id));
  return fresh;
}

type Expected = Partial<Omit<AuditEvent, 'reason'>> &
  Pick<AuditEvent, 'event'> & { readonly reason?: RegExp | null };

/** Runs something, and holds what was written down to what is expected, in order and nothing else. */
async function leaves<T>(work: () => Promise<T>, ...expected: readonly Expected[]): Promise<T> {
  await newEvents();
  const lines = service.logLines.length;
  const begun = service.clock.now();
  const result = await work();
  const ended = service.clock.now();
  const events = await newEvents();
  expect(events.map(({ event }) => event)).toEqual(expected.map(({ event }) => event));
  for (const [index, { reason, ...facts }] of expected.entries()) {
    const event = events[index];
    expect(event).toMatchObject({
      tenantId: ownId(),
      address: '127.0.0.1',
      result: 'done',
      ...facts,
    });
    expect(event?.at).toBeGreaterThan(begun);
    expect(event?.at).toBeLessThan(ended);
    if (reason === null) expect(event?.reason).toBeNull();
    else if (reason !== undefined) expect(event?.reason).toMatch(reason);
  }
  const logged = service.logLines.slice(lines).map((line) => JSON.parse(line));
  expect(logged.filter(({ msg }) => msg === 'audit').map(({ audit }) => audit)).toEqual(
    events.map(({ id: _, at, ...event }) => ({ ...event, at: new Date(at).toISOString() })),
  );
  return result;
}

const byMember = (actorId: string) => ({ actorKind: 'member', actorId }) as const;
const byClient = (clientId: string) => ({ actorKind: 'client', actorId: clientId, clientId }) as const;
const refused = (clientId: string) => ({ ...byClient(clientId), result: 'refused' }) as const;

async function idOf(email: string): Promise<string> {
  const row = await service.store.transaction((tx) =>
    tx
      .selectFrom('members')
      .select('id')
      .where('tenantId', '=', ownId())
      .where('email', '=', email)
      .executeTakeFirstOrThrow(),
  );
  return row.id;
}

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
    const u1 = await idOf('u1@example.test');
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
      reason: /^a refresh token 1 generation old, superseded 40 s ago$/,
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

  it('W11: a client that is not who it says it is; a client_id that nobody has is not kept', async () => {
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
    const u1 = await idOf('u1@example.test');
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

  it('W11: a member signs up, forgets the password, changes it, and leaves', async () => {
    const email = 'newcomer@example.test';
    const nobody = { actorKind: 'nobody', actorId: null } as const;
    await newEvents();
    const { browser, verify } = await applied(service, a, { email });
    const asked = (await newEvents()).find(({ event }) => event === 'sign_up_asked');
    expect(asked).toMatchObject({ ...nobody, target: null, reason: 'no account has the address' });
    await service.delivered();
    const digits = codeIn(service.outbox.sent.findLast(({ to }) => to === email) ?? { text: '' });
    note(digits);
    await submitCode(browser, verify, digits);
    const events = await newEvents();
    const id = await idOf(email);
    expect(events.map(({ event }) => event)).toEqual(['sign_up', 'sign_in', 'code_issued']);
    expect(events).toEqual(events.map((event) => expect.objectContaining({ ...byMember(id), id: event.id })));

    const member = await addMember(service, a);
    const link = await leaves(() => recoveryLink(service, a, member.email), {
      event: 'password_reset_asked',
      ...nobody,
      target: member.id,
    });
    note(link.split('/').at(-1), 'a new password of r1');
    await leaves(() => submitReset(visitor(service, a), link, 'a new password of r1'), {
      event: 'password_changed',
      ...byMember(member.id),
      reason: /link/,
    });

    const account = await accountOf(service, a, member.email, { password: 'a new password of r1' });
    for (const value of account.cookies.values()) note(value);
    const own = byMember(member.id);
    note('not the password', 'the third password of r1');
    const change = (currentPassword: string) => () =>
      account.submit('/account/password', { currentPassword, password: 'the third password of r1' });
    await leaves(change('not the password'), { event: 'sign_in_refused', ...own, result: 'refused' });
    await leaves(
      change('a new password of r1'),
      { event: 'password_changed', ...own, target: member.id, reason: null },
      { event: 'sign_in', ...own, reason: /again/ },
    );
    await leavesAccount(account, member.id);
  });

  it('W11: API calls are denied with the reason', async () => {
    const tokens = noteTokens(await tokensOf(service, a, pub1, { more: { scope: 'openid' } }));
    await leaves(() => profile(service, a, `${tokens.access_token}x`), {
      event: 'api_denied',
      tenantId: ownId(),
      result: 'refused',
      reason: /not signed by the tenant/,
    });
    await leaves(
      () =>
        service.http(a, '/api/v1/members/profile/info-with-content-access/explain?channel=x', {
          headers: { authorization: `Bearer ${tokens.access_token}` },
        }),
      {
        event: 'api_denied',
        ...refused('pub1'),
        target: await idOf('u1@example.test'),
        reason: /administrators only/,
      },
    );
    await leaves(() => profile(service, a, tokens.access_token));
    await leaves(() => service.http(a, '/api/v1/members/profile/consents'));
  });

  it('W11: forms of other sites, refused return addresses, logout, checkout', async () => {
    const u1 = await idOf('u1@example.test');
    const account = await accountOf(service, a);
    for (const value of account.cookies.values()) note(value);
    await leaves(
      () =>
        account.submit(
          '/account/sessions',
          { action: 'sign-out-others' },
          { headers: { origin: 'https://evil.test' } },
        ),
      { event: 'form_refused', result: 'refused' },
    );
    await leaves(() => account.send('/checkout?packageId=1&callBackUrl=https%3A%2F%2Fevil.test%2Fsecret'), {
      event: 'return_address_refused',
      result: 'refused',
      reason: /^callBackUrl leads to https:\/\/evil\.test, which is not allowed$/,
    });
    await leaves(
      () =>
        account.send(
          '/api/oidc/session/end?client_id=conf1&post_logout_redirect_uri=https%3A%2F%2Fevil.test%2F',
        ),
      { event: 'signed_out', ...byMember(u1), clientId: 'conf1' },
      { event: 'return_address_refused', clientId: 'conf1', result: 'refused' },
    );
    const packageId = await newPackage(service, a);
    const shop = shopper(service, a);
    await newEvents();
    const ordering = await shop.order({ packageId });
    const begun = (await newEvents()).filter(({ event }) => event.startsWith('checkout'));
    expect(begun).toMatchObject([{ event: 'checkout_begun', ...byMember(u1), target: ordering.id }]);
    await leaves(
      () => shop.submit(ordering, 'confirm'),
      { event: 'subscription_changed', ...byMember(u1), reason: /^begun, / },
      { event: 'checkout_completed', ...byMember(u1), target: ordering.id },
    );
  });

  it('W11: W7: no row and no line of all that holds a secret', async () => {
    const rows = await service.store.transaction((tx) => listAuditEvents(tx, {}, 10_000));
    const kinds = new Set(rows.map(({ event }) => event));
    expect(kinds.size).toBeGreaterThanOrEqual(30);
    expect(secrets.size).toBeGreaterThan(40);
    const all = `${JSON.stringify(rows)}\n${service.logLines.join('')}`;
    for (const secret of secrets) {
      for (const text of [secret, encodeURIComponent(secret)]) expect(all.includes(text), text).toBe(false);
    }
  });
});

/** The account area: an address asked for, details, the other browsers, the end. */
async function leavesAccount(account: AccountVisitor, memberId: string): Promise<void> {
  const own = { ...byMember(memberId), target: memberId };
  const currentPassword = 'the third password of r1';
  await leaves(() => account.submit('/account/email', { email: 'r1-new@example.test', currentPassword }), {
    event: 'email_change_asked',
    ...own,
  });
  await leaves(() => account.submit('/account/details', { fullName: 'Renamed' }), {
    event: 'member_changed',
    ...own,
  });
  await leaves(() => account.submit('/account/delete', { currentPassword }), {
    event: 'member_deletion_asked',
    ...own,
  });
  await leaves(() => account.send('/account'));
}

describe('what is written down', () => {
  it('X: an event of one tenant is in no list of another', async () => {
    const b = tenantOf(service, hosts.b).id;
    await tokensOf(service, hosts.b, pub1);
    const events = await service.store.transaction((tx) => listAuditEvents(tx, { tenantId: b }, 1_000));
    expect(events.map(({ event }) => event)).toEqual(['code_redeemed', 'code_issued', 'sign_in']);
    const own = await service.store.transaction((tx) => listAuditEvents(tx, { tenantId: ownId() }, 1_000));
    expect(own.some(({ tenantId }) => tenantId !== ownId())).toBe(false);
    expect(own.length).toBeGreaterThan(40);
  });

  it('what is rolled back leaves neither a row nor a line', async () => {
    const { refresh_token: text } = await tokensOf(service, a, conf1);
    await newEvents();
    const lines = service.logLines.length;
    // The work fails after the rotation was written and before its event is, so both must be undone.
    const { store } = service;
    const trigger = sql`create trigger broken after insert on auditEvents begin select raise(abort, 'no'); end`;
    await store.transaction((tx) => trigger.execute(tx));
    const answer = await refreshAs(service, a, conf1, text);
    await store.transaction((tx) => sql`drop trigger broken`.execute(tx));
    expect(answer.status).toBe(500);
    expect(await newEvents()).toEqual([]);
    expect(service.logLines.slice(lines).filter((line) => JSON.parse(line).msg === 'audit')).toEqual([]);
    // The token is current still: nothing of the work was kept.
    expect((await refreshAs(service, a, conf1, text)).status).toBe(200);
  });

  it('a flood of refusals from one address leaves sixty rows a minute of a kind, and one that says so', async () => {
    service.clock.advance(60_000);
    await newEvents();
    const flood = () => refreshAs(service, a, pub1, 'forged');
    for (let sent = 0; sent < 80; sent += 1) await flood();
    const events = await newEvents();
    expect(events.filter(({ event }) => event === 'refresh_refused')).toHaveLength(60);
    expect(events.filter(({ event }) => event === 'limit_reached')).toMatchObject([
      {
        tenantId: ownId(),
        result: 'refused',
        address: '127.0.0.1',
        reason: expect.stringMatching(/^refresh_refused/),
      },
    ]);
    expect(events).toHaveLength(61);
    service.clock.advance(60_000);
    await leaves(flood, { event: 'refresh_refused', ...refused('pub1') });
  });
});
