import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { askedSystem } from '../../../../src/core/import/limits.ts';
import { tenant, useAsking } from '../../../support/members/moving-in/asking.ts';
import { oldSystemOf, says } from '../../../support/members/moving-in/old-system.ts';
import { addMember } from '../../../support/members/recover.ts';
import { refusal, run } from '../../../support/operators/desk.ts';

const { hand, memberOf, reasons, service, signIn, state } = useAsking();

describe('an old system that cannot be trusted', () => {
  it('LM1: no address inside is dialled, by name, by rebinding or in a form of IPv6, and no redirect followed', async () => {
    const system = await oldSystemOf(service, tenant, {
      answer: (_request, reply) => reply.writeHead(307, { location: 'https://other.test/' }).end(),
    });
    for (const [address, reason] of [
      ['10.0.0.7', 'address'],
      ['::ffff:10.0.0.7', 'address'],
      ['64:ff9b::a00:7', 'address'],
      ['127.0.0.1 169.254.169.254', 'address'],
      ['', 'address'],
      ['127.0.0.1', 'redirect'],
    ] as const) {
      await run(service, 'tenants.makeOldSystemSecret', { tenant });
      state.resolved = [address, '10.0.0.7'];
      state.dialled = [];
      expect((await signIn('ida@old.test', `${address} wrong`)).status).toBe(422);
      expect(state.dialled).toEqual([address]);
      expect((await reasons()).at(-1)).toBe(`the old system did not answer: ${reason}`);
      service.clock.advance(24 * 60 * 60_000);
    }
    expect(system.received).toHaveLength(1);
    for (const oldSystemUrl of [
      'http://old.test/',
      'https://a@old.test/',
      'https://2130706433/',
      'file:///etc',
    ]) {
      expect(await refusal(service, 'tenants.change', { tenant, oldSystemUrl })).toMatchObject({
        kind: 'invalid',
      });
    }
  });

  it('LM2: one that is slow, answers too much or packs it is a no, within the time of every no', async () => {
    const answers = {
      size: says(200, `{"fullName":"${'a'.repeat(1_100_000)}"}`),
      encoding: (_request, reply) =>
        reply.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"email":"kai@old.test"}')),
      time: () => {},
    } satisfies Record<string, Parameters<typeof oldSystemOf>[2]['answer']>;
    for (const [reason, answer] of Object.entries(answers)) {
      await oldSystemOf(service, tenant, { answer });
      const answered = signIn('kai@old.test');
      if (reason === 'time') {
        const waits = await hand.comes();
        expect(waits).toEqual([askedSystem.time]);
        expect(askedSystem.time).toBeLessThan(askedSystem.noTakes);
      }
      expect((await answered).status).toBe(422);
      expect((await reasons()).at(-1)).toBe(`the old system did not answer: ${reason}`);
    }
    expect(await memberOf('kai@old.test')).toBeNull();
  });

  it('LM3: it makes no member of another address, with what another one has, with rights, or out of nothing', async () => {
    const other = await addMember(service, tenant);
    const { memberNumber } = other;
    for (const [body, reason] of [
      [{ email: other.email }, 'email is not the address'],
      [{ memberNumber }, 'memberNumber'],
      [{ userType: 'systemadmin' }, 'administrators'],
      [{ disabled: true }, 'may not sign in there'],
      [{ subscriptions: [{ package: 'of no tenant' }] }, 'package'],
      ['{"fullName":"A","fullName":"B"}', 'JSON'],
      ['[]', 'JSON'],
      ['', 'JSON'],
    ] as const) {
      await oldSystemOf(service, tenant, { answer: says(200, body) });
      expect((await signIn('eva@old.test')).status, reason).toBe(422);
      expect((await reasons()).at(-1)).toContain(reason);
      expect(await memberOf('eva@old.test')).toBeNull();
      service.clock.advance(24 * 60 * 60_000);
    }
    expect((await memberOf(other.email))?.member).toEqual(other);
    // What it says of a hash is not taken: the password that was typed is at hand.
    await oldSystemOf(service, tenant, { answer: says(200, { passwordHash: 'plain', fullName: '=1+1' }) });
    expect((await signIn('eva@old.test')).status).toBe(303);
  });

  it('LM11: one that breaks at a stranger’s passwords is asked for others, and those who operate are told', async () => {
    const system = await oldSystemOf(service, tenant, {
      answer: (request, reply, received) =>
        says(received.body.includes('breaks') ? 500 : 200, '{}')(request, reply, received),
    });
    for (let time = 0; time < 2 * askedSystem.failures; time += 1) {
      expect((await signIn(`odd${time}@old.test`, 'breaks it')).status).toBe(422);
    }
    const [standing] = await service.store.transaction((tx) =>
      tx.selectFrom('oldSystems').selectAll().execute(),
    );
    expect(standing).toMatchObject({ restsUntil: 0, failure: 'status 500' });
    expect((await signIn('uta@old.test')).status).toBe(303);
    expect(system.received).toHaveLength(2 * askedSystem.failures + 1);
  });
});
