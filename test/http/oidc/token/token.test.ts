import { describe, expect, it } from 'vitest';
import { hosts, secrets } from '../../../support/fixtures.ts';
import { useService } from '../../../support/use-service.ts';
import { codeFor, refresh, type Tokens, token, visitor } from '../../../support/visitor.ts';

const service = useService({ data: 'security' });

const exchange = async (clientId: string, redirectUri: string, more: Record<string, string>) => {
  const { code, verifier } = await codeFor(visitor(service, hosts.a), clientId, redirectUri);
  return {
    code,
    verifier,
    send: (extra: Record<string, string> = {}) =>
      token(service, hosts.a, {
        grant_type: 'authorization_code',
        client_id: clientId,
        code,
        code_verifier: verifier,
        ...more,
        ...extra,
      }),
  };
};

describe('exchange of an authorization code', () => {
  it('C7, I26: the right client, secret and verifier get tokens that are not stored', async () => {
    const { send } = await exchange('conf1', 'https://app.test/cb', { client_secret: secrets.conf1 });
    const answer = await send();
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    const tokens = answer.json<Tokens & Record<string, unknown>>();
    expect(tokens).toMatchObject({ token_type: 'Bearer', scope: 'openid offline_access', expires_in: 3600 });
    expect(tokens.refresh_token).toBeTypeOf('string');
  });

  it('I30, C8: the same code again is invalid_grant and ends the sign-in of the first exchange', async () => {
    const { send } = await exchange('pub1', 'https://pub1.test/cb', {});
    const first = (await send()).json<Tokens & Record<string, unknown>>();
    const second = await send();
    expect(second.status).toBe(400);
    expect(second.json()).toMatchObject({ error: 'invalid_grant' });
    expect((await refresh(service, hosts.a, first.refresh_token)).json()).toMatchObject({
      error: 'invalid_grant',
    });
  });
});
