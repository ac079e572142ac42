import { beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../../../support/operators/desk.ts';
import {
  filledIn,
  mainOf,
  newAdmin,
  type PortalVisitor,
  plain,
} from '../../../../support/operators/portal.ts';
import { beginWorld, newInvoice, newMember, type World } from '../../../../support/operators/world.ts';
import { useService } from '../../../../support/use-service.ts';

const service = useService({ data: 'security' });
let browser: PortalVisitor;
let world: World;
let home: string;

beforeAll(async () => {
  world = await beginWorld(service, 'pages.test');
  browser = await newAdmin(service, world.host, 'sam@pages.test', 'system_admin');
  home = `/admin/tenants/${world.host}`;
  for (let made = 0; made < 45; made += 1) {
    await world.operate('products.create', { name: `Product ${made}` });
    // Addresses in another order than their members were made in.
    const email = `${String((made * 7) % 45).padStart(2, '0')}@pages.test`;
    await world.operate('members.create', {
      email,
      fullName: `Member ${made}`,
      password: 'kvist og eld i skogen',
    });
  }
});

/** A page of a list, by its address, with the addresses around it. */
async function open(path: string) {
  const page = await browser.send(path);
  expect(page.status).toBe(200);
  const link = (rel: string) => {
    const href = new RegExp(`rel="${rel}" href="(\\?[^"]*)"`).exec(page.text)?.[1];
    return href === undefined ? null : `${path.split('?')[0]}${plain(href)}`;
  };
  return { page, first: keyCells(page.text), next: link('next'), previous: link('prev') };
}

/** What stands in the column by which each of these lists is sorted: an address, or an id behind the name. */
const keyCells = (text: string) =>
  [...text.matchAll(/<td data-label="(?:Email address|ID)">([\s\S]*?)<\/td>/g)].map(([, cell = '']) =>
    cell.replaceAll(/<[^>]*>/g, '').trim(),
  );

describe('pages 21: a list', () => {
  it.each([
    ['members', 'email', (cells: readonly string[]) => cells.toSorted()],
    ['products', 'id', (cells: readonly string[]) => cells.toSorted((a, b) => Number(a) - Number(b))],
  ])(
    'of %s is sorted by the heads of its columns, and paged there and back in each order',
    async (list, column, sorted) => {
      for (const sort of [column, `-${column}`]) {
        const seen: (readonly string[])[] = [];
        let path: string | null = `${home}/${list}?sort=${sort}`;
        let last = path;
        while (path !== null) {
          last = path;
          const { first, next, page } = await open(path);
          expect(page.text).toContain(`aria-sort="${sort.startsWith('-') ? 'descending' : 'ascending'}"`);
          seen.push(first);
          path = next;
        }
        const all = seen.flat();
        expect(all.length).toBeGreaterThanOrEqual(45);
        expect(all).toEqual(sort.startsWith('-') ? sorted(all).toReversed() : sorted(all));
        // Back again, page by page.
        path = (await open(last)).previous;
        for (const expected of seen.slice(0, -1).toReversed()) {
          const { first, previous, next } = await open(String(path));
          expect(first).toEqual(expected);
          expect(next).not.toBeNull();
          path = previous;
        }
        expect(path).toBeNull();
      }
    },
  );

  it('is reversed by the head of the column that it is sorted by', async () => {
    const { page } = await open(`${home}/members?sort=email&status=active`);
    expect(plain(page.text)).toContain('<a class="sort" href="?status=active&sort=-email">Email address</a>');
    expect(plain(page.text)).toContain('<a class="sort" href="?status=active">Created</a>');
  });

  it('that is to go on behind who is gone says so, and leads to its first page', async () => {
    const page = await browser.send(`${home}/members?sort=email&status=active&before=gone`);
    expect([page.status, plain(page.text)]).toEqual([
      422,
      expect.stringContaining('<a class="button" href="?status=active&sort=email">'),
    ]);
    expect(page.text).toContain('begin with the first page');
  });

  it('says how many there are, and how many it shows if it is narrowed', async () => {
    const total = async (path: string) => /<p class="total">([^<]*)/.exec((await open(path)).page.text)?.[1];
    expect(await total(`${home}/products`)).toBe('46 products');
    expect(await total(`${home}/products?productId=1`)).toMatch(/^[01] products? found$/);
    expect(await total(`${home}/members?search=member`)).toBeUndefined();
    // 45, the member of the world and the administrator.
    expect(await total(`${home}/members`)).toBe('47 members');
    expect((await open(home)).page.text).toMatch(/>Members<\/a>\s*<span class="count">47<\/span>/);
    await world.operate('members.create', {
      email: 'one.more@pages.test',
      fullName: 'X',
      password: 'kvist og eld i skogen',
    });
    // The rail remembers for a minute; the list itself shows who came from elsewhere, by an import say, and counts them.
    expect((await open(home)).page.text).toMatch(/>Members<\/a>\s*<span class="count">47<\/span>/);
    expect(await total(`${home}/members`)).toBe('48 members');
    expect((await open(home)).page.text).toMatch(/>Members<\/a>\s*<span class="count">48<\/span>/);
  });

  it('counts what is overdue in the rail, anew once one is paid here', async () => {
    const number = await newInvoice(world);
    service.clock.advance(60_000);
    const badge = async () => /<span class="count bad">(\d+)/.exec((await open(home)).page.text)?.[1];
    expect(await badge()).toBe('1');
    await browser.submit(`${home}/invoices/${number}/paid/+mark-paid`);
    expect(await badge()).toBeUndefined();
  });

  it('says what narrows it, and takes each of that away alone', async () => {
    const { page } = await open(`${home}/members?search=Member&status=active&userType=&sort=email`);
    const chips = [
      ...page.text.matchAll(
        /<li><a href="(\?[^"]*)"><span class="unseen">Remove filter <\/span>([^<]*)<bdi>([^<]*)/g,
      ),
    ];
    expect(chips.map(([, href = '', label, value]) => [plain(href), label, value])).toEqual([
      ['?status=active&sort=email', 'Search: ', 'Member'],
      ['?search=Member&sort=email', 'Status: ', 'active'],
    ]);
  });
});

