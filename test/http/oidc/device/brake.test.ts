import { afterEach, describe, expect, it } from 'vitest';
import { insertWrongUserCode } from '../../../../src/storage/members/guesses/wrong-user-code.ts';
import { findMemberByEmail } from '../../../../src/storage/members/member.ts';
import {
  codesFor,
  expectNotValid,
  type Phone,
  pageOf,
  phoneOf,
  phonesOf,
  pollTokens,
  startUnlimited,
  tenantOf,
} from '../../../support/device.ts';
import { expectErrorPage } from '../../../support/expected/expectations.ts';
import { hosts } from '../../../support/fixtures.ts';
import type { Answer } from '../../../support/http.ts';
import { auditEvents } from '../../../support/operators/api.ts';
import { useStartedAnew } from '../../../support/use-service.ts';

const minute = 60_000;

/** An entry that waits until the test ends that. */
interface Wait {
  readonly ms: number;
  readonly end: () => void;
}

/** Where slowed entries wait in a test that holds them; in others the time passes at once. */
let held: Wait[] | null = null;
const holdWaits = () => {
  held = [];
  return held;
};
const pause = async (ms: number) => {
  if (held === null) service.clock.advance(ms);
  else await new Promise<void>((end) => held?.push({ ms, end }));
};

const service = useStartedAnew(() => startUnlimited({ trustedProxies: ['127.0.0.1'], pause }));
afterEach(() => {
  held = null;
});

/** Whole seconds: between two entries the clock of the test moves by some ms. */
const secondsOf = (waits: readonly Wait[]) => waits.map(({ ms }) => Math.ceil(ms / 1_000));

/** Opens the code's page from a network of the phone's own, by its number. */
const openFrom = (phone: Phone | undefined, number: number, userCode: string) =>
  openAt(phone, `203.0.${number}.7`, userCode);

const openAt = (phone: Phone | undefined, address: string, userCode: string) => {
  if (phone === undefined) throw new Error(`no phone at ${address}`);
  return phone.send(pageOf(userCode), { headers: { 'x-forwarded-for': address } });
};

/** A code that the test never issued. */
const wrong = '000 000';

