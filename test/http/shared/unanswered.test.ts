import { describe, expect, it, onTestFinished } from 'vitest';
import { hosts } from '../../support/fixtures.ts';
import { filledIn, newAdmin } from '../../support/operators/portal.ts';
import { openGate } from '../../support/proxy/gate.ts';
import { sharedDatabase } from '../../support/run/test-store.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const host = hosts.a;

describe('a form whose commit the database does not answer', () => {
  it('pages 7: is not done again when it is sent again', async () => {
    const url = await sharedDatabase();
    let hasInserted: boolean | null = null;
    const gate = await openGate(Number(new URL(url).port), (said) => {
      if (hasInserted === null) return false;
      hasInserted ||= said.includes('INSERT 0 1');
      return hasInserted && said.includes('COMMIT');
    });
    const whole = await startTestService({ data: 'security', database: url });
    const cut = await startTestService({
      data: 'security',
      database: url.replace(/:\d+\//, `:${gate.port}/`),
    });
    onTestFinished(async () => {
      await cut.stop();
      await whole.stop();
      await gate.close();
    });
    const admin = await newAdmin(whole, host, 'unanswered@example.test');
    const path = `/admin/tenants/${host}/tokens/+create`;
    const body = filledIn(await admin.send(path), { name: 'once', permissions: ['members:read'] });
    const cookie = [...admin.cookies].map((pair) => pair.join('=')).join('; ');
    const send = (service: TestService) => service.http(host, path, { body, headers: { cookie } });
    hasInserted = false;
    const { status, headers } = await send(cut);
    expect([status, headers['retry-after']]).toEqual([503, '5']);
    hasInserted = null;
    for (const service of [cut, whole]) expect((await send(service)).text).not.toContain('Copy this secret');
    const tokens = await whole.store.transaction((tx) =>
      tx.selectFrom('adminTokens').select('id').where('name', '=', 'once').execute(),
    );
    expect(tokens).toHaveLength(1);
  });
});
