import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { listAuditEvents } from '../../../src/storage/operators/audit-list.ts';
import { newPackage, shopper } from '../../support/access/shopper.ts';
import { setLimits, tenantOf, unlimited } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import { codeIn } from '../../support/mails/outbox.ts';
import { type AccountVisitor, accountOf } from '../../support/members/account.ts';
import { addMember, recoveryLink, submitReset } from '../../support/members/recover.ts';
import { applied, submitCode } from '../../support/members/sign-up.ts';
import { type AuditWatch, byMember, idOf, refused, watchAudit } from '../../support/operators/audit-watch.ts';
import { itOfSqlite } from '../../support/run/it-of-sqlite.ts';
import { apps, profile, refreshAs, tokensOf } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import { field, visitor } from '../../support/visitor.ts';

const service = useService({ data: 'security' });
let watch: AuditWatch;
let leaves: AuditWatch['leaves'];
let newEvents: AuditWatch['newEvents'];
let note: AuditWatch['note'];
let noteTokens: AuditWatch['noteTokens'];

const a = hosts.a;
const { pub1, conf1 } = apps;

beforeAll(() => {
  watch = watchAudit(service);
  ({ leaves, newEvents, note, noteTokens } = watch);
});

const ownId = () => tenantOf(service, a).id;

describe('W11: whatever concerns security is written down once, as a row and as a line', () => {
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
    const id = await idOf(service, email);
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
        target: await idOf(service, 'u1@example.test'),
        reason: /administrators only/,
      },
    );
    await leaves(() => profile(service, a, tokens.access_token));
    await leaves(() => service.http(a, '/api/v1/members/profile/consents'));
  });

  it('W11: forms of other sites, refused return addresses, logout, checkout', async () => {
    const u1 = await idOf(service, 'u1@example.test');
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
      {
        event: 'return_address_refused',
        clientId: 'conf1',
        result: 'refused',
        reason: /^the post_logout_redirect_uri is not registered$/,
      },
    );
    await leaves(() => account.send('/api/oidc/session/end?client_id=conf1&id_token_hint=secret'), {
      event: 'return_address_refused',
      clientId: 'conf1',
      result: 'refused',
      reason: /^the id_token_hint is not an id_token of this client/,
    });
    const leaving = await account.send('/api/oidc/session/end');
    const confirm = field(leaving, 'confirm');
    note(confirm);
    await leaves(() => account.send('/api/oidc/session/end', { body: { confirm } }), {
      event: 'signed_out',
      ...byMember(u1),
    });
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

  it('W11: W7: no row and no line of all that holds a secret', () =>
    watch.expectNoSecrets({ kinds: 15, secrets: 18 }));
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
    expect(own.length).toBeGreaterThan(20);
  });

  itOfSqlite('what is rolled back leaves neither a row nor a line', async () => {
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
    await setLimits(service, a, unlimited);
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
