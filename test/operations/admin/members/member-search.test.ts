import { beforeAll, describe, expect, it } from 'vitest';
import { newPassword } from '../../../support/members/sign-up.ts';
import { refusal, run } from '../../../support/operators/desk.ts';
import { useService } from '../../../support/use-service.ts';

const service = useService({ data: 'security' });

const tenant = 'a.test';

interface Made {
  readonly id: string;
  readonly memberNumber: number;
  readonly userId: number;
}

const make = (fullName: string, email: string, more: object = {}) =>
  run<Made>(service, 'members.create', { tenant, fullName, email, password: newPassword, ...more });

interface Page {
  readonly members: readonly { readonly fullName: string }[];
  readonly next: string | null;
}
const list = (input: object) => run<Page>(service, 'members.list', { tenant, ...input });
const names = async (input: object) => (await list(input)).members.map(({ fullName }) => fullName);

describe('a search for members', () => {
  beforeAll(async () => {
    await make('Åse Müller-Berg', 'aase.muller@search.test', { nickName: 'Tulla' });
    await make('Berit Åsen', 'b.aasen@search.test');
    await run(service, 'members.create', {
      tenant: 'b.test',
      fullName: 'Åse Elsewhere',
      email: 'aase@search.test',
      password: newPassword,
    });
  });

  it.each([
    ['the beginning of a word of the name', 'mull', ['Åse Müller-Berg']],
    ['words in any order, case and accents', 'BERG ase', ['Åse Müller-Berg']],
    ['a nickname', 'tulla', ['Åse Müller-Berg']],
    ['a beginning that several have', 'ase', ['Berit Åsen', 'Åse Müller-Berg']],
    ['the beginning of the address', 'B.AASEN@', ['Berit Åsen']],
    ['a word that is in no name', 'ase nobody', []],
    ['the middle of a word', 'uller', []],
    ['a sign that means something to the database', '%', []],
  ])('finds %s', async (_what, search, found) => {
    expect(await names({ search })).toEqual(found);
  });

  it('finds the member number, and no number that only begins like it', async () => {
    const { memberNumber, userId } = await make('Number One', 'one@search.test');
    expect(await names({ search: String(memberNumber) })).toEqual(['Number One']);
    expect(await names({ search: String(userId) })).toEqual(['Number One']);
    expect(await names({ search: String(memberNumber).slice(0, -1) })).toEqual([]);
  });

  it.each([
    ['as it is stored', '+4791234567'],
    ['as it is dialled at home', '912 34 567'],
    ['as it is dialled from abroad', '0047 91 23 45 67'],
    ['by its beginning', '91234'],
  ])('finds the telephone number %s', async (_how, search) => {
    const known = await names({ search: 'phoned' });
    if (known.length === 0) await make('Phoned', 'phoned@search.test', { phone: '+4791234567' });
    expect(await names({ search })).toEqual(['Phoned']);
    expect(await names({ search: '1234' })).toEqual([]);
  });

  it('gives pages, the newest first, that show every member once', async () => {
    const all = await names({ limit: 200 });
    const paged: string[] = [];
    let next: string | null = null;
    do {
      const page: Page = await list({ limit: 2, ...(next === null ? {} : { before: next }) });
      expect(page.members.length).toBeLessThanOrEqual(2);
      paged.push(...page.members.map(({ fullName }) => fullName));
      next = page.next;
    } while (next !== null);
    expect(paged).toEqual(all);
    expect(all[0]).toBe('Phoned');
    expect((await refusal(service, 'members.list', { tenant, limit: 201 })).kind).toBe('invalid');
  });

  it('follows a change of the name, and forgets who was deleted', async () => {
    const { id } = await make('Carl Before', 'carl@search.test');
    await run(service, 'members.change', { tenant, memberId: id, fullName: 'Carl After' });
    expect(await names({ search: 'before' })).toEqual([]);
    expect(await names({ search: 'after' })).toEqual(['Carl After']);
    await run(service, 'members.delete', { tenant, memberId: id });
    expect(await names({ search: 'after' })).toEqual([]);
    const rows = await service.store.transaction((tx) =>
      tx.selectFrom('memberWords').selectAll().where('memberId', '=', id).execute(),
    );
    expect(rows).toEqual([]);
  });
});
