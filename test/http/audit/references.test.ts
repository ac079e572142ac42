import { describe, expect, it } from 'vitest';
import { hosts } from '../../support/fixtures.ts';
import type { Answer } from '../../support/http.ts';
import { addMember, recoveryLink, submitReset } from '../../support/members/recover.ts';
import { run } from '../../support/operators/desk.ts';
import { useService } from '../../support/use-service.ts';
import { visitor } from '../../support/visitor.ts';

const service = useService({ data: 'security' });

const phone =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Mobile Safari/537.36';

/** The reference that a page shows. */
const referenceOn = ({ text }: Answer) => text.match(/\b[0-9a-z]{8}\b(?=<\/code>|<\/p>|<\/bdi>)/)?.[0] ?? '';

const found = async (tenant: string, reference: string) =>
  (await run<{ events: readonly object[] }>(service, 'audit.list', { tenant, reference })).events;

describe('pages 8: what a page says went wrong is found by the reference that it shows', () => {
  it('with the browser that met it, on its own tenant alone', async () => {
    const { email } = await addMember(service, hosts.a);
    const link = await recoveryLink(service, hosts.a, email);
    await submitReset(visitor(service, hosts.a), link, 'a new password of mine');
    const page = await service.http(hosts.a, `${link}x`, { headers: { 'user-agent': phone } });
    expect(page.status).toBe(410);
    const reference = referenceOn(page);
    expect(await found(hosts.a, reference)).toMatchObject([
      { event: 'page_refused', result: 'refused', reference, browser: 'Chrome on Android' },
    ]);
    expect(await found(hosts.b, reference)).toEqual([]);
  });

  it('one row for one page: an event that tells more takes its place', async () => {
    const page = await service.http(hosts.a, '/api/oidc/auth?client_id=nobodys');
    expect(page.status).toBe(400);
    expect(await found(hosts.a, referenceOn(page))).toMatchObject([{ event: 'authorization_refused' }]);
  });

  it('but not at an address with nothing: trying addresses does not fill the audit', async () => {
    const page = await service.http(hosts.a, '/nothing-here');
    expect(page.status).toBe(404);
    expect(await found(hosts.a, referenceOn(page))).toEqual([]);
  });

  it('in a JSON answer too, by the reference in its header', async () => {
    const answer = await service.http(hosts.a, '/api/oidc/token', {
      body: { grant_type: 'refresh_token', refresh_token: 'x', client_id: 'nobodys' },
    });
    const reference = String(answer.headers['request-id']);
    expect(await found(hosts.a, reference)).toMatchObject([{ event: 'client_authentication_failed' }]);
  });
});
