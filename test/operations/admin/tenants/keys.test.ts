import { beforeAll, describe, expect, it } from 'vitest';
import { keyPublishedBefore } from '../../../../src/core/limits.ts';
import { refusal, run } from '../../../support/operators/desk.ts';
import { beginWorld } from '../../../support/operators/world.ts';
import { hour, second } from '../../../support/records/records.ts';
import { apps, expectBadToken, headerOf, profile, tokensOf } from '../../../support/tokens.ts';
import { useService } from '../../../support/use-service.ts';

const service = useService({ data: 'security' });

interface Key {
  readonly kid: string;
  readonly algorithm: string;
  readonly state: string;
  readonly activeFrom: string;
  readonly lastTokenEndsAt: string | null;
}

const keysOf = async (tenant: string, name = 'keys.list', input: object = {}) =>
  (await run<{ keys: readonly Key[] }>(service, name, { tenant, ...input })).keys;
const statesOf = (keys: readonly Key[], algorithm = 'ES256') =>
  keys.filter((key) => key.algorithm === algorithm).map(({ state }) => state);
const published = async (host: string) => {
  const answer = await service.http(host, '/api/oidc/jwks');
  return answer.json<{ keys: { kid: string }[] }>().keys.map(({ kid }) => kid);
};

describe('M16: the rotation of keys by hand', () => {
  it('publishes the next key a day before it signs; what the one before it signed is accepted to its end', async () => {
    const host = 'a.test';
    const [first] = (await keysOf(host)).filter(({ algorithm }) => algorithm === 'ES256');
    const rotated = await keysOf(host, 'keys.rotate');
    expect(statesOf(rotated)).toEqual(['signing', 'next']);
    expect(statesOf(rotated, 'RS256')).toEqual(['signing', 'next']);
    const next = rotated.find(({ algorithm, state }) => algorithm === 'ES256' && state === 'next');
    expect(await published(host)).toContain(next?.kid);
    expect((await refusal(service, 'keys.rotate', { tenant: host })).kind).toBe('conflict');

    service.clock.advance(keyPublishedBefore - second);
    const before = await tokensOf(service, host, apps.pub1);
    expect(headerOf(before.access_token).kid).toBe(first?.kid);
    service.clock.advance(2 * second);
    const after = await tokensOf(service, host, apps.pub1);
    expect(headerOf(after.access_token).kid).toBe(next?.kid);
    expect((await profile(service, host, before.access_token)).status).toBe(200);
    expect(statesOf(await keysOf(host))).toEqual(['published', 'signing']);

    const retire = { tenant: host, kid: first?.kid };
    expect((await refusal(service, 'keys.retire', retire)).kind).toBe('conflict');
    service.clock.advance(4 * hour);
    const retired = await keysOf(host, 'keys.retire', { kid: first?.kid });
    expect(statesOf(retired)).toEqual(['retired', 'signing']);
    expect(await published(host)).not.toContain(first?.kid);
  });

  it('in an emergency signs with a new key at once, and everything signed before is dead', async () => {
    const host = 'b.test';
    const { access_token: old } = await tokensOf(service, host, apps.pub1);
    const rs256 = (await keysOf(host)).filter(({ algorithm }) => algorithm === 'RS256');
    const replaced = await keysOf(host, 'keys.rotate', { algorithm: 'ES256', emergency: true });
    expect(statesOf(replaced)).toEqual(['retired', 'signing']);
    expect(replaced.filter(({ algorithm }) => algorithm === 'RS256')).toEqual(rs256);
    expectBadToken(await profile(service, host, old));
    const { access_token: fresh } = await tokensOf(service, host, apps.pub1);
    expect((await profile(service, host, fresh)).status).toBe(200);
  });
});

describe('retiring a key', () => {
  const tenant = 'keys.test';
  beforeAll(() => beginWorld(service, tenant));

  const kidOf = async (state: string) =>
    (await keysOf(tenant)).find((key) => key.algorithm === 'ES256' && key.state === state)?.kid;
  const retire = (kid: string | undefined, force = false) => keysOf(tenant, 'keys.retire', { kid, force });

  it('is refused of the only key that can sign, by force too', async () => {
    const input = { tenant, kid: await kidOf('signing') };
    expect((await refusal(service, 'keys.retire', input)).kind).toBe('conflict');
    await keysOf(tenant, 'keys.rotate', { algorithm: 'ES256' });
    // The next one is not there yet.
    expect((await refusal(service, 'keys.retire', { ...input, force: true })).kind).toBe('conflict');
  });

  it('is done at once of a key that has signed nothing', async () => {
    expect(statesOf(await retire(await kidOf('next')))).toEqual(['signing', 'retired']);
  });

  it('needs force while the key signs, or what it signed can be accepted', async () => {
    await keysOf(tenant, 'keys.rotate', { algorithm: 'ES256' });
    service.clock.advance(keyPublishedBefore + second);
    for (const state of ['signing', 'published']) {
      const kid = await kidOf(state);
      expect((await refusal(service, 'keys.retire', { tenant, kid })).problems[0]).toContain('force');
    }
    const states = statesOf(await retire(await kidOf('signing'), true));
    // The one before it signs again.
    expect(states.filter((state) => state === 'signing')).toHaveLength(1);
    expect(states).not.toContain('published');
  });

  it('is refused of a key of another tenant', async () => {
    const kid = (await keysOf('a.test')).find(({ state }) => state === 'signing')?.kid;
    expect((await refusal(service, 'keys.retire', { tenant, kid, force: true })).kind).toBe('unknown');
  });
});
