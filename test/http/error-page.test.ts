import { describe, expect, it } from 'vitest';
import { hosts } from '../support/fixtures.ts';
import type { TestService } from '../support/service.ts';
import { serviceForTest } from '../support/use-service.ts';

/** A service whose tenant has a value that no page can print: the page of the error cannot be shown either. */
async function brokenService(): Promise<TestService> {
  const service = await serviceForTest({ data: 'security' });
  Object.assign(service.deps.tenants.byHost(hosts.a) ?? {}, { logo: undefined });
  return service;
}

const failures = ({ logLines }: TestService) =>
  logLines
    .map((line) => JSON.parse(line) as { level: string; msg: string; err?: { message: string } })
    .filter(({ level }) => level === 'error')
    .map(({ msg, err }) => [msg, err?.message]);

describe('H17: where the page of an error fails itself', () => {
  it.each(['/recover', '/nothing-here'])(
    '%s answers one fixed line, and the log has the reason',
    async (path) => {
      const service = await brokenService();
      const answer = await service.http(hosts.a, path);
      expect(answer.status).toBe(500);
      expect(answer.text).toBe('Something went wrong. Try again later.\n');
      expect(answer.headers).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'content-type': 'text/plain; charset=utf-8',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      });
      const reason = 'a picture is kept that was not looked at';
      expect(failures(service)).toEqual([
        ['unexpected error', expect.stringContaining(reason)],
        ['the page of an error failed', expect.stringContaining(reason)],
      ]);
    },
  );

  it('a page of the portal does the same', async () => {
    const service = await serviceForTest({ data: 'security' });
    Object.assign(service.deps.tenants.byHost(hosts.a) ?? {}, { name: undefined });
    const answer = await service.http(hosts.a, '/admin/sign-in');
    expect(answer.text).toBe('Something went wrong. Try again later.\n');
  });
});
