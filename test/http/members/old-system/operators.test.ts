import { describe, expect, it } from 'vitest';
import { tenantOf } from '../../../support/device.ts';
import { tenant, useAsking } from '../../../support/members/moving-in/asking.ts';
import { oldSystemOf, says } from '../../../support/members/moving-in/old-system.ts';
import { refusal, run, tokenOf } from '../../../support/operators/desk.ts';

const { service, signIn } = useAsking();

describe('who names an old system', () => {
  it('LM7: an operator who may change the tenant and no members names none; the overview says when it fails or has no secret', async () => {
    const weak = tokenOf(service, tenant, ['tenants:read', 'tenants:write']);
    const oldSystemUrl = 'https://thief.test/';
    expect(await refusal(service, 'tenants.change', { tenant, oldSystemUrl }, weak)).toMatchObject({
      kind: 'denied',
    });
    const made = { name: 'New', issuer: 'https://made.test', oldSystemUrl };
    const everywhere = tokenOf(service, null, ['tenants:read', 'tenants:write']);
    expect(await refusal(service, 'tenants.create', made, everywhere)).toMatchObject({ kind: 'denied' });
    await run(service, 'tenants.change', { tenant, brandColor: '#1f5fbf' }, weak);
    const attention = async () => {
      const { attention: found } = await run<{ readonly attention: readonly { readonly code: string }[] }>(
        service,
        'overview.read',
        { tenant },
      );
      return found.filter(({ code }) => code.startsWith('old_system'));
    };
    await oldSystemOf(service, tenant, { answer: says(503) });
    expect(await attention()).toEqual([]);
    await signIn('pia@old.test');
    expect(await attention()).toMatchObject([{ code: 'old_system_fails', count: 1, detail: 'status 503' }]);
    await service.store.transaction((tx) => tx.deleteFrom('oldSystems').execute());
    expect(await attention()).toMatchObject([{ code: 'old_system_unsigned' }]);
  });

  it('LM9: an operator who may change the tenant and no members makes no secret of the old system', async () => {
    await oldSystemOf(service, tenant, { answer: says(404) });
    const weak = tokenOf(service, tenant, ['tenants:read', 'tenants:write']);
    const secretNow = () =>
      service.store.transaction((tx) => tx.selectFrom('oldSystems').select('secret').execute());
    const before = await secretNow();
    expect(await refusal(service, 'tenants.makeOldSystemSecret', { tenant }, weak)).toMatchObject({
      kind: 'denied',
    });
    expect(await secretNow()).toEqual(before);
    await run(service, 'tenants.makeOldSystemSecret', { tenant }, tokenOf(service, tenant));
    expect(await secretNow()).not.toEqual(before);
  });

  it('LM10: no tenant file names one for an operator who may change no members', async () => {
    const granted = ['tenants:read', 'tenants:write', 'clients:read', 'access:read'] as const;
    const weak = tokenOf(service, null, granted);
    const file = (issuer: string) =>
      JSON.stringify({ tenants: [{ name: 'N', issuer, oldSystemUrl: 'https://thief.test/' }] });
    for (const issuer of ['https://new.test', tenantOf(service, tenant).issuer]) {
      const sent = { file: file(issuer) };
      expect(await refusal(service, 'serviceTenantFiles.apply', sent, weak), issuer).toMatchObject({
        kind: 'denied',
      });
    }
    const all = tokenOf(service, null);
    await run(service, 'serviceTenantFiles.apply', { file: file('https://new.test') }, all);
    expect(tenantOf(service, 'new.test').oldSystemUrl).toBe('https://thief.test/');
  });
});
