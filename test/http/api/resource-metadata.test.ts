import { describe, expect, it } from 'vitest';
import { hosts } from '../../support/fixtures.ts';
import { profile, profilePath } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';

const service = useService({ data: 'security' });
const { a: host } = hosts;
const wellKnown = '/.well-known/oauth-protected-resource';

describe('I64: the metadata of the member API', () => {
  it.each([[wellKnown], [`${wellKnown}/api/v1`]])(
    'I64: %s names the API and whom to ask for its tokens',
    async (path) => {
      const answer = await service.http(host, path);
      expect(answer.status).toBe(200);
      expect(answer.headers['access-control-allow-origin']).toBe('*');
      expect(answer.json()).toEqual({
        resource: `https://${host}/api/v1`,
        authorization_servers: [`https://${host}`],
        scopes_supported: expect.arrayContaining(['openid', 'profile']),
        bearer_methods_supported: ['header'],
      });
    },
  );

  it('I64: is named by each 401 of the member API, of its own tenant, and by no other answer', async () => {
    for (const at of [host, hosts.b]) {
      const named = `resource_metadata="https://${at}${wellKnown}/api/v1"`;
      const none = await service.http(at, profilePath);
      expect(none.headers['www-authenticate']).toBe(`Bearer realm="memberdoor", ${named}`);
      const wrong = await profile(service, at, 'x.y.z');
      expect(wrong.headers['www-authenticate']).toContain(
        `Bearer realm="memberdoor", ${named}, error="invalid_token"`,
      );
    }
    const userinfo = await service.http(host, '/api/oidc/me');
    expect(userinfo.headers['www-authenticate']).not.toContain('resource_metadata');
  });
});
