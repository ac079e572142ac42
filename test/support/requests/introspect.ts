import { beforeAll, beforeEach, expect } from 'vitest';
import { setLimits, unlimited } from '../device.ts';
import { hosts, secrets } from '../fixtures.ts';
import type { Answer } from '../http.ts';
import { run } from '../operators/desk.ts';
import { useService } from '../use-service.ts';

export const path = '/api/oidc/introspect';
export const conf1 = { client_id: 'conf1', client_secret: secrets.conf1 };
export const offline = { more: { scope: 'openid offline_access profile' } };

/** A service whose client conf1 may introspect tokens, without limits, and how it is asked. */
export function useIntrospection() {
  const service = useService({ data: 'security' });

  const change = (clientId: string, changes: object, of = service) =>
    run(of, 'clients.change', { tenant: hosts.a, clientId, ...changes });

  beforeAll(async () => {
    await setLimits(service, hosts.a, unlimited);
    await change('conf1', { introspection: true });
  });
  beforeEach(() => service.clock.advance(60_000));

  const ask = (
    fields: Record<string, string>,
    headers: Record<string, string> = {},
    host: string = hosts.a,
    of = service,
  ): Promise<Answer> => of.http(host, path, { body: fields, headers });

  const introspect = async (
    token: string | undefined,
    credentials: Record<string, string> = conf1,
    of = service,
  ) => {
    const answer = await ask({ token: String(token), ...credentials }, {}, hosts.a, of);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    return answer.json();
  };
  return { service, change, ask, introspect };
}
