import { beforeAll, describe, expect, it } from 'vitest';
import { hosts } from '../../../../support/fixtures.ts';
import { run } from '../../../../support/operators/desk.ts';
import { filledIn, mainOf, newAdmin, type PortalVisitor } from '../../../../support/operators/portal.ts';
import { useService } from '../../../../support/use-service.ts';

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

describe('the settings of a tenant', () => {
  it('groups the settings of a tenant and a client, folds what few need, and opens it where something is wrong', async () => {
    const edit = await tina.send(`${home}/clients/conf1/+change`);
    const titles = [...edit.text.matchAll(/id="part-\w+">([^<]+)</g)].map(([, title]) => title);
    expect(titles).toEqual([
      'Basics',
      'Addresses',
      'Sign-in and consent',
      'Tokens',
      'Tokens in its own name',
      'Signing and proof',
      'Sign-out notices',
      'Extensions',
    ]);
    expect(edit.text).not.toContain('<details class="part" open>');
    const wrong = await tina.submit(`${home}/clients/conf1/+change`, { jwks: '{' });
    expect(wrong.text.match(/<details class="part" open>/g)).toHaveLength(1);
    expect(wrong.text).toMatch(/<details class="part" open>\s*<summary id="part-proof">/);
  });

  it('sets one group of a tenant’s settings on a page of its own, and leaves the others alone', async () => {
    const before = await run(service, 'tenants.read', { tenant: hosts.a });
    const path = `${home}/+change/sign-in`;
    const page = await tina.send(path);
    expect(page.text).not.toContain('name="brandColor"');
    expect(page.text).toContain(`<a href="${path}" aria-current="page">Ways to sign in</a>`);
    const saved = await tina.submit(path, { passwordLength: '20' });
    expect(saved.headers.location).toBe(path);
    expect(mainOf(await tina.send(path))).toContain('Ways to sign in saved.');
    expect(await run(service, 'tenants.read', { tenant: hosts.a })).toEqual({
      ...before,
      passwordLength: 20,
    });
    expect((await tina.send(`${abroad}/+change/sign-in`)).status).toBe(404);
    await run(service, 'tenants.change', { tenant: hosts.a, passwordLength: 12 });
  });

  it('says "none" for no limit, and takes it back', async () => {
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
});
