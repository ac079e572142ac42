import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { makeFirstAdmin, offerSetup } from '../../../src/operations/service/first-admin.ts';
import { createPasswords } from '../../../src/secrets/password.ts';
import { systemRandom } from '../../../src/system/random.ts';
import { htmlFindings } from '../../support/browser/page-checks.ts';
import type { Answer } from '../../support/http.ts';
import { digitsOf, shownSecret } from '../../support/members/second-factor.ts';
import { itOfSqlite } from '../../support/run/it-of-sqlite.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { serviceForTest } from '../../support/use-service.ts';
import { field, visitor } from '../../support/visitor.ts';

const host = 'login.example.test';
const facts = {
  tenantName: 'Example Post',
  issuer: `https://${host}`,
  fullName: 'Olga Operator',
  email: 'olga@example.test',
  password: 'kvist og eld i skogen',
};

let service: TestService;
let link: string;

const page = (ask = {}, path = link, at = host) => service.http(at, path, ask);
const submit = (more: Record<string, string> = {}) => page({ body: { ...facts, ...more } });

const counts = () =>
  service.store.transaction(async (tx) => ({
    tenants: (await tx.selectFrom('tenants').select('id').execute()).length,
    members: (await tx.selectFrom('members').select('id').execute()).length,
    keys: (await tx.selectFrom('signingKeys').select('kid').execute()).length,
    // What was refused is written down as well, and changes nothing.
    events: (await tx.selectFrom('auditEvents').select('id').where('result', '=', 'done').execute()).length,
  }));

const nothing = { tenants: 0, members: 0, keys: 0, events: 0 };

/** What an answer tells, without what differs from request to request. */
const told = ({ status, headers: { date: _date, ...headers }, text }: Answer) => ({ status, headers, text });

async function begin(): Promise<void> {
  // Hashes that take their time: requests of the same moment are inside before the first is through.
  service = await startTestService({ data: 'nothing', setupOffered: true, passwords: createPasswords() });
  link = `/setup/${await offerSetup(service.store, service.deps)}`;
}

describe('the set-up page of a new service, before anything is made', () => {
  beforeAll(begin);
  afterAll(() => service.stop());

  it('opens on any host, with the headers of every page, and suggests that host as the address', async () => {
    const answer = await page();
    expect(answer.status).toBe(200);
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    expect(answer.text).toContain('<title>Set up – Memberdoor</title>');
    expect(answer.text).toContain(`value="https://${host}"`);
    expect((await page({}, link, '127.0.0.1:3000')).text).not.toContain('value="http');
    expect(await htmlFindings(answer.text)).toEqual([]);
    const script = /src="(\/assets\/[^"]+)"/.exec(answer.text)?.[1] ?? '';
    expect((await page({}, script)).status).toBe(200);
  });

  it('suggests the address of the settings before that of the browser', async () => {
    const issuer = 'https://members.example.test';
    const configured = await startTestService({ data: 'nothing', setupOffered: true, issuer });
    onTestFinished(() => configured.stop());
    const path = `/setup/${await offerSetup(configured.store, configured.deps)}`;
    expect((await configured.http('127.0.0.1:3000', path)).text).toContain(`value="${issuer}"`);
  });

  it('speaks the language of the browser, or the one that is chosen', async () => {
    expect((await page({ headers: { 'accept-language': 'de' } })).text).toContain('Einrichten');
    const arabic = await page({ headers: { 'accept-language': 'de' } }, `${link}?ui_locales=ar`);
    expect(arabic.text).toContain('dir="rtl"');
    expect((await submit({ ui_locales: 'nb', tenantName: '' })).text).toContain('navnet på tenanten');
  });

  it.each([
    ['tenantName', '', 'Enter the name of the tenant'],
    ['tenantName', 'x'.repeat(61), 'Shorten the name of the tenant to 60 characters'],
    ['issuer', '', 'Enter the public address'],
    ['issuer', 'login.example.test', 'Enter an address such as'],
    ['issuer', 'http://login.example.test', 'Enter an address such as'],
    ['issuer', 'https://login.example.test/door', 'Enter an address such as'],
    ['issuer', 'https://olga@login.example.test', 'Enter an address such as'],
    ['fullName', ' ', 'Enter your name'],
    ['email', 'olga', 'Enter an email address, for example'],
    ['password', 'too short', 'Enter at least 12 characters'],
    ['password', 'olga@example.test', 'Your password can’t be your email address'],
    ['password', 'passwordpassword', 'Choose a less common password'],
  ])('%s %j is refused, and what was written is kept but the password', async (name, value, text) => {
    const answer = await submit({ [name]: value });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('<title>Error: Set up');
    expect(answer.text).toContain(`href="#${name}">${text}`);
    expect(answer.text).not.toContain(facts.password);
    for (const [other, kept] of Object.entries(facts)) {
      if (other !== name && other !== 'password') expect(answer.text).toContain(`value="${kept}"`);
    }
    expect(await counts()).toEqual(nothing);
  });

  it('U14: a form of another site does nothing', async () => {
    const answer = await page({ body: facts, headers: { 'sec-fetch-site': 'cross-site' } });
    expect(answer.status).toBe(403);
    expect(await counts()).toEqual(nothing);
  });

  it('X7: while it is open, an unknown host gets nothing else', async () => {
    for (const path of ['/', '/sign-in', '/account', '/.well-known/openid-configuration', '/setup/']) {
      expect((await page({}, path)).text).toBe('Not found\n');
    }
  });
});

