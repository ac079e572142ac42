import { describe, expect, it } from 'vitest';
import { hosts } from '../../support/fixtures.ts';
import { useService } from '../../support/use-service.ts';

const service = useService({ data: 'development' });
const production = useService({ data: 'security' });
const framed = { 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-origin' };
const pages = ['/recover', '/nothing'];

const policyOf = async (path: string, headers: Record<string, string>, at = `localhost:${service.port}`) => {
  const answer = await service.http(at, path, { headers });
  return {
    frame: answer.headers['x-frame-options'],
    ancestors: /frame-ancestors [^;]+/.exec(String(answer.headers['content-security-policy'] ?? ''))?.[0],
  };
};
const ours = { frame: 'SAMEORIGIN', ancestors: "frame-ancestors 'self'" };
const none = { frame: 'DENY', ancestors: "frame-ancestors 'none'" };

describe('the phone of the room, a frame of its page', () => {
  it('shows every page of its tenant that it leads to', async () => {
    for (const path of pages) expect(await policyOf(path, framed)).toEqual(ours);
  });

  it.each([
    ['another site', { ...framed, 'sec-fetch-site': 'cross-site' }],
    ['another tenant on this machine', { ...framed, 'sec-fetch-site': 'same-site' }],
    ['a browser that does not say', {}],
    ['a window', { ...framed, 'sec-fetch-dest': 'document' }],
    ['an object', { ...framed, 'sec-fetch-dest': 'object' }],
    ['a proxy', { ...framed, 'x-forwarded-for': '192.0.2.1' }],
  ])('RR11: a page stands in no frame of %s', async (_, headers) => {
    for (const path of pages) expect(await policyOf(path, headers)).toEqual(none);
  });

  it('RR11: a page of a tenant that is no development tenant stands in no frame', async () => {
    for (const path of pages) {
      const answer = await production.http(hosts.a, path, { headers: framed });
      expect(answer.headers['x-frame-options']).toBe('DENY');
      expect(String(answer.headers['content-security-policy'] ?? '')).not.toContain("frame-ancestors 'self'");
    }
  });
});

describe('the pages of the room', () => {
  it.each(['/rehearsal', '/rehearsal/web', '/rehearsal/web/callback', '/rehearsal/events', '/rehearsal/tv'])(
    'RR12: %s is nothing on a tenant that is no development tenant, through a proxy, or under another name',
    async (path) => {
      expect((await production.http(hosts.a, path)).status).toBe(404);
      const proxied = await service.http(`localhost:${service.port}`, path, {
        headers: { via: '1.1 proxy' },
      });
      expect(proxied.status).toBe(404);
      expect((await service.http('rebound.example', path)).status).toBe(404);
    },
  );

  it('RR12: a form of another site does nothing', async () => {
    const acme = `localhost:${service.port}`;
    for (const path of ['/rehearsal/tv', '/rehearsal/web/do', '/rehearsal/phone/be']) {
      const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://attacker.example' };
      const answer = await service.http(acme, path, {
        headers,
        body: { do: 'on', member: 'ada@example.com' },
      });
      expect(answer.status).toBe(403);
    }
    expect((await service.http(acme, '/rehearsal/tv')).json()).toEqual({ phase: 'off' });
  });

  it('W1: let their script ask their own origin, and nothing else', async () => {
    const { headers } = await service.http(`localhost:${service.port}`, '/rehearsal');
    const policy = String(headers['content-security-policy']).split(';');
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain("frame-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("default-src 'none'");
  });
});
