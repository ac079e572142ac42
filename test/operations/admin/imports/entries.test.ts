import { expect, it } from 'vitest';
import { tenantOf } from '../../../support/device.ts';
import { hosts } from '../../../support/fixtures.ts';
import { takeLines } from '../../../support/members/moving-in/take-lines.ts';
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