describe('the set-up link of a new service', () => {
  beforeEach(begin);
  afterEach(() => service.stop());

  it('makes tenant, keys and administrator, says where to sign in, and is used up', async () => {
    const done = await submit();
    expect({ status: done.status, location: done.headers.location }).toEqual({ status: 303, location: link });
    expect(await counts()).toEqual({ tenants: 1, members: 1, keys: 2, events: 1 });
    const logged = service.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'audit');
    expect(logged.map(({ audit }) => audit)).toEqual([
      expect.objectContaining({ event: 'admin_acted', reason: 'set up', address: '127.0.0.1' }),
    ]);
    expect((await page()).text).toContain(`href="${facts.issuer}/admin"`);

    const browser = visitor(service, host);
    let signIn = await browser.send('/account');
    while (signIn.status === 303) signIn = await browser.send(signIn.headers.location ?? '');
    const led = await browser.signIn(signIn, facts.email, facts.password);
    // An administrator sets the second factor up before anything else (SF13).
    const step = await browser.send(String(led.headers.location));
    const code = await digitsOf(service, shownSecret(step));
    await browser.send('/second-factor', {
      body: { flow: field(step, 'flow'), setUp: field(step, 'setUp'), code },
    });
    expect((await browser.send('/account')).text).toContain(facts.fullName);

    const again = await submit({ issuer: 'https://other.example.test', email: 'eve@example.test' });
    expect(again.status).toBe(410);
    expect(again.text).toContain('If it wasn’t you');
    // The set-up, the second factor and the sign-in.
    expect(await counts()).toEqual({ tenants: 1, members: 1, keys: 2, events: 3 });
  });

  it('makes a system administrator with what was given, and writes down that it did', async () => {
    await submit({ issuer: ` https://${host.toUpperCase()}/ `, fullName: ' Olga Operator ' });
    const [member, tenant, event] = await service.store.transaction(async (tx) => [
      await tx.selectFrom('members').selectAll().executeTakeFirstOrThrow(),
      await tx.selectFrom('tenants').selectAll().executeTakeFirstOrThrow(),
      await tx.selectFrom('auditEvents').selectAll().executeTakeFirstOrThrow(),
    ]);
    expect(tenant).toMatchObject({ name: 'Example Post', issuer: `https://${host}`, host, development: 0 });
    expect(member).toMatchObject({ fullName: 'Olga Operator', userType: 'system_admin', status: 'active' });
    expect(member.passwordHash).toMatch(/^\$argon2id\$/);
    expect(event).toMatchObject({
      event: 'admin_acted',
      actorKind: 'operator',
      tenantId: tenant.id,
      target: member.id,
      address: '127.0.0.1',
      reason: 'set up',
    });
  });

  it('of twenty that are sent at the same moment, one does it', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => submit({ email: `admin${index}@example.test` })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([303, ...Array(19).fill(410)]);
    expect(await counts()).toEqual({ tenants: 1, members: 1, keys: 2, events: 1 });
  });

  it('with another secret looks like any address on an unknown host, and is limited', async () => {
    expect((await page()).status).toBe(200);
    const unknown = told(await page({}, '/'));
    expect(unknown.status).toBe(404);
    const wrong = `/setup/${systemRandom.secret()}`;
    expect(told(await page({}, wrong))).toEqual(unknown);
    expect(told(await page({ body: facts }, wrong))).toEqual(unknown);
    expect(told(await page({ method: 'PUT' }, wrong))).toEqual(unknown);
    for (let count = 2; count < 30; count += 1) await page({}, wrong);
    const limited = await page({}, wrong);
    expect(limited.status).toBe(429);
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
    // Who has opened the right one is not kept waiting.
    expect((await page()).status).toBe(200);
    expect(await counts()).toEqual(nothing);
  });

  it('is used up by an administrator who was made in another way', async () => {
    const deps = { ...service.deps, now: service.clock.now() };
    await makeFirstAdmin(service.store, { ...facts, language: null }, null, null, deps);
    expect((await page()).text).toContain(`href="${facts.issuer}/admin"`);
    expect((await submit({ email: 'eve@example.test' })).status).toBe(410);
    expect(await counts()).toMatchObject({ tenants: 1, members: 1 });
  });

  // Of several processes all print the same (test/http/shared/set-up.test.ts).
  itOfSqlite('a newer link replaces it', async () => {
    const newer = `/setup/${await offerSetup(service.store, service.deps)}`;
    expect((await page()).status).toBe(404);
    expect((await page({}, newer)).status).toBe(200);
  });

  it('W7, W9: neither link nor password stands in the log or in the database', async () => {
    await page();
    await submit();
    const secret = link.replace('/setup/', '');
    const rows = JSON.stringify(
      await service.store.transaction(async (tx) => [
        await tx.selectFrom('service').selectAll().execute(),
        await tx.selectFrom('auditEvents').selectAll().execute(),
      ]),
    );
    expect(service.logLines.join('')).toContain('/setup/:secret');
    for (const text of [service.logLines.join(''), rows]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(facts.password);
    }
  });
});

