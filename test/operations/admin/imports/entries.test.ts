import { expect, it } from 'vitest';
import { tenantOf } from '../../../support/device.ts';
import { hosts } from '../../../support/fixtures.ts';
import { takeLines } from '../../../support/members/moving-in/take-lines.ts';
import { run } from '../../../support/operators/desk.ts';
import { useService } from '../../../support/use-service.ts';

const service = useService({ data: 'security' });

const line = (value: object) => JSON.stringify(value);
const take = async (existing: 'skip' | 'update', ...lines: string[]) =>
  (await takeLines(service, hosts.a, lines, existing)).map(({ outcome, problems }) =>
    [outcome, ...problems.map(({ code }) => code)].join(' '),
  );
const membersAt = (domain: string) =>
  service.store.transaction((tx) =>
    tx
      .selectFrom('members')
      .select(['email', 'fullName', 'memberNumber', 'externalId'])
      .where('tenantId', '=', tenantOf(service, hosts.a).id)
      .where('normalisedEmail', 'like', `%@${domain}`)
      .orderBy('userId')
      .execute(),
  );

it('lines of one batch see what those before them made: an address, a name and a number are one member’s', async () => {
  expect(
    await take(
      'update',
      line({ email: 'one@batch.test', externalId: 'x1', memberNumber: 700_001 }),
      line({ email: 'two@batch.test', externalId: 'x1' }),
      line({ email: 'three@batch.test', memberNumber: 700_001 }),
      line({ email: 'ONE@batch.test', fullName: 'One', externalId: 'x2' }),
      line({ email: 'four@batch.test', externalId: 'x1' }),
      line({ email: 'five@batch.test', memberNumber: 9_000_000_000_000 }),
    ),
  ).toEqual([
    'added',
    'refused external_id_taken',
    'refused number_of_another',
    'changed',
    'added',
    'refused out_of_range',
  ]);
  expect(await membersAt('batch.test')).toEqual([
    { email: 'one@batch.test', fullName: 'One', memberNumber: 700_001, externalId: 'x2' },
    { email: 'four@batch.test', fullName: 'four', memberNumber: 700_002, externalId: 'x1' },
  ]);
});

it('half a letter, which JSON may name, and what no text may hold keep no other line of the batch out', async () => {
  const names = ['Half \\ud83d', 'None \\u0000', 'Whole \\ud83d\\ude00'];
  const lines = names.map((name, at) => `{"email":"m${at}@halves.test","fullName":"${name}"}`);
  expect(await take('skip', ...lines)).toEqual(['refused unfit', 'refused unfit', 'added']);
  expect((await membersAt('halves.test')).map(({ fullName }) => fullName)).toEqual(['Whole 😀']);
});

it('when a member came, or answered, lies in no future; a clock without its zone may be some hours ahead', async () => {
  await run(service, 'consents.define', { tenant: hosts.a, consentId: 'times', name: 'Times' });
  const now = service.clock.now();
  const [soon, late] = [now + 3_600_000, now + 2 * 86_400_000];
  const answered = (changedAt: number) => [{ id: 'times', status: 'accepted', changedAt }];
  const outcomes = await take(
    'skip',
    line({ email: 'c1@times.test', createdAt: late }),
    line({ email: 'c2@times.test', consents: answered(late) }),
    line({ email: 'c3@times.test', createdAt: soon, consents: answered(soon) }),
  );
  expect(outcomes).toEqual(['refused in_the_future', 'refused in_the_future', 'added']);
  const [made] = await service.store.transaction((tx) =>
    tx
      .selectFrom('members')
      .innerJoin('consentChanges', 'consentChanges.memberId', 'members.id')
      .select(['createdAt', 'changedAt'])
      .where('normalisedEmail', '=', 'c3@times.test')
      .execute(),
  );
  expect(made?.createdAt).toBeLessThan(soon);
  expect(made?.changedAt).toBe(made?.createdAt);
});

it('an answer that was given here holds, unless the file knows of a later one', async () => {
  await run(service, 'consents.define', { tenant: hosts.a, consentId: 'news', name: 'News' });
  const email = 'no@news.test';
  const given = service.clock.now();
  await take(
    'skip',
    line({ email, consents: [{ id: 'news', status: 'accepted', changedAt: given - 5_000 }] }),
  );
  const answers = () =>
    service.store.transaction((tx) =>
      tx
        .selectFrom('consentChanges')
        .innerJoin('members', 'members.id', 'consentChanges.memberId')
        .selectAll('consentChanges')
        .where('normalisedEmail', '=', email)
        .orderBy('consentChanges.id')
        .execute(),
    );
  const again = (changedAt?: number) =>
    take('update', line({ email, consents: [{ id: 'news', status: 'accepted', changedAt }] }));
  const [first] = await answers();
  if (first === undefined) throw new Error('it has no answer');
  const { id: _, ...facts } = first;
  const withdrawn = { ...facts, status: 'withdrawn', source: 'account', changedAt: given } as const;
  await service.store.transaction((tx) => tx.insertInto('consentChanges').values(withdrawn).execute());
  service.clock.advance(10_000);
  expect(await again()).toEqual(['skipped']);
  expect(await again(given - 1)).toEqual(['skipped']);
  expect((await answers()).at(-1)?.status).toBe('withdrawn');
  expect(await again(given + 1)).toEqual(['changed']);
  expect((await answers()).at(-1)?.status).toBe('accepted');
});
