import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Branding, neutralBranding } from '../../src/core/members/branding.ts';
import { registerClient } from '../../src/operations/client/client.ts';
import { composeMail } from '../../src/operations/mail/mail.ts';
import { OperationRefused } from '../../src/operations/refusal.ts';
import { changeTenant, prepareTenant } from '../../src/operations/tenant/tenant.ts';
import { openVault } from '../../src/secrets/vault.ts';
import { findClient } from '../../src/storage/clients/client.ts';
import type { Store } from '../../src/storage/store.ts';
import { listTenants } from '../../src/storage/tenant.ts';
import { told } from '../support/expected/told.ts';
import { hostileSvgs, largestLogo, plainLogo } from '../support/members/pages/logos.ts';
import { now, tenantRecord } from '../support/records/records.ts';
import { storeWithMember } from '../support/records/store.ts';

const branding: Branding = {
  ...neutralBranding,
  name: 'Åker & Sønn',
  brandColor: '#c2410c',
  logo: plainLogo,
};
const script = hostileSvgs['a script'] ?? '';

const set = (store: Store, tenantId: string, changes: Partial<Branding> = {}) =>
  store.transaction((tx) => changeTenant(tx, tenantId, { ...branding, ...changes }));

const tenantsOf = async (store: Store) =>
  (await store.transaction(listTenants)).map(({ tenant }) => tenant).sort((a, b) => (a.id < b.id ? -1 : 1));

describe('pages 5: the branding of a tenant', () => {
  it('is stored, and nothing else of the tenant or of another is changed', async () => {
    const store = await storeWithMember();
    expect(await set(store, 'tenant-a')).toEqual(tenantRecord('a', branding));
    expect(await tenantsOf(store)).toEqual([tenantRecord('a', branding), tenantRecord('b')]);
  });

  it('may do without a logo', async () => {
    const store = await storeWithMember();
    await set(store, 'tenant-a', { logo: null });
    expect((await tenantsOf(store))[0]?.logo).toBeNull();
  });

  it('is refused with every problem at once, and then nothing is stored', async () => {
    const store = await storeWithMember();
    const error = await set(store, 'tenant-a', { name: '', brandColor: '#ffffff', logo: script }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(OperationRefused);
    expect(told((error as OperationRefused).problems)).toEqual([
      'name is missing',
      expect.stringContaining('cannot be told from a white page'),
      'the SVG has the element <script>, which a logo may not have',
    ]);
    expect(await tenantsOf(store)).toEqual([tenantRecord('a'), tenantRecord('b')]);
  });

  it('of a tenant that is not there is not set', async () => {
    expect(await set(await storeWithMember(), 'tenant-x')).toBeNull();
  });

  it('takes no part of a query from a name or a logo', async () => {
    const store = await storeWithMember();
    const name = `'); drop table tenants; --`;
    await set(store, 'tenant-a', { name });
    expect((await tenantsOf(store)).map((tenant) => tenant.name)).toEqual([name, 'Tenant B']);
  });

  it('is checked of a new tenant too', async () => {
    const vault = openVault(randomBytes(32));
    const made = prepareTenant(tenantRecord('a', { brandColor: 'red;}body{display:none' }), vault, now);
    await expect(made).rejects.toThrow(OperationRefused);
  });
});

describe('pages 15: the logo of an app', () => {
  const app = { clientId: 'app', name: 'App', type: 'public' } as const;

  it('is stored with its registration', async () => {
    const store = await storeWithMember();
    const logo = largestLogo('client');
    await store.transaction((tx) => registerClient(tx, 'tenant-a', { ...app, logo }, now));
    const found = await store.transaction((tx) => findClient(tx, 'tenant-a', 'app'));
    expect(found?.logo).toBe(logo);
  });

  it.each([
    [script, 'the SVG has the element <script>, which a logo may not have'],
    [largestLogo('client').replace('x', 'xx'), 'logo has more than 2000 characters'],
  ])('is refused where it is not safe or too long', async (logo, problem) => {
    const store = await storeWithMember();
    const registration = { ...app, logo };
    const registered = store.transaction((tx) => registerClient(tx, 'tenant-a', registration, now));
    await expect(registered).rejects.toThrow(problem);
    expect(await store.transaction((tx) => findClient(tx, 'tenant-a', 'app'))).toBeNull();
  });
});

describe('a mail', () => {
  const mail = {
    name: 'passwordReset',
    to: 'u@example.test',
    language: 'en',
    link: 'https://a.test/x',
  } as const;

  it('shows the name and the colour, with text on it that can be read, and a letter for a drawn logo', () => {
    const { html } = composeMail(tenantRecord('a', { ...branding, brandColor: '#ea580c' }), mail);
    expect(html).toContain('Åker &amp; Sønn');
    expect(html).toContain('background:#ea580c;color:#050505;');
    expect(html).not.toMatch(/<img|data:image/);
    const { brandColor } = branding;
    expect(composeMail(tenantRecord('a', branding), mail).html).toContain(
      `background:${brandColor};color:#ffffff;`,
    );
  });
});
