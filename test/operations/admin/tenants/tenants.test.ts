import { describe, expect, it } from 'vitest';
import { tenantLimits } from '../../../../src/core/tenant-limits.ts';
import { StorageUnavailable } from '../../../../src/storage/store.ts';
import { plainLogo } from '../../../support/members/pages/logos.ts';
import { adminOf, refusal, run, tenantIdOf } from '../../../support/operators/desk.ts';
import type { TestService } from '../../../support/service.ts';
import { useService } from '../../../support/use-service.ts';

const service = useService({ data: 'security' });

const status = async (host: string) => (await service.http(host, '/.well-known/openid-configuration')).status;

interface Listed {
  readonly tenants: readonly { readonly host: string }[];
}

describe('tenants', () => {
  it('A17: an administrator of one tenant sees that one, and an administrator of all sees all', async () => {
    const hostsFor = async (actor: Parameters<typeof run>[3]) =>
      (await run<Listed>(service, 'tenants.list', {}, actor)).tenants.map(({ host }) => host);
    expect(await hostsFor(adminOf(service, 'b.test'))).toEqual(['b.test']);
    expect(await hostsFor(adminOf(service, 'b.test', true))).toEqual(['a.test', 'b.test', 'c.test']);
  });

  it('can be named by their id and by their host', async () => {
    const id = tenantIdOf(service, 'a.test');
    expect(await run(service, 'tenants.read', { tenant: id })).toEqual(
      await run(service, 'tenants.read', { tenant: 'a.test' }),
    );
  });
});

describe('a change', () => {
  it('promise 3: needs nothing of the disk after its commit: what is done is answered so, and holds', async () => {
    let transactions = 0;
    const { store } = service;
    const failing: TestService = {
      ...service,
      store: {
        ...store,
        transaction: (work) => {
          transactions += 1;
          return transactions === 1
            ? store.transaction(work)
            : Promise.reject(new StorageUnavailable('too many transactions are waiting'));
        },
      },
    };
    await run(failing, 'tenants.disable', { tenant: 'c.test' });
    expect(await status('c.test')).toBe(404);
    await run(service, 'tenants.enable', { tenant: 'c.test' });
    expect(await status('c.test')).toBe(200);
  });
});

describe('a new tenant', () => {
  it('answers at its address with keys of its own as soon as it is made', async () => {
    const made = await run(service, 'tenants.create', {
      name: 'New',
      issuer: 'https://new.test:8443/',
      brandColor: '#aa3300',
      languages: ['nb'],
      passwordLength: 20,
      limits: { signUpsPerAddressAndHour: null, pendingDeviceCodes: 5 },
      deletionCoolingOffSeconds: 60,
    });
    expect(made).toMatchObject({
      issuer: 'https://new.test:8443',
      host: 'new.test:8443',
      brandColor: '#aa3300',
      languages: ['nb'],
      passwordLength: 20,
      deletionCoolingOffSeconds: 60,
      returnOrigins: [],
      stageTenant: null,
      development: false,
      disabledAt: null,
    });
    expect(made.limits).toMatchObject({
      signUpsPerAddressAndHour: null,
      pendingDeviceCodes: 5,
      signUpsPerAddressAndDay: tenantLimits.signUpsPerAddressAndDay,
    });
    const { keys } = service.tenants.byHost('new.test:8443') ?? { keys: [] };
    expect(keys.map(({ algorithm }) => algorithm).sort()).toEqual(['ES256', 'RS256']);
    expect(await status('new.test:8443')).toBe(200);
  });

  it('has an address that no other has', async () => {
    expect(await refusal(service, 'tenants.create', { name: 'X', issuer: 'https://a.test' })).toEqual({
      kind: 'conflict',
      problems: ['the address https://a.test is taken'],
    });
  });

  it.each([
    'http://x.test',
    'https://x.test/path',
    'https://x.test?x',
    'https://u@x.test',
    'ftp://x.test',
    'x.test',
    '',
  ])('decision 4: has an https address without a path, not %j', async (issuer) => {
    expect(await refusal(service, 'tenants.create', { name: 'X', issuer })).toEqual({
      kind: 'invalid',
      problems: ['issuer must be https:// and a host, without a path'],
    });
  });

  it('may be on this machine by http', async () => {
    const { host } = await run(service, 'tenants.create', { name: 'X', issuer: 'http://127.0.0.1:4000' });
    expect(host).toBe('127.0.0.1:4000');
  });

  it('is refused with every problem at once, and is not there then', async () => {
    const { kind, problems } = await refusal(service, 'tenants.create', {
      name: ' ',
      issuer: 'http://bad.test',
      brandColor: 'red',
      returnOrigins: ['http://shop.test/'],
    });
    expect(kind).toBe('invalid');
    expect(problems).toHaveLength(4);
    expect(await status('bad.test')).toBe(404);
  });
});

