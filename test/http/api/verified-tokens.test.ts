import { describe, expect, it } from 'vitest';
import { type Bearer, createVerifiedTokens } from '../../../src/http/deps.ts';
import { disableMember } from '../../../src/operations/member/member.ts';
import type { OpenTenant } from '../../../src/operations/tenant/open-tenants.ts';
import { hosts } from '../../support/fixtures.ts';
import { apps, claimsOf, expectBadToken, profile, tokensOf } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';

describe('access tokens that were verified before', () => {
  const service = useService({ data: 'security' });

  /** A token that has just been found good. */
  async function known(): Promise<string> {
    const { access_token: token } = await tokensOf(service, hosts.a, apps.conf1);
    expect((await profile(service, hosts.a, token)).status).toBe(200);
    return token;
  }

  it('M5: stop working in the second in which they expire', async () => {
    const token = await known();
    const expiresAt = Number(claimsOf(token).exp) * 1_000;
    service.clock.set(expiresAt - 100);
    expect((await profile(service, hosts.a, token)).status).toBe(200);
    service.clock.set(expiresAt);
    expectBadToken(await profile(service, hosts.a, token));
  });

  it('are still told from the same token with another signature', async () => {
    const token = await known();
    const [header, payload, signature = ''] = token.split('.');
    const other = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
    expectBadToken(await profile(service, hosts.a, `${header}.${payload}.${other}`));
  });

  it('X1: are refused at another tenant’s UserInfo as before', async () => {
    const token = await known();
    const answer = await service.http(hosts.b, '/api/oidc/me', {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.status).toBe(401);
  });

  it('stop working with the key that signed them', async () => {
    const token = await known();
    await service.store.transaction(async (tx) => {
      await tx
        .updateTable('signingKeys')
        .set({ retiredAt: service.clock.now() })
        .where('algorithm', '=', 'ES256')
        .where('tenantId', '=', service.tenants.byHost(hosts.a)?.id ?? '')
        .execute();
      await service.tenants.reload(tx);
    });
    expectBadToken(await profile(service, hosts.a, token));
  });

  it('A14: stop working with their member', async () => {
    const { access_token: token } = await tokensOf(service, hosts.b, apps.conf1);
    expect((await profile(service, hosts.b, token)).status).toBe(200);
    const tenantId = service.tenants.byHost(hosts.b)?.id ?? '';
    await service.store.transaction((tx) =>
      disableMember(tx, tenantId, String(claimsOf(token).sub), service.clock.now()),
    );
    expectBadToken(await profile(service, hosts.b, token));
  });
});

describe('how many verified tokens are kept', () => {
  const tenant = { issuer: 'https://a.test' } as OpenTenant;
  const bearer: Bearer = { tenant, memberId: 'm', sessionId: 's', clientId: 'c', scope: 'openid' };
  const find = (tokens: ReturnType<typeof createVerifiedTokens>, token: string) =>
    tokens.find(token, () => tenant, 5);

  it('is bounded: the one that was verified first is verified anew', () => {
    const tokens = createVerifiedTokens(2);
    for (const token of ['one', 'two', 'three']) tokens.keep(token, bearer, 10, 5);
    expect(find(tokens, 'one')).toBeNull();
    expect(find(tokens, 'two')).toBe(bearer);
    expect(find(tokens, 'three')).toBe(bearer);
  });

  it('an expired one is forgotten when it comes again', () => {
    const tokens = createVerifiedTokens();
    tokens.keep('one', bearer, 5, 4);
    expect(find(tokens, 'one')).toBeNull();
  });
});