describe('one tenant', () => {
  /** Wrong entries of another member, from addresses of their own. */
  const guess = async (count: number, name: string = hosts.a) => {
    const { id: tenantId } = tenantOf(service, name);
    const found = await service.store.transaction((tx) => findMemberByEmail(tx, tenantId, 'u1@example.test'));
    const memberId = found?.member.id ?? '';
    const enteredAt = service.clock.now();
    await service.store.transaction(async (tx) => {
      for (let index = 0; index < count; index += 1) {
        await insertWrongUserCode(tx, { tenantId, memberId, address: `${index}` }, enteredAt, enteredAt);
      }
    });
  };
  const warnings = () => service.logLines.filter((line) => line.includes('user codes are being guessed'));
  const pend = async (count: number) => {
    let last = '';
    for (let index = 0; index < count; index += 1) {
      ({ user_code: last } = await codesFor(service, hosts.a));
    }
    return last;
  };

  const begun = async (waits: readonly Wait[], count: number) => {
    while (waits.length < count) await new Promise(setImmediate);
  };

  /** Lets the turns end one after another until so many pages have been answered. */
  const endTurns = async (waits: Wait[], answers: readonly unknown[], count: number) => {
    while (answers.length < count) {
      waits.shift()?.end();
      await new Promise(setImmediate);
    }
  };

  it('decision 32: from 10,000 divided by its pending codes on, each entry waits 3 s and the log says why', async () => {
    const phone = await phoneOf(service, hosts.a, 'u2@example.test');
    const userCode = await pend(20);
    await guess(499);
    expectNotValid(await phone.open(wrong));
    expect(service.pauses).toEqual([]);
    expect(warnings()).toEqual([]);

    expectNotValid(await phone.open(wrong));
    expect(service.pauses).toEqual([3_000]);
    // A right code is slowed as a wrong one is: the wait must not tell them apart.
    expect((await phone.open(userCode)).status).toBe(200);
    expect(service.pauses).toEqual([3_000, 3_000]);
    expect(warnings()).toHaveLength(2);
    expect(JSON.parse(warnings()[0] ?? '{}')).toMatchObject({ level: 'warn', tenant: 'Tenant A' });
    for (const line of warnings()) expect(line).not.toMatch(/000 ?000/);
  });

  it('decision 32: the tenant is told once in 15 minutes that its entries are slowed', async () => {
    const [one, other] = await phonesOf(service, hosts.a, 2);
    await pend(20);
    await guess(500);
    await one?.open(wrong);
    await other?.open(wrong);
    const reason = 'too many wrong user codes of one tenant, so that entries are slowed';
    const told = (await auditEvents(service)).filter((event) => event.reason === reason);
    expect(told).toHaveLength(1);
  });

  it('decision 32: slowed entries wait one behind another, however many come at once', async () => {
    const phones = await phonesOf(service, hosts.a, 3);
    await pend(20);
    await guess(500);
    const waits = holdWaits();
    const answers: number[] = [];
    const pages = phones.map((phone, number) =>
      openFrom(phone, number, wrong).then(({ status }) => answers.push(status)),
    );
    await begun(waits, 3);
    expect(secondsOf(waits).toSorted()).toEqual([3, 6, 9]);
    await endTurns(waits, answers, 3);
    await Promise.all(pages);
    expect(answers).toEqual([422, 422, 422]);
  });

  it('F8: a right code waits its own 3 s, whatever strangers before and after it enter', async () => {
    const phones = await phonesOf(service, hosts.a, 6);
    const userCode = await pend(20);
    await guess(500);
    const waits = holdWaits();
    const answers: number[] = [];
    const send = async (number: number, code: string) => {
      const before = waits.length;
      const page = openFrom(phones[number], number, code).then(({ status }) => answers.push(status));
      await begun(waits, before + 1);
      return { page };
    };
    for (const number of [0, 1, 2]) await send(number, wrong);
    const right = await send(3, userCode);
    waits[3]?.end();
    await right.page;
    expect(answers).toEqual([200]);
    // Those that come after wait for no turn of it: one line as before.
    for (const number of [4, 5]) await send(number, wrong);
    expect(secondsOf(waits)).toEqual([3, 6, 9, 3, 12, 15]);
    await endTurns(waits, answers, 6);
    expect(answers).toEqual([200, 422, 422, 422, 422, 422]);
  });

  it('F8: of 200 right and wrong codes at once no more are looked up than have a place', async () => {
    const phones = await phonesOf(service, hosts.a, 8);
    const userCode = await pend(20);
    await guess(500);
    const waits = holdWaits();
    const answers: number[] = [];
    const flood = Array.from({ length: 200 }, (_, index) =>
      openFrom(phones[index % 8], index % 100, index % 2 === 0 ? wrong : userCode).then(({ status }) =>
        answers.push(status),
      ),
    );
    while (answers.length < 194) await new Promise(setImmediate);
    expect(new Set(answers)).toEqual(new Set([503]));
    await endTurns(waits, answers, 200);
    await Promise.all(flood);
    expect(answers.filter((status) => status !== 503)).toHaveLength(6);
  });

  it('decision 32: where six wait the next is told to come back, and no code is looked up for it', async () => {
    const phones = await phonesOf(service, hosts.a, 8);
    const userCode = await pend(20);
    await guess(500);
    const waits = holdWaits();
    const answers: Answer[] = [];
    const pages = phones.map((phone, number) =>
      openFrom(phone, number, userCode).then((answer) => answers.push(answer)),
    );
    while (answers.length < 2) await new Promise(setImmediate);
    for (const answer of answers) {
      expectErrorPage(answer, 503);
      expect(answer.headers['retry-after']).toBe('5');
    }
    await endTurns(waits, answers, 8);
    await Promise.all(pages);
    expect(answers.map(({ status }) => status)).toEqual([503, 503, ...Array(6).fill(200)]);
    const entered = (await auditEvents(service)).filter(({ event }) => event === 'device_code_entered');
    expect(entered).toHaveLength(6);
  });

  it.each([
    ['member', (index: number) => ({ phone: 0, address: index })],
    ['address', (index: number) => ({ phone: index, address: 0 })],
  ] as const)(
    'promise 7: of one %s one slowed entry waits at a time, and others get in',
    async (_of, from) => {
      const phones = await phonesOf(service, hosts.a, 9);
      const codes: string[] = [];
      for (let index = 0; index < 8; index += 1) codes.push(await pend(1));
      await pend(20);
      await guess(500);
      const waits = holdWaits();
      const flood: Answer[] = [];
      const flooding = codes.map((userCode, index) => {
        const { phone, address } = from(index);
        return openFrom(phones[phone], address, userCode).then((answer) => flood.push(answer));
      });
      while (flood.length < 7) await new Promise(setImmediate);
      for (const answer of flood) {
        expectErrorPage(answer, 503);
        expect(answer.headers['retry-after']).toBe('5');
      }
      const others: number[] = [];
      const pages = [8, 7, 6, 5, 4].map((number) =>
        openFrom(phones[number], number + 100, codes[0] ?? '').then(({ status }) => others.push(status)),
      );
      await endTurns(waits, others, 5);
      await Promise.all([...flooding, ...pages]);
      expect(others).toEqual([200, 200, 200, 200, 200]);
      expect(flood.at(-1)?.status).toBe(200);

      // When its turn is over the place is free for the next.
      service.clock.advance(3_000);
      const next = openFrom(phones[0], 0, wrong);
      await begun(waits, 1);
      waits.shift()?.end();
      expectNotValid(await next);
    },
  );

  it('promise 7: of one network two slowed entries wait at a time, however many accounts and addresses it has', async () => {
    const phones = await phonesOf(service, hosts.a, 7);
    const userCode = await pend(20);
    await guess(500);
    const waits = holdWaits();
    const flood: number[] = [];
    const flooding = phones
      .slice(0, 6)
      .map((phone, index) =>
        openAt(phone, `198.51.100.${index}`, wrong).then(({ status }) => flood.push(status)),
      );
    while (flood.length < 4) await new Promise(setImmediate);
    expect(flood).toEqual([503, 503, 503, 503]);
    const other: number[] = [];
    const page = openAt(phones[6], '203.0.113.9', userCode).then(({ status }) => other.push(status));
    await endTurns(waits, other, 1);
    await Promise.all([...flooding, page]);
    expect(other).toEqual([200]);
    expect(flood).toEqual([503, 503, 503, 503, 422, 422]);
  });

  it('promise 7: strangers hold no place of a browser that its member has used for a day', async () => {
    const phones = await phonesOf(service, hosts.a, 8);
    const day = 24 * 60 * minute;
    // The last two were used before; the others signed in just now.
    await service.store.transaction(async (tx) => {
      const members = await tx
        .selectFrom('members')
        .select('id')
        .where('email', 'in', ['more7@example.test', 'more8@example.test'])
        .execute();
      await tx
        .updateTable('knownBrowsers')
        .set({ firstSeenAt: service.clock.now() - day })
        .where(
          'memberId',
          'in',
          members.map(({ id }) => id),
        )
        .execute();
    });
    const userCode = await pend(20);
    await guess(500);
    const waits = holdWaits();
    const answers: number[] = [];
    const flooding = phones
      .slice(0, 6)
      .map((phone, number) => openFrom(phone, number, wrong).then(({ status }) => answers.push(status)));
    await begun(waits, 6);
    const known = [6, 7].map((number) =>
      openFrom(phones[number], number, userCode).then(({ status }) => answers.push(status)),
    );
    // They wait behind no stranger.
    await begun(waits, 8);
    expect(secondsOf(waits.slice(6))).toEqual([3, 3]);
    await endTurns(waits.splice(6), answers, 2);
    expect(answers).toEqual([200, 200]);
    await endTurns(waits, answers, 8);
    await Promise.all([...flooding, ...known]);
    expect(answers.toSorted()).toEqual([200, 200, 422, 422, 422, 422, 422, 422]);
  });

  it('promise 7: a code that its member has opened before waits for no turn', async () => {
    const [phone, other] = await phonesOf(service, hosts.a, 2);
    const userCode = await pend(20);
    await guess(500);
    await openFrom(phone, 1, userCode);
    expect(service.pauses).toEqual([3_000]);
    expect((await openFrom(phone, 1, userCode)).status).toBe(200);
    expect(service.pauses).toEqual([3_000]);
    // To anybody else it is a guess.
    expect((await openFrom(other, 2, userCode)).status).toBe(200);
    expect(service.pauses).toEqual([3_000, 3_000]);
    // And so it is when it waits no more.
    service.clock.advance(14 * minute);
    await pend(20);
    service.clock.advance(minute);
    await guess(500);
    expectNotValid(await openFrom(phone, 1, userCode));
    expect(service.pauses).toEqual([3_000, 3_000, 3_000]);
  });

  it('decision 32: a guess entered again tells nothing before its turn is over', async () => {
    const [phone] = await phonesOf(service, hosts.a, 1);
    const userCode = await pend(20);
    await guess(500);
    const waits = holdWaits();
    const first = openFrom(phone, 1, userCode);
    await begun(waits, 1);
    for (const again of [userCode, wrong]) expectErrorPage(await openFrom(phone, 2, again), 503);
    waits.shift()?.end();
    expect((await first).status).toBe(200);
    service.clock.advance(3_000);
    expect((await openFrom(phone, 2, userCode)).status).toBe(200);
  });

  it('decision 32: a slowed entry still approves', async () => {
    const phone = await phoneOf(service, hosts.a, 'u2@example.test');
    await pend(19);
    const { user_code: userCode, device_code: deviceCode } = await codesFor(service, hosts.a);
    await guess(500);
    await phone.approve(userCode);
    expect(service.pauses).toEqual([3_000]);
    await pollTokens(service, hosts.a, deviceCode);
  });

  it('decision 32: with fewer pending codes, or 15 minutes later, it is over', async () => {
    const phone = await phoneOf(service, hosts.a, 'u2@example.test');
    await pend(20);
    await guess(510);
    service.clock.advance(14 * minute);
    await codesFor(service, hosts.a);
    service.clock.advance(minute);
    // One pending code is left, and the guesses have left the window.
    await phone.open(wrong);
    expect(service.pauses).toEqual([]);
  });

  it("decision 32: one tenant's guesses slow no other", async () => {
    await pend(20);
    await guess(600, hosts.a);
    const phone = await phoneOf(service, hosts.b);
    await codesFor(service, hosts.b);
    expectNotValid(await phone.open(wrong));
    expect(service.pauses).toEqual([]);
  });

  it('decision 32: a restart forgives nothing', async () => {
    await pend(20);
    await guess(500);
    await service.restart();
    await (await phoneOf(service, hosts.a, 'u2@example.test')).open(wrong);
    expect(service.pauses).toEqual([3_000]);
  });
});