describe('a change of a tenant', () => {
  it('changes what it names and nothing else, and pages show it at once', async () => {
    const before = await run(service, 'tenants.read', { tenant: 'b.test' });
    const changes = { name: 'Better', passwordLength: 15, languages: ['da', 'fi'] };
    const changed = await run(service, 'tenants.change', { tenant: 'b.test', ...changes });
    expect(changed).toEqual({ ...before, ...changes });
    expect((await service.http('b.test', '/recover')).text).toContain('Better');
  });

  it('keeps the limits it does not name, takes null for none, and refuses what is none', async () => {
    const change = (limits: object) => run(service, 'tenants.change', { tenant: 'c.test', limits });
    await change({ signUpsPerAddressAndHour: 7 });
    expect((await change({ recoveriesPerAddressAndHour: null })).limits).toMatchObject({
      signUpsPerAddressAndHour: 7,
      recoveriesPerAddressAndHour: null,
    });
    const refused = { tenant: 'c.test', limits: { signUpsPerAddressAndHour: 0, noSuchLimit: 1 } };
    expect(await refusal(service, 'tenants.change', refused)).toEqual({
      kind: 'invalid',
      problems: ['limits.noSuchLimit is not known', 'limits.signUpsPerAddressAndHour must be 1 or more'],
    });
  });

  it.each([7, 65])('demands no password of %d characters', async (passwordLength) => {
    const refused = await refusal(service, 'tenants.change', { tenant: 'c.test', passwordLength });
    expect(refused.kind).toBe('invalid');
  });

  it('takes a logo, and none for an empty text as for null', async () => {
    const set = (logo: unknown) => run(service, 'tenants.change', { tenant: 'c.test', logo });
    for (const none of ['', null]) {
      expect(await set(plainLogo)).toMatchObject({ logo: plainLogo });
      expect(await set(none)).toMatchObject({ logo: null });
    }
    expect((await refusal(service, 'tenants.change', { tenant: 'c.test', logo: 'x' })).kind).toBe('invalid');
  });
});

describe('a disabled tenant', () => {
  it('answers 404 at its host, is there only for those who have all, and comes back', async () => {
    const admin = adminOf(service, 'c.test');
    await run(service, 'tenants.disable', { tenant: 'c.test' });
    expect(await status('c.test')).toBe(404);
    expect((await refusal(service, 'tenants.read', { tenant: 'c.test' }, admin)).kind).toBe('unknown');
    const { disabledAt } = await run(service, 'tenants.read', { tenant: 'c.test' });
    expect(disabledAt).toMatch(/^2026-01-15T.*Z$/);
    const again = await run(service, 'tenants.disable', { tenant: 'c.test' });
    expect(again.disabledAt).toBe(disabledAt);
    await run(service, 'tenants.enable', { tenant: 'c.test' });
    expect(await status('c.test')).toBe(200);
  });
});

describe('the stage tenant', () => {
  it('is another tenant that there is, by host or id, or none', async () => {
    const set = (stageTenant: unknown) => run(service, 'tenants.setStage', { tenant: 'a.test', stageTenant });
    expect(await set('b.test')).toMatchObject({ stageTenant: 'b.test' });
    expect(await set(tenantIdOf(service, 'c.test'))).toMatchObject({ stageTenant: 'c.test' });
    expect(await set(null)).toMatchObject({ stageTenant: null });
    const refused = async (stageTenant: string) =>
      (await refusal(service, 'tenants.setStage', { tenant: 'a.test', stageTenant })).kind;
    expect(await refused('nowhere.test')).toBe('unknown');
    expect(await refused('a.test')).toBe('invalid');
  });
});
