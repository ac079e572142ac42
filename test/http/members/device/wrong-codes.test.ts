import { beforeAll, expect, it } from 'vitest';
import {
  approvedCodes,
  codesFor,
  expectNotValid,
  forgetWrongCodes,
  type Phone,
  phoneOf,
  setLimits,
  unlimited,
  usedCodes,
} from '../../../support/device.ts';
import { hosts } from '../../../support/fixtures.ts';
import type { Answer } from '../../../support/http.ts';
import { median } from '../../../support/process/median.ts';
import { workOf } from '../../../support/process/work.ts';
import { readsOf } from '../../../support/queries/rows-read.ts';
import { useService } from '../../../support/use-service.ts';

const service = useService({ data: 'security' });
let phone: Phone;
/** The member who decided on those that were decided. */
let decider: Phone;
/** Every way in which a code does not work, with such a code. */
let wrong: Readonly<Record<string, string>>;

beforeAll(async () => {
  for (const host of [hosts.a, hosts.b]) await setLimits(service, host, unlimited);
  phone = await phoneOf(service, hosts.a);
  decider = await phoneOf(service, hosts.a, 'u2@example.test');
  const { user_code: expired } = await codesFor(service, hosts.a);
  service.clock.advance(900_000);
  const denied = await codesFor(service, hosts.a);
  await decider.reject(denied.user_code);
  const approved = await approvedCodes(service, decider);
  const used = await usedCodes(service, decider);
  const other = await codesFor(service, hosts.b);
  const issued = [denied, approved, used, other].map(({ user_code: userCode }) => userCode);
  wrong = {
    nonexistent: unissued([...issued, expired]),
    expired,
    used: used.user_code,
    denied: denied.user_code,
    approved: approved.user_code,
    "another tenant's": other.user_code,
  };
});

/** A code that none of these is. */
function unissued(issued: readonly string[]): string {
  let digits = 0;
  const shown = () => String(digits).padStart(6, '0').replace(/^.../, '$& ');
  while (issued.includes(shown())) digits += 1;
  return shown();
}

/** What an answer says, apart from the code that was typed and what differs between any two answers. */
const said = ({ status, headers, text }: Answer, userCode: string) => {
  const { date: _, ...others } = headers;
  return { status, headers: others, length: text.length, text: text.replaceAll(userCode, '### ###') };
};

/** Opens the code's page as if nothing had been entered before. */
const openFresh = async (userCode: string) => {
  await forgetWrongCodes(service);
  return phone.open(userCode);
};

it('U8: every code that does not work gets the same status, headers, length and text', async () => {
  const [first, ...others] = Object.entries(wrong);
  if (first === undefined) throw new Error('no wrong codes');
  const page = await openFresh(first[1]);
  expectNotValid(page);
  for (const [what, userCode] of others) {
    expect(said(await openFresh(userCode), userCode), what).toEqual(said(page, first[1]));
  }
});

it('U8: each of them counts as one wrong entry', async () => {
  const count = () =>
    service.store.transaction((tx) => tx.selectFrom('wrongUserCodes').selectAll().execute());
  for (const [what, userCode] of Object.entries(wrong)) {
    expectNotValid(await openFresh(userCode));
    expect(await count(), what).toHaveLength(1);
  }
});

it('U8: each of them reads the same, and takes the same work within 20 %', async () => {
  const reads: Record<string, readonly string[]> = {};
  for (const [what, userCode] of Object.entries(wrong)) {
    await forgetWrongCodes(service);
    reads[what] = await readsOf(() => phone.open(userCode));
  }
  const [first = [], ...others] = Object.values(reads);
  expect(first.length).toBeGreaterThan(0);
  for (const other of others) expect(other).toEqual(first);

  const works = new Map(Object.keys(wrong).map((what) => [what, [] as number[]]));
  let apart: readonly string[] = ['nothing was measured'];
  // More rounds where a busy machine tells them apart: what really differs differs in all of them.
  for (let rounds = 0; rounds < 120 && apart.length > 0; rounds += 30) {
    for (let round = 0; round < 30; round += 1) {
      // Taken in turns, so that a sweep of the heap meets all of them.
      for (const [what, userCode] of Object.entries(wrong)) {
        await forgetWrongCodes(service);
        works.get(what)?.push(await workOf(() => phone.open(userCode)));
      }
    }
    apart = toldApart(works);
  }
  expect(apart).toEqual([]);
});

/** Which of them are told apart by their work: by more than a fifth, and by half a millisecond, which a network hides. */
function toldApart(works: ReadonlyMap<string, readonly number[]>): readonly string[] {
  const typical = [...works].map(([what, all]) => [what, median(all)] as const);
  const whole = median(typical.map(([, worked]) => worked));
  const guard = Math.max(0.2 * whole, 0.5);
  return typical
    .filter(([, worked]) => Math.abs(worked - whole) > guard)
    .map(([what, worked]) => `${what}: ${worked} ms of ${whole} ms`);
}

it('decision 32: a member who comes back to a code of their own has not guessed', async () => {
  await forgetWrongCodes(service);
  for (let again = 0; again < 7; again += 1) {
    expect((await decider.open(String(wrong.used))).headers.location).toMatch(/^\/device\/approved\?/);
  }
  const { user_code: userCode } = await codesFor(service, hosts.a);
  expect((await decider.open(userCode)).status).toBe(200);
});
