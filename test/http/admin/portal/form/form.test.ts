import { beforeAll, describe, expect, it } from 'vitest';
import { hosts } from '../../../../support/fixtures.ts';
import { run } from '../../../../support/operators/desk.ts';
import { filledIn, mainOf, newAdmin, type PortalVisitor } from '../../../../support/operators/portal.ts';
import { nameTyped } from '../../../../support/operators/portal-forms.ts';
import { allRows } from '../../../../support/records/rows.ts';
import { useService } from '../../../../support/use-service.ts';

const service = useService({ data: 'security' });
/** An administrator of tenant A, and one of the whole service at home on it. */
let tina: PortalVisitor;
let sam: PortalVisitor;

const home = `/admin/tenants/${hosts.a}`;

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
      payment: null,
    });
    const page = mainOf(answer);
    for (const text of [
      'Name is missing.',
      'Payment is missing.',
      'Price must be 0.00 EUR or more.',
      'Period must be a whole number.',
    ]) {
      expect(page).toContain(text);
    }
  });

  it('pages 6: says of what is not among the choices of a list that it is to be chosen there, and no more', async () => {
    const page = mainOf(await tina.send(`${home}/audit?event=nothing`));
    expect(page).toContain('Choose Event from the list.');
    expect(page).not.toContain('must be one of');
  });

  it('pages 24: says what it is for in words for operators, and a grave act what it ends alone', async () => {
    const lead = async (path: string) =>
      /<p class="lead">([^<]*)</.exec(mainOf(await sam.send(`${home}${path}`)))?.[1] ?? null;
    expect(await lead('/tokens/+create')).toContain('You see the token once, on the next page.');
    expect(await lead('/webhooks/+create')).not.toContain('endpoint');
    expect(await lead('/clients/conf1/+disable')).toBeNull();
  });

  it('pages 24: names its choices in words, not as programs do', async () => {
    const choices = async (path: string) =>
      mainOf(await sam.send(`${home}${path}`)).replaceAll(/<[^>]*>/g, ' ');
    expect(await choices('/+change/sign-in')).toMatch(/Off\s+Beside the password\s+Instead of a password/);
    expect(await choices('/members/+create')).toMatch(/Arabic\s+Danish\s+German\s+English/);
  });

  it('pages 21: has a button that makes what is new, and one that saves what is there', async () => {
    const button = async (path: string) =>
      /<button class="main" type="submit">([^<]*)</.exec(mainOf(await sam.send(`${home}${path}`)))?.[1];
    await run(service, 'channels.define', {
      tenant: hosts.a,
      channelId: 'loud',
      name: 'Loud',
      productIds: [],
    });
    expect(await button('/channels/+define')).toBe('Create channel');
    expect(await button('/channels/loud/+define')).toBe('Save changes');
  });

  it('pages 21: of something new below a member says her name and address where an id stood', async () => {
    const { members } = await run<{ members: readonly { id: string; fullName: string; email: string }[] }>(
      service,
      'members.list',
      { tenant: hosts.a, search: 'u1@' },
    );
    const { id = '', fullName, email } = members[0] ?? {};
    const page = mainOf(await tina.send(`${home}/members/${id}/subscriptions/+create`));
    expect(page).toContain(`<h1>New subscription for <bdi>${fullName}</bdi></h1>`);
    expect(page).toContain(`<bdi>${email}</bdi>`);
    expect(page.replaceAll(/(action|href)="[^"]*"/g, '')).not.toContain(id);
  });

  it('pages 6: finds the field of a problem by what the field is called', async () => {
    const answer = await tina.submit(`${home}/clients/+create`, {
      clientId: 'a b',
      name: 'x'.repeat(3_000),
      kind: 'single_page_app',
      address: 'https://evil.test',
      redirectUris: 'http://evil.test/cb',
      accessTokenSeconds: '9',
      'accessTokenSeconds:unit': 'hour',
    });
    const fields = [...answer.text.matchAll(/<li><a href="#f-(\w+)">/g)].map(([, name]) => name);
    expect(fields).toEqual(expect.arrayContaining(['accessTokenSeconds']));
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
    expect(mainOf(asked)).toMatch(/Tokens that the old keys signed|It is off at the stage tenant/);
    expect(await allRows(service, ['auditEvents', 'sessions'])).toEqual(before);
    const done = await sam.send(`${home}${path}`, { body: filledIn(asked, nameTyped(asked)) });
    expect(done.status).toBe(303);
    expect(await allRows(service, ['auditEvents', 'sessions'])).not.toEqual(before);
  });

  it('does not replace what is there', async () => {
    const fields = { channelId: 'live', name: 'Live' };
    expect((await tina.submit(`${home}/channels/+define`, fields)).status).toBe(303);
    const again = await tina.submit(`${home}/channels/+define`, { ...fields, name: 'Other' });
    expect(again.status).toBe(422);
    expect(again.text).toContain('<a href="#f-channelId">');
    expect((await tina.submit(`${home}/channels/live/+define`, { name: 'Other' })).status).toBe(303);
    expect(mainOf(await tina.send(`${home}/channels`))).toContain('Other');
  });

  it('begins with what is there, and changes only what was changed in it', async () => {
    const before = await run(service, 'tenants.read', { tenant: hosts.a });
    expect((await tina.submit(`${home}/+change`)).status).toBe(303);
    expect(await run(service, 'tenants.read', { tenant: hosts.a })).toEqual(before);
    const client = { tenant: hosts.a, clientId: 'third' };
    const third = await run(service, 'clients.read', client);
    expect((await tina.submit(`${home}/clients/third/+change`)).status).toBe(303);
    expect(await run(service, 'clients.read', client)).toEqual(third);
  });

  it('pages 21: takes lengths of time in days, hours and minutes, and shows them so', async () => {
    const path = `${home}/clients/third/+change`;
    const lifetime = async () =>
      (
        await run<{ accessTokenSeconds: number }>(service, 'clients.read', {
          tenant: hosts.a,
          clientId: 'third',
        })
      ).accessTokenSeconds;
    const long = { accessTokenSeconds: '1.5', 'accessTokenSeconds:unit': 'hour' };
    expect((await tina.submit(path, long)).status).toBe(303);
    expect(await lifetime()).toBe(5_400);
    const form = filledIn(await tina.send(path));
    expect([form.get('accessTokenSeconds'), form.get('accessTokenSeconds:unit')]).toEqual(['90', 'minute']);
    expect([form.get('refreshTokenIdleSeconds'), form.get('refreshTokenIdleSeconds:unit')]).toEqual([
      '90',
      'day',
    ]);
    for (const [typed, unit, told] of [
      ['5', 'hour', 'Access token lifetime must be 4 hours or less.'],
      ['soon', 'hour', 'Access token lifetime must be a number of days, hours, minutes or seconds.'],
      ['0.0001', 'minute', 'Access token lifetime must be a number of days, hours, minutes or seconds.'],
      ['1', 'week', 'Access token lifetime must be a number of days, hours, minutes or seconds.'],
    ] as const) {
      const values = { accessTokenSeconds: typed, 'accessTokenSeconds:unit': unit };
      const refused = await tina.submit(path, values);
      expect([refused.status, filledIn(refused).get('accessTokenSeconds')]).toEqual([422, typed]);
      expect(mainOf(refused)).toContain(told);
    }
    expect(await lifetime()).toBe(5_400);
  });

  it.each([
    ['149', 'NOK', 14_900],
    ['149.50', 'NOK', 14_950],
    ['149,5', 'EUR', 14_950],
    ['1 490.00', 'SEK', 149_000],
    ['149', 'JPY', 149],
    ['1.250', 'KWD', 1_250],
    ['1.490', 'NOK', null],
    ['1,490', 'NOK', null],
    ['149.5', 'JPY', null],
    ['1.490,00', 'NOK', null],
    ['149 kr', 'NOK', null],
    ['1e3', 'NOK', null],
  ] as const)(
    'pages 21: takes %s %s for what it is, and guesses at nothing',
    async (typed, currency, amount) => {
      const name = `Costs ${typed} ${currency}`;
      const answer = await tina.submit(`${home}/packages/+create`, {
        name,
        'price.amount': typed,
        'price.currency': currency,
        'period.count': '1',
        'period.unit': 'month',
        payment: 'invoice',
      });
      if (amount === null) {
        expect(answer.status).toBe(422);
        expect(filledIn(answer).get('price.amount')).toBe(typed);
        expect(mainOf(answer)).toContain('Price must be an amount such as 149.00');
        return;
      }
      expect([answer.status, mainOf(answer)]).toEqual([303, expect.anything()]);
      const { packages } = await run<{ packages: readonly { id: number; name: string; price: object }[] }>(
        service,
        'packages.list',
        { tenant: hosts.a, limit: 100 },
      );
      const made = packages.find((one) => one.name === name);
      expect(made?.price).toEqual({ amount, currency });
      const form = filledIn(await tina.send(`${home}/packages/${made?.id}/+change`));
      const { maximumFractionDigits: digits = 2 } = new Intl.NumberFormat('en', {
        style: 'currency',
        currency,
      }).resolvedOptions();
      expect(Number(form.get('price.amount')) * 10 ** digits).toBeCloseTo(amount);
    },
  );

  it('a package begins as the one before: a similar one needs a name, a price and what it opens', async () => {
    const form = filledIn(await tina.send(`${home}/packages/+create`));
    expect(
      ['price.currency', 'period.count', 'period.unit', 'payment'].map((name) => form.get(name)),
    ).toEqual(['KWD', '1', 'month', 'invoice']);
    expect([form.get('name'), form.get('price.amount')]).toEqual(['', '']);
  });

  it('an administrator is invited from the list of them, by a name and an address', async () => {
    const list = await tina.send(`${home}/members?userType=any_admin`);
    expect(list.text).toContain('<h1>Administrators</h1>');
    expect(mainOf(list)).toContain('tina@example.test');
    const [, form = ''] =
      /<a class="button main" href="([^"]*)">Invite an administrator</.exec(list.text) ?? [];
    const sent = await tina.submit(form, { fullName: 'Una Admin', email: 'una@example.test' });
    expect(sent.status).toBe(303);
    const again = await tina.send(`${home}/members?userType=any_admin`);
    expect(again.text).toContain('una@example.test');
    expect((await allRows(service)).mails?.at(-1)).toMatchObject({ name: 'invitation' });
  });

  it('offers a public client nothing that takes a secret', async () => {
    const edit = await tina.send(`${home}/clients/pub1/+change`);
    for (const name of [
      'authenticationMethod',
      'clientCredentials',
      'serviceScopes',
      'introspection',
      'profile',
    ])
      expect(edit.text).not.toContain(`name="${name}"`);
    const page = await tina.send(`${home}/clients/pub1`);
    expect(page.text).not.toContain('/+add-secret');
    expect((await tina.send(`${home}/clients/conf1`)).text).toContain('/+add-secret');
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