describe('the set-up link of a service that has tenants', () => {
  beforeAll(async () => {
    service = await startTestService({ data: 'security', setupOffered: true });
    link = `/setup/${await offerSetup(service.store, service.deps)}`;
  });
  afterAll(() => service.stop());

  it('with another secret is not there', async () => {
    expect((await page({}, '/setup/x', 'a.test')).status).toBe(404);
    expect((await page({}, '/setup/x')).text).toBe('Not found\n');
  });

  it('makes the administrator on the tenant of that address, which stays as it is', async () => {
    const form = await page({}, link, 'b.test');
    expect(form.text).toContain('value="https://b.test"');
    const taken = await submit({ issuer: 'https://b.test', email: 'U1@example.test' });
    expect(taken.text).toContain('a member of this tenant has this one');
    expect((await submit({ issuer: 'https://b.test' })).status).toBe(303);
    const members = await service.store.transaction((tx) =>
      tx
        .selectFrom('members')
        .innerJoin('tenants', 'tenants.id', 'members.tenantId')
        .select(['tenants.name', 'members.email'])
        .where('userType', '=', 'system_admin')
        .execute(),
    );
    expect(members).toEqual([{ name: 'Tenant B', email: facts.email }]);
  });
});

it('a start that printed no link knows no such address', async () => {
  service = await serviceForTest({ data: 'security' });
  link = `/setup/${await offerSetup(service.store, service.deps)}`;
  expect((await page()).text).toBe('Not found\n');
  expect((await page({}, link, 'a.test')).status).toBe(404);
  expect((await submit()).status).toBe(404);
});