describe('pages 21: several entries of a list at once', () => {
  const chosen = (path: string, act: string, entries: readonly string[], confirmed = false) =>
    browser.send(path).then((page) => {
      const body = new URLSearchParams({ token: String(filledIn(page).get('token')), act });
      for (const entry of entries) body.append('entry', entry);
      if (confirmed) body.set('confirmed', 'yes');
      return browser.send(path, { body });
    });
  const statusOf = async (memberId: string) =>
    (await run<{ status: string }>(service, 'members.read', { tenant: world.host, memberId })).status;

  it('end after a question that counts and names them, and the list says how many', async () => {
    const members = [await newMember(world), await newMember(world)];
    const path = `${home}/members?search=member`;
    const asked = await chosen(path, 'members.disable', members);
    expect(mainOf(asked)).toContain('<h1>Disable 2 members?</h1>');
    expect(mainOf(asked)).toContain('member-1@example.test');
    expect(await Promise.all(members.map(statusOf))).toEqual(['active', 'active']);
    const done = await browser.send(path, { body: filledIn(asked) });
    expect([done.status, done.headers.location]).toEqual([303, path]);
    expect(mainOf(await browser.send(path))).toContain('2 members disabled.');
    expect(await Promise.all(members.map(statusOf))).toEqual(['disabled', 'disabled']);
    const again = await browser.send(path, { body: filledIn(asked) });
    expect(mainOf(again)).toContain('You sent this already');
    const enabled = await chosen(path, 'members.enable', members);
    expect(enabled.status).toBe(303);
    expect(await Promise.all(members.map(statusOf))).toEqual(['active', 'active']);
  });

  it('are reported one by one if some could not be done', async () => {
    const [one, other] = [await newInvoice(world), await newInvoice(world)];
    await world.operate('invoices.markPaid', { number: one });
    const path = `${home}/invoices`;
    const answer = await chosen(path, 'invoices.markPaid', [String(one), String(other)]);
    const text = mainOf(answer)
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ');
    expect(text).toContain('Done for 1 of 2 invoices. The others have not changed.');
    expect(text).toMatch(/paid already.*done/);
    const { invoices } = await run<{ invoices: { number: number; paidAt: string | null }[] }>(
      service,
      'invoices.list',
      { tenant: world.host },
    );
    expect(invoices.find(({ number }) => number === other)?.paidAt).not.toBeNull();
  });

  it('are at least one, from this list, for an operation that it offers', async () => {
    const path = `${home}/members`;
    const none = await chosen(path, 'members.disable', []);
    expect([none.status, mainOf(none).includes('Select at least one entry.')]).toEqual([422, true]);
    expect((await chosen(path, 'members.delete', [world.memberId])).status).toBe(400);
    const foreign = await chosen(path, 'members.disable', ['019a7c1e-0000-7000-8000-000000000000'], true);
    expect(mainOf(foreign)).toContain('Done for 0 of 1 member');
  });
});
