import { beforeAll, describe, expect, it } from 'vitest';
import { hosts } from '../../../support/fixtures.ts';
import { run } from '../../../support/operators/desk.ts';
import { filledIn, mainOf, newAdmin, type PortalVisitor } from '../../../support/operators/portal.ts';
import { allRows } from '../../../support/records/rows.ts';
import { useService } from '../../../support/use-service.ts';

const service = useService({ data: 'security' });
/** An administrator of tenant A, and one of the whole service at home on it. */
let tina: PortalVisitor;
let sam: PortalVisitor;

const home = `/admin/tenants/${hosts.a}`;
const abroad = `/admin/tenants/${hosts.b}`;

beforeAll(async () => {
  tina = await newAdmin(service, hosts.a, 'tina@example.test');
  sam = await newAdmin(service, hosts.a, 'sam@example.test', 'system_admin');
});

describe('a form', () => {
  it('R18, pages 6: names each wrong address beside its field, and keeps what was written', async () => {
    const path = `${home}/clients/conf1/+change`;
    const redirectUris = [
      'https://app.test/cb',
      'http://evil.test/cb',
      'https://*.app.test/cb',
      'javascript:x',
    ];
    const answer = await tina.submit(path, { redirectUris: redirectUris.join('\n'), name: 'Kept' });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('<title>Error: Edit client – Tenant A</title>');
    const field = /<textarea id="f-redirectUris"[^>]*>/.exec(answer.text)?.[0];
    expect(field).toMatch(/aria-describedby="f-redirectUris-hint f-redirectUris-error" aria-invalid="true"/);
    expect(answer.text.match(/<a href="#f-redirectUris">/g)).toHaveLength(3);
    expect(filledIn(answer).get('redirectUris')).toBe(redirectUris.join('\n'));
    expect(filledIn(answer).get('name')).toBe('Kept');
    expect(
      (await run<{ name: string }>(service, 'clients.read', { tenant: hosts.a, clientId: 'conf1' })).name,
    ).toBe('Confidential One');
    // The form that was refused can be sent again.
    const mended = filledIn(answer, {
      redirectUris: 'https://app.test/cb\nhttps://app.test/cb2',
      name: 'Confidential One',
    });
    expect((await tina.send(path, { body: mended })).status).toBe(303);
  });

  it('pages 6: every problem at once, in words, with its line', async () => {
    const answer = await tina.submit(`${home}/packages/+create`, {
      'price.amount': '-1',
      'price.currency': 'EUR',
      'period.count': 'many',
      'period.unit': 'month',
    });
    const page = mainOf(answer);
    for (const text of [
      'Name is missing.',
      'Payment is missing.',
      'Amount must be 0 or more.',
      'Count must be a whole number.',
    ]) {
      expect(page).toContain(text);
    }
  });

  it('pages 6: finds the field of a problem by what the field is called', async () => {
    const answer = await tina.submit(`${home}/clients/+create`, {
      clientId: 'a b',
      name: 'x'.repeat(3_000),
      type: 'public',
      redirectUris: 'http://evil.test/cb',
      logo: 'data:text/html,x',
    });
    const fields = [...answer.text.matchAll(/<li><a href="#f-(\w+)">/g)].map(([, name]) => name);
    expect(fields).toEqual(expect.arrayContaining(['clientId', 'redirectUris', 'logo']));
    expect(answer.text).not.toMatch(/<li>[A-Z]/);
  });

  it('never shows a password again', async () => {
    const answer = await tina.submit(`${home}/members/+create`, {
      fullName: '',
      email: 'new@example.test',
      password: 'hunter2-is-no-password',
    });
    expect(answer.status).toBe(422);
    expect(answer.text).not.toContain('hunter2-is-no-password');
  });

  it.each([
    { path: '/keys/+rotate', values: { emergency: 'true', algorithm: 'ES256' } },
    { path: '/clients/conf2/device-flow/+set-device-flow', values: { enabled: 'true', force: 'true' } },
  ])('asks once more before $path with what ends things', async ({ path, values }) => {
    const before = await allRows(service, ['auditEvents', 'sessions']);
    const asked = await sam.submit(`${home}${path}`, values);
    expect(asked.status).toBe(200);
    expect(mainOf(asked)).toContain('It is done as soon as you say yes.');
    expect(await allRows(service, ['auditEvents', 'sessions'])).toEqual(before);
    const done = await sam.send(`${home}${path}`, { body: filledIn(asked) });
    expect(done.status).toBe(303);
    expect(await allRows(service, ['auditEvents', 'sessions'])).not.toEqual(before);
  });

  it('puts nothing new in the place of what is there', async () => {
    const fields = { channelId: 'live', name: 'Live' };
    expect((await tina.submit(`${home}/channels/+define`, fields)).status).toBe(303);
    const again = await tina.submit(`${home}/channels/+define`, { ...fields, name: 'Other' });
    expect(again.status).toBe(422);
    expect(again.text).toContain('<a href="#f-channelId">');
    expect((await tina.submit(`${home}/channels/live/+define`, { name: 'Other' })).status).toBe(303);
    expect(mainOf(await tina.send(`${home}/channels`))).toContain('Other');
  });

  it('begins with what is there, and changes nothing that it does not show otherwise', async () => {
    const before = await run(service, 'tenants.read', { tenant: hosts.a });
    expect((await tina.submit(`${home}/+change`)).status).toBe(303);
    expect(await run(service, 'tenants.read', { tenant: hosts.a })).toEqual(before);
    const client = { tenant: hosts.a, clientId: 'third' };
    const third = await run(service, 'clients.read', client);
    expect((await tina.submit(`${home}/clients/third/+change`)).status).toBe(303);
    expect(await run(service, 'clients.read', client)).toEqual(third);
  });

  it('says "none" where that is no limit, and takes it back', async () => {
    const limit = () => service.tenants.byHost(hosts.a)?.limits.signUpsPerAddressAndHour;
    await tina.submit(`${home}/+change`, { 'limits.signUpsPerAddressAndHour': 'none' });
    expect(limit()).toBeNull();
    expect(mainOf(await tina.send(home))).toContain('no limit');
    expect(filledIn(await tina.send(`${home}/+change`)).get('limits.signUpsPerAddressAndHour')).toBe('none');
    await tina.submit(`${home}/+change`, { 'limits.signUpsPerAddressAndHour': '20' });
    expect(limit()).toBe(20);
  });

  it('warns an administrator who is about to close the portal that they are using', async () => {
    expect(mainOf(await sam.send(`${home}/+disable`))).toContain('its portal closes with it');
    expect(mainOf(await sam.send(`${abroad}/+disable`))).not.toContain('its portal closes with it');
  });

  it('H6: a repeated field counts once, and an unknown field is ignored', async () => {
    const body = filledIn(await tina.send(`${home}/products/+create`), { name: 'Sport live' });
    body.append('__proto__', 'x');
    body.append('tenant', hosts.b);
    expect((await tina.send(`${home}/products/+create`, { body })).status).toBe(303);
    expect(mainOf(await tina.send(`${home}/products`))).toContain('Sport live');
    expect((await tina.send(`${home}/products/+create`, { body: 'name=%ff' })).status).toBe(403);
  });
});
