import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { check } from '../../../../tools/events-document.ts';
import { hosts } from '../../../support/fixtures.ts';
import { password, tenant, useAsking } from '../../../support/members/moving-in/asking.ts';
import { oldSystemOf, says } from '../../../support/members/moving-in/old-system.ts';
import { auditEvents } from '../../../support/operators/api.ts';
import { run } from '../../../support/operators/desk.ts';

const { memberOf, reasons, service, signIn } = useAsking();

describe('decision 55: a system that is asked for members who sign in first', () => {
  it('takes in whom the example of docs/moving-in.md knows, with all that it says, and asks for each once', async () => {
    const text = readFileSync(new URL('../../../../docs/moving-in.md', import.meta.url), 'utf8');
    const [, code = ''] = /```js\n(import \{ createServer[\s\S]*?)```/.exec(text) ?? [];
    const source = `${check}\n${code.replace(/import \{ isFrom.*\n/, '')}`;
    const { oldSystem } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
    const asked: string[] = [];
    let secret = '';
    const example = (...of: unknown[]) =>
      oldSystem(secret, async (email: string, typed: string) => {
        asked.push(email);
        return typed === password ? { name: 'Mia Old', id: `old-${email}` } : null;
      }).emit('request', ...of);
    // What came was read by the receiver: the example reads it as it reads a request.
    const system = await oldSystemOf(service, tenant, {
      answer: (request, reply, { body }) =>
        example(Object.assign(request, { toArray: async () => [Buffer.from(body)] }), reply),
    });
    secret = system.secret;
    service.clock.set(Date.now());
    expect((await signIn('Mia@old.test')).status).toBe(303);
    expect((await signIn('mia@old.test')).status).toBe(303);
    expect((await signIn('mia@old.test', 'another')).status).toBe(422);
    expect((await signIn('noa@old.test', 'another')).status).toBe(422);
    expect(asked).toEqual(['Mia@old.test', 'noa@old.test']);
    const found = await memberOf('mia@old.test');
    expect(found?.member).toMatchObject({
      fullName: 'Mia Old',
      emailVerified: true,
      externalId: 'old-Mia@old.test',
    });
    expect(found?.passwordHash).toMatch(/^\$argon2id\$/);
    const events = await auditEvents(service);
    expect(events.filter(({ event }) => event === 'member_moved_in')).toMatchObject([
      { target: found?.member.id },
    ]);
    secret = 'whsec_AAAA';
    await signIn('uma@old.test');
    expect((await reasons()).at(-1)).toBe('the old system did not answer: status 403');
    expect(asked).toHaveLength(2);
  });

  it('takes in subscriptions and consents as a file does; an answer to a consent says that it came so', async () => {
    await run(service, 'consents.define', {
      tenant,
      consentId: 'news',
      name: 'News',
      description: 'By mail',
    });
    await oldSystemOf(service, tenant, {
      answer: says(200, { consents: [{ id: 'news', status: 'accepted' }] }),
    });
    expect((await signIn('lea@old.test')).status).toBe(303);
    const changes = await service.store.transaction((tx) =>
      tx.selectFrom('consentChanges').selectAll().where('consentId', '=', 'news').execute(),
    );
    expect(changes).toMatchObject([{ source: 'import', status: 'accepted' }]);
  });

  it('asks nothing for a tenant that names none, for codes alone, or at the portal', async () => {
    const system = await oldSystemOf(service, tenant, { answer: says(404) });
    await signIn('zoe@old.test', password, hosts.b);
    await run(service, 'tenants.change', { tenant, emailCodes: 'instead' });
    await signIn('zoe@old.test');
    await run(service, 'tenants.change', { tenant, emailCodes: 'off' });
    await service.http(tenant, '/portal/sign-in', { body: { email: 'zoe@old.test', password } });
    expect(system.received).toEqual([]);
    await run(service, 'tenants.change', { tenant, oldSystemUrl: null });
    expect((await signIn('zoe@old.test')).status).toBe(422);
    expect(system.received).toEqual([]);
  });
});
