import { describe, expect, it } from 'vitest';
import { disableMember, enableMember } from '../../../src/operations/member/member.ts';
import { removePasskey } from '../../../src/operations/passkey/passkeys.ts';
import { findPasskeyByCredential } from '../../../src/storage/members/passkey.ts';
import { deleteSecondFactor } from '../../../src/storage/members/second-factor.ts';
import { hosts, passwords } from '../../support/fixtures.ts';
import { accountOf } from '../../support/members/account.ts';
import { expectRefused, inside, isIn, passkeysOf } from '../../support/members/passkeys.ts';
import { giveSecondFactor } from '../../support/members/second-factor.ts';
import { askedIn, type Said, softPasskey } from '../../support/members/soft-passkey.ts';
import { median } from '../../support/process/median.ts';
import { useService } from '../../support/use-service.ts';
import { field, visitor, withoutSeals } from '../../support/visitor.ts';

const service = useService({ data: 'security' });

const { tenantOf, at, memberOf, handleOf, make, atSignIn, send, signIn, working } = passkeysOf(service);

describe('signing in with a passkey', () => {
  it('begins a session of two factors, and the audit says by which way', async () => {
    const passkey = await working();
    const { answer } = await signIn(passkey, { counter: 1 });
    expect(isIn(answer)).toEqual(inside);
    const [session] = await service.store.transaction((tx) =>
      tx.selectFrom('sessions').select(['amr', 'strongAt']).orderBy('createdAt', 'desc').limit(1).execute(),
    );
    expect(session).toEqual({ amr: 'hwk user', strongAt: expect.any(Number) });
    const [event] = await service.store.transaction((tx) =>
      tx
        .selectFrom('auditEvents')
        .select(['event', 'way'])
        .where('event', '=', 'sign_in')
        .orderBy('id', 'desc')
        .execute(),
    );
    expect(event).toEqual({ event: 'sign_in', way: 'passkey' });
  });

  it('decision 47: takes the place of both factors where a second one is asked for', async () => {
    const passkey = await working();
    const { id } = await memberOf(hosts.a, 'u1@example.test');
    await giveSecondFactor(service, id);
    const { browser, flow } = await atSignIn();
    const first = { flow, email: 'u1@example.test', password: passwords[hosts.a]['u1@example.test'] };
    const asked = await browser.send('/sign-in', { body: first });
    const page = await browser.send(String(asked.headers.location));
    const form = page.text.slice(page.text.indexOf('action="/sign-in"'));
    const said = {
      ...at(hosts.a, askedIn(page).challenge),
      userHandle: await handleOf(hosts.a, 'u1@example.test'),
    };
    const answer = await send(browser, field({ ...page, text: form }, 'flow'), passkey.signed(said));
    expect(isIn(answer)).toEqual(inside);
    await service.store.transaction((tx) => deleteSecondFactor(tx, { id, tenantId: tenantOf(hosts.a).id }));
  });

  it('WA1: a challenge that was signed before', async () => {
    const passkey = await working();
    const { browser, flow, text, answer } = await signIn(passkey);
    expect(isIn(answer)).toEqual(inside);
    expectRefused(await send(browser, flow, text));
  });

  it('WA2: the challenge of another browser, and one that is garbled', async () => {
    const passkey = await working();
    const [one, other] = [await atSignIn(), await atSignIn()];
    const userHandle = await handleOf(hosts.a, 'u1@example.test');
    const foreign = passkey.signed({ ...at(hosts.a, one.challenge), userHandle });
    expectRefused(await send(other.browser, other.flow, foreign));
    const garbled = passkey.signed({ ...at(hosts.a, `${one.challenge}x`), userHandle });
    expectRefused(await send(one.browser, one.flow, garbled));
  });

  it('WA3: a challenge for something else, and one that is too old', async () => {
    const passkey = await working();
    const account = await accountOf(service, hosts.a);
    const userHandle = await handleOf(hosts.a, 'u1@example.test');
    const toCreate = askedIn(await account.send('/account/passkeys/new')).challenge;
    account.cookies.delete('__Host-memberdoor-session');
    const { flow } = await atSignIn(account);
    expectRefused(await send(account, flow, passkey.signed({ ...at(hosts.a, toCreate), userHandle })));
    const late = await atSignIn();
    const text = passkey.signed({ ...at(hosts.a, late.challenge), userHandle });
    service.clock.advance(600_000);
    const answer = await send(late.browser, late.flow, text);
    expect([answer.status, answer.text.includes('That took too long')]).toEqual([422, true]);
  });

  it.each<{ id: string; title: string; more: Partial<Said> }>([
    { id: 'WA4', title: 'another origin', more: { origin: 'https://evil.test' } },
    { id: 'WA4', title: 'another port', more: { origin: `https://${hosts.a}:8443` } },
    { id: 'WA4', title: 'a frame of another site', more: { crossOrigin: true } },
    { id: 'WA5', title: 'another RP ID', more: { domain: 'evil.test' } },
    { id: 'WA6', title: 'the type of a new passkey', more: { type: 'webauthn.create' } },
    { id: 'WA7', title: 'no user verification', more: { flags: 1 } },
    { id: 'WA7', title: 'nobody there', more: { flags: 4 } },
    {
      id: 'WA8',
      title: 'another member’s name',
      more: { userHandle: Buffer.from('another').toString('base64url') },
    },
    { id: 'WA8', title: 'no name', more: { userHandle: null } },
    { id: 'WA9', title: 'a key of one device that is of several now', more: { flags: 1 | 4 | 8 } },
  ])('$id: a signature that says $title', async ({ more }) => {
    const passkey = await working();
    expectRefused((await signIn(passkey, more)).answer);
    expect(isIn((await signIn(passkey)).answer)).toEqual(inside);
  });

  it('WA10: a counter that goes back, and the audit tells of it', async () => {
    const passkey = await working();
    expect(isIn((await signIn(passkey, { counter: 7 })).answer)).toEqual(inside);
    for (const counter of [7, 3, 0]) expectRefused((await signIn(passkey, { counter })).answer);
    const told = await service.store.transaction((tx) =>
      tx.selectFrom('auditEvents').select('result').where('event', '=', 'passkey_refused').execute(),
    );
    expect(told.length).toBeGreaterThanOrEqual(3);
    expect(isIn((await signIn(passkey, { counter: 8 })).answer)).toEqual(inside);
  });

  it('WA11: an unknown passkey, a wrong signature and a disabled account cannot be told apart', async () => {
    const email = 'u2@example.test';
    const passkey = await working(email);
    const pretender = softPasskey(Buffer.from(passkey.id, 'base64url'));
    const times: Record<string, number[]> = { unknown: [], wrong: [] };
    const kinds = { unknown: softPasskey(), wrong: pretender };
    const pages: string[] = [];
    for (let round = 0; round < 20; round += 1) {
      for (const [kind, one] of Object.entries(kinds)) {
        service.clock.advance(61_000);
        const { browser, flow, challenge } = await atSignIn();
        const said = { ...at(hosts.a, challenge), userHandle: await handleOf(hosts.a, email) };
        const began = performance.now();
        const answer = await send(browser, flow, one.signed(said));
        times[kind]?.push(performance.now() - began);
        expectRefused(answer);
        pages.push(withoutSeals(answer.text).replaceAll(/[\w-]{100,}/g, 'SEAL'));
      }
    }
    expect(new Set(pages).size).toBe(1);
    expect(Math.abs(median(times.unknown ?? []) - median(times.wrong ?? []))).toBeLessThan(15);
    const { id, tenantId } = await memberOf(hosts.a, email);
    await service.store.transaction((tx) => disableMember(tx, tenantId, id, service.clock.now()));
    expectRefused((await signIn(passkey, {}, email)).answer);
    await service.store.transaction((tx) => enableMember(tx, tenantId, id, service.clock.now()));
  });

  it('WA12: 200 signatures at once on one challenge sign in once', async () => {
    const passkey = await working();
    const { browser, flow, challenge } = await atSignIn();
    const userHandle = await handleOf(hosts.a, 'u1@example.test');
    const text = passkey.signed({ ...at(hosts.a, challenge), userHandle });
    const before = new Map(browser.cookies);
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => {
        const one = visitor(service, hosts.a);
        for (const [name, value] of before) one.cookies.set(name, value);
        return send(one, flow, text);
      }),
    );
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(answers.some(({ status }) => status >= 500)).toBe(false);
  });

  it('WA13: bodies that are huge, or no signature', async () => {
    const { browser, flow } = await atSignIn();
    for (const text of [
      'x',
      '{}',
      '[]',
      'null',
      '{"id":"a","clientDataJSON":"e30"}',
      `{"id":"${'a'.repeat(2_000)}"}`,
    ]) {
      expectRefused(await send(browser, flow, text));
    }
    expect([400, 413]).toContain((await send(browser, flow, 'x'.repeat(17_000))).status);
  });

  it('WA14: a passkey of another tenant, and one that was removed', async () => {
    const abroad = softPasskey();
    await make(abroad, { host: hosts.b });
    expectRefused((await signIn(abroad)).answer);
    const passkey = await working();
    const member = await memberOf(hosts.a, 'u1@example.test');
    await service.store.transaction(async (tx) => {
      const found = await findPasskeyByCredential(tx, member.tenantId, passkey.id);
      const deps = { clock: service.clock.now, mails: service.mails };
      if (found !== null) await removePasskey(tx, tenantOf(hosts.a), member, found, deps);
    });
    expectRefused((await signIn(passkey)).answer);
  });
});
