import { describe, expect, it } from 'vitest';
import { askedSystem } from '../../../../src/core/import/limits.ts';
import { tenant, useAsking } from '../../../support/members/moving-in/asking.ts';
import { oldSystemOf, says } from '../../../support/members/moving-in/old-system.ts';
import { auditEvents } from '../../../support/operators/api.ts';
import { authorizationParameters, pkce, visitor, withoutSeals } from '../../../support/visitor.ts';

const { reasons, service, signIn, state } = useAsking();

describe('who guesses at members of an old system', () => {
  it('LM4, LM5: two hundred guesses at once ask as often as an account may fail, and the password stands nowhere', async () => {
    const system = await oldSystemOf(service, tenant, { answer: says(404) });
    const browser = visitor(service, tenant);
    const page = await browser.authorize(authorizationParameters('pub1', 'https://pub1.test/cb', pkce()));
    const guess = 'guess-4c1f';
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => browser.signIn(page, 'max@old.test', `${guess}${index}`)),
    );
    expect(answers.filter(({ status }) => status === 422).length).toBeLessThanOrEqual(5);
    expect(system.received.length).toBeLessThanOrEqual(5);
    expect(system.received.length).toBeGreaterThan(0);
    expect(JSON.stringify(service.logLines)).not.toContain(guess);
    expect(JSON.stringify(await auditEvents(service))).not.toContain(guess);
    for (const { text } of answers) expect(text).not.toContain(guess);
  });

  it('LM4: a guesser at many accounts at once has no more than two questions under way', async () => {
    const held: (() => void)[] = [];
    const [isOneMore, isNoOther] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await oldSystemOf(service, tenant, {
      answer: (_request, reply) => {
        held.push(() => reply.writeHead(404).end());
        if (held.length > askedSystem.atOnceFrom) isOneMore.resolve();
      },
    });
    const unasked = 20 - askedSystem.atOnceFrom;
    const told = async () =>
      (await reasons()).filter((reason) => /too many questions/.test(`${reason}`)).length;
    const before = await told();
    let answered = 0;
    const all = Array.from({ length: 20 }, async (_, index) => {
      await signIn(`many${index}@old.test`);
      answered += 1;
      if (answered === unasked) isNoOther.resolve();
    });
    await Promise.race([isOneMore.promise, isNoOther.promise]);
    expect(held).toHaveLength(askedSystem.atOnceFrom);
    for (const end of held) end();
    await Promise.all(all);
    expect((await told()) - before).toBe(unasked);
  });

  it('LM6: every no comes when its time is over and reads the same, whatever was asked, and a rest changes nothing', async () => {
    const system = await oldSystemOf(service, tenant, { answer: says(404) });
    const failing = async () => {
      await oldSystemOf(service, tenant, { answer: says(500) });
    };
    const resting = async () => {
      await oldSystemOf(service, tenant, { answer: says(503) });
      for (let time = 0; time < askedSystem.failures; time += 1) await signIn(`rest${time}@old.test`);
    };
    const cases = [
      { email: 'u1@example.test', begin: async () => {}, reason: 'the password is wrong' },
      { email: 'one@old.test', begin: async () => {}, reason: 'neither here nor in the old system' },
      { email: 'two@old.test', begin: failing, reason: 'status 500' },
      { email: 'three@old.test', begin: resting, reason: 'not asked for a while' },
    ];
    const texts = new Set<string>();
    for (const { email, begin, reason } of cases) {
      state.pausing = async () => {};
      await begin();
      const pauses = service.pauses.length;
      const over = Promise.withResolvers<void>();
      const asked = Promise.withResolvers<number>();
      state.pausing = (ms) => {
        asked.resolve(ms);
        return over.promise;
      };
      let isAnswered = false;
      const answered = signIn(email, 'wrong one').then((answer) => {
        isAnswered = true;
        return answer;
      });
      expect(await asked.promise).toBe(askedSystem.noTakes);
      // Whatever is asked is answered by now: the health page goes through the same service behind it.
      for (let turn = 0; turn < 20; turn += 1) await service.http(tenant, '/healthz');
      expect(isAnswered, reason).toBe(false);
      over.resolve();
      const { status, text } = await answered;
      expect([status, service.pauses.length - pauses]).toEqual([422, 1]);
      expect((await reasons()).at(-1)).toContain(reason);
      texts.add(withoutSeals(text, email));
    }
    expect(texts.size).toBe(1);
    expect(system.received).toHaveLength(1);
    // After its rest it is asked again, and one answer makes it well.
    service.clock.advance(askedSystem.longestRest);
    const well = await oldSystemOf(service, tenant, { answer: says(200, {}) });
    state.pausing = async () => {};
    expect((await signIn('four@old.test')).status).toBe(303);
    expect(well.received).toHaveLength(1);
  });
});
