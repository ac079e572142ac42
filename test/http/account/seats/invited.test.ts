import { beforeAll, describe, expect, it } from 'vitest';
import { seatInvitationLifetime } from '../../../../src/core/access/limits.ts';
import { addPackage, addProduct } from '../../../../src/operations/access/package.ts';
import { tenantOf, textOf } from '../../../support/device.ts';
import { hosts } from '../../../support/fixtures.ts';
import type { Answer } from '../../../support/http.ts';
import { run } from '../../../support/operators/desk.ts';
import { packageRecord } from '../../../support/records/access-records.ts';
import { useService } from '../../../support/use-service.ts';
import { visitor } from '../../../support/visitor.ts';

const service = useService({ data: 'security' });
const tenant = hosts.a;

let subscriptionId: number;

beforeAll(async () => {
  const packageId = await service.store.transaction(async (tx) => {
    const { id } = tenantOf(service, tenant);
    const { id: _, tenantId, products, ...facts } = packageRecord({ name: 'Class & Library' });
    return addPackage(tx, id, facts, [await addProduct(tx, id, 'Lessons')]);
  });
  const input = { tenant, memberId: 'u1@example.test', packageId };
  const made = await run<{ subscriptionId: number }>(service, 'subscriptions.create', input);
  subscriptionId = made.subscriptionId;
  await run(service, 'groups.create', { tenant, subscriptionId, seats: 10 });
  await named('Schiller School');
});

const named = (fullName: string) =>
  run(service, 'members.change', { tenant, memberId: 'u1@example.test', fullName });

/** Invites an address. @returns the seat and where its mail leads */
async function invite(email: string) {
  const { seatId } = await run<{ seatId: string }>(service, 'seats.invite', {
    tenant,
    subscriptionId,
    email,
  });
  await service.delivered();
  const link = /https:\/\/\S+\/account\/seats\/join\S*/.exec(service.outbox.last(email).text)?.[0] ?? '';
  return { seatId, path: link.replace('https://a.test', '') };
}

/** What the page to sign in says that it is for, in a browser that opens an address. */
async function leadAt(path: string, { host = tenant as string, language = 'en' } = {}) {
  const browser = visitor(service, host);
  const headers = { 'accept-language': language };
  const answer = await browser.send(path, { headers });
  const page = await browser.send(String(answer.headers.location), { headers });
  const signUp = await browser.send(String(answer.headers.location).replace('/sign-in', '/sign-up'), {
    headers,
  });
  return { page: wordsOf(page), signUp: wordsOf(signUp), bytes: page.text.length };
}

/** Without the spaces that stand for the ends of what is in bold. */
const wordsOf = (page: Answer) => textOf(page).replaceAll(' ,', ',');

const invited = 'to take your seat in Class & Library, offered by Schiller School';
const plain = 'to see your invitation';

describe('who opens the mail of an invitation', () => {
  it('pages 10, 18: reads on the page to sign in and to sign up what she is invited to', async () => {
    const { path } = await invite('first@home.example');
    const { page, signUp, bytes } = await leadAt(path);
    expect(page).toContain(invited);
    expect(signUp).toContain(invited);
    expect(bytes).toBeLessThan(20_000);
    expect((await leadAt(path, { language: 'de' })).page).toContain(
      'um deinen Platz in Class & Library zu übernehmen, den Schiller School dir anbietet',
    );
    // The link stays with her through the page of a language, and leads back here.
    const browser = visitor(service, tenant);
    const signIn = String((await browser.send(path)).headers.location);
    const chosen = await browser.send(`${signIn}&ui_locales=nb`);
    expect(wordsOf(await browser.send(String(chosen.headers.location)))).toContain(
      'for å ta plassen din i Class & Library, som Schiller School tilbyr deg',
    );
  });

  it('GA16: no link, one that is guessed, over, taken back or of another tenant names no one', async () => {
    const { path, seatId } = await invite('second@home.example');
    expect((await leadAt('/account/seats/join')).page).toContain(plain);
    const guesses = Array.from(
      { length: 200 },
      (_, index) => `${path.slice(0, -3)}${index.toString(16).padStart(3, '0')}`,
    ).filter((guess) => guess !== path);
    for (const { page } of await Promise.all(guesses.map((guess) => leadAt(guess)))) {
      expect(page).toContain(plain);
      expect(page).not.toMatch(/Schiller|Library/);
    }
    for (const odd of ['%00', "'", seatId.toUpperCase(), 'x'.repeat(4_000)]) {
      const { page } = await leadAt(`/account/seats/join?invitation=${odd}`);
      expect(page, odd).not.toMatch(/Schiller|Library/);
    }
    expect((await leadAt(path, { host: hosts.b })).page).not.toMatch(/Schiller|Library/);
    // A name that is an advertisement is shown to no stranger; the plan is the tenant's own word.
    await named('Win at evil.example');
    expect((await leadAt(path)).page).toContain('to take your seat in Class & Library');
    expect((await leadAt(path)).page).not.toContain('evil');
    await named('Schiller School');
    await run(service, 'seats.remove', { tenant, subscriptionId, seatId });
    expect((await leadAt(path)).page).toContain(plain);
    const third = await invite('third@home.example');
    service.clock.advance(seatInvitationLifetime);
    expect((await leadAt(third.path)).page).toContain(plain);
  });
});
