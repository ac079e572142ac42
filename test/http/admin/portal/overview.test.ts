import { beforeAll, describe, expect, it } from 'vitest';
import { day, hour } from '../../../../src/core/limits.ts';
import { auditEvent } from '../../../../src/core/operators/audit-event.ts';
import { countingEvents } from '../../../../src/operations/figures/count-events.ts';
import { takeLevels } from '../../../../src/operations/figures/take-levels.ts';
import { insertDeviceCode } from '../../../../src/storage/grants/device-code.ts';
import { insertMail, mailFailed } from '../../../../src/storage/members/mail.ts';
import { insertAuditEvent } from '../../../../src/storage/operators/audit-event.ts';
import type { Answer } from '../../../support/http.ts';
import { run, tokenOf } from '../../../support/operators/desk.ts';
import { mainOf, newAdmin, type PortalVisitor } from '../../../support/operators/portal.ts';
import { beginWorld, newInvoice, type World } from '../../../support/operators/world.ts';
import { rowsReadBy } from '../../../support/queries/rows-read.ts';
import { fillYears } from '../../../support/queries/years.ts';
import { deviceCodeRecord } from '../../../support/records/device-code-record.ts';
import { itOfSqlite } from '../../../support/run/it-of-sqlite.ts';
import { useService } from '../../../support/use-service.ts';

const service = useService({ data: 'security', backedUpAt: Date.UTC(2026, 0, 12) });
const unhurried = { pause: () => Promise.resolve(), isOver: () => false };

let world: World;
let portal: PortalVisitor;
let home: string;
beforeAll(async () => {
  world = await beginWorld(service, 'world.test');
  portal = await newAdmin(service, 'a.test', 'sam@world.test', 'system_admin');
  home = `/admin/tenants/${world.host}`;
});

interface Attention {
  readonly attention: readonly {
    readonly code: string;
    readonly names: readonly string[];
    readonly detail: string | null;
  }[];
  readonly events: readonly object[];
}

const attention = (actor?: Parameters<typeof run>[3]) =>
  run<Attention>(service, 'overview.read', { tenant: world.host }, actor);
const codes = async (actor?: Parameters<typeof run>[3]) =>
  (await attention(actor)).attention.map(({ code }) => code);

/** The text of the page with the spaces of a reader. */
const textOf = (page: Answer) =>
  mainOf(page)
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');

describe('pages 19: the overview says what needs attention, with the button that mends it', () => {
  it('names at first that there is nothing to sign in to, and that the backup is old', async () => {
    expect(await codes()).toEqual(['no_client', 'backup_old']);
    const page = await portal.send(home);
    expect(textOf(page)).toContain('There is no client yet Members have nothing to sign in to. Add a client');
    expect(page.text).toContain(`href="${home}/clients/+create"`);
    expect(textOf(page)).toContain('The last backup is 3 days old');
  });

  it('tells of clients, invoices, mails and TVs by names and figures, the worst first', async () => {
    const { operate, tenantId, memberId } = world;
    await operate('clients.create', {
      clientId: 'shop',
      name: 'Shop',
      type: 'confidential',
      redirectUris: ['https://shop.example.com/cb'],
    });
    await operate('clients.addSecret', { clientId: 'shop' });
    await operate('clients.create', { clientId: 'lost', name: 'Lost', type: 'public' });
    await newInvoice(world);
    await newInvoice(world);
    const now = service.clock.now();
    await service.store.transaction(async (tx) => {
      await insertMail(
        tx,
        { tenantId, name: 'reset', message: Buffer.from(''), recipientHash: 'hash', memberId },
        now,
      );
      const { id } = await tx.selectFrom('mails').select('id').executeTakeFirstOrThrow();
      await mailFailed(tx, id, {
        attempts: 1,
        error: '550 5.7.1 no <ada@example.test>',
        retryAt: now + hour,
      });
      for (const number of [1, 2, 3]) {
        const code = { id: `code-${number}`, hash: `code-${number}`, tenantId, clientId: 'shop' };
        await insertDeviceCode(
          tx,
          deviceCodeRecord({ ...code, interval: 10_000, createdAt: now, expiresAt: now + hour }),
        );
      }
    });
    service.clock.advance(2_000);
    expect(await codes()).toEqual([
      'invoices_overdue',
      'mails_refused',
      'client_unreachable',
      'client_two_secrets',
      'client_polls_fast',
      'backup_old',
    ]);
    const page = await portal.send(home);
    const text = textOf(page);
    expect(text).toContain('2 invoices are overdue Ada Berg and 1 more · NOK 198.00 See invoices');
    expect(page.text).toContain(`href="${home}/invoices?paid=false"`);
    expect(text).toContain('Lost can’t be used yet');
    expect(page.text).toContain(`href="${home}/mails/+retry"`);
    expect(text).toContain('Shop has two secrets');
    expect(text).toContain('3 of its TVs were told to slow down since yesterday.');
    expect(page.text).toContain(`href="${home}/clients/shop"`);
  });

  it('mails that wait are sent again at once, but for those that go within a minute anyway', async () => {
    const waiting = () =>
      service.store.transaction((tx) =>
        tx.selectFrom('mails').select('nextAttemptAt').where('tenantId', '=', world.tenantId).execute(),
      );
    const [before] = await waiting();
    expect(await world.operate('mails.retry')).toEqual({ retried: 1 });
    expect((await waiting())[0]?.nextAttemptAt).toBeLessThan(Number(before?.nextAttemptAt) - hour / 2);
    expect(await world.operate('mails.retry')).toEqual({ retried: 0 });
  });

  it('A17: says to each caller only what they may read otherwise', async () => {
    const reader = tokenOf(service, world.host, ['tenants:read']);
    expect(await codes(reader)).toEqual(['mails_refused']);
    expect((await attention(reader)).attention[0]).toMatchObject({ detail: null });
    expect((await attention(reader)).events).toEqual([]);
    const books = tokenOf(service, world.host, ['tenants:read', 'subscriptions:read']);
    const [first] = (await attention(books)).attention;
    expect(first).toMatchObject({ code: 'invoices_overdue', count: 2, names: [] });
  });
});

describe('pages 21: the overview says what happened in sentences', () => {
  it('with names that lead to their pages, and once if it happened several times', async () => {
    const { tenantId, memberId } = world;
    const by = { actorKind: 'member', actorId: memberId, clientId: null, address: '192.0.2.9' } as const;
    for (const event of ['sign_up', 'sign_in', 'device_approved', 'device_approved'] as const) {
      service.clock.advance(1_000);
      const source = { ...by, at: service.clock.now(), tenantId };
      await service.store.transaction((tx) => insertAuditEvent(tx, auditEvent(source, { event })));
    }
    const page = await portal.send(home);
    const text = textOf(page);
    expect(text).toContain('Ada Berg approved a TV · 2 times 192.0.2.9');
    expect(text).toContain('Ada Berg signed up');
    expect(text).toContain('An operator added the client Lost');
    expect(text).not.toContain('signed in 192.0.2.9');
    expect(page.text).toContain(`href="${home}/members/${memberId}"`);
    expect(page.text).toContain(`href="${home}/audit"`);
  });
});

describe('pages 21: figures are drawn by the server, and stand in a table too', () => {
  it('each with how it compares, over the time that a link chooses', async () => {
    const { tenantId } = world;
    const now = service.clock.now();
    const today = now - (now % day);
    const figure = { tenantId, unit: 'day' } as const;
    await service.store.transaction((tx) =>
      tx
        .insertInto('figures')
        .values([
          ...[1, 2, 40].map((ago) => ({
            ...figure,
            at: today - ago * day,
            name: 'signInsByPassword',
            value: ago === 40 ? 1_000 : 750,
          })),
          { ...figure, at: today - day, name: 'signInsByTv', value: 250 },
          { ...figure, at: today, name: 'subscriptions', value: 1_234 },
          { ...figure, at: today, name: 'recurring NOK', value: 264_130_000 },
        ])
        .execute(),
    );
    const page = await portal.send(home);
    const text = textOf(page);
    expect(text).toContain('Sign-ins 1,750 ▲ 75% up 75% on the 30 days before');
    expect(text).toContain('Active subscriptions 1,234');
    expect(text).toContain('Recurring a month NOK 2,641,300');
    expect(page.text).toContain('aria-label="Sign-ins in 30 days: TV code 250, Password 1,500"');
    expect(page.text).toContain(`href="${home}/figures?range=30d"`);
    const table = textOf(await portal.send(`${home}/figures?range=30d`));
    expect(table).toContain(
      'From Sign-ins by password Sign-ins by passkey Sign-ins by emailed code By another account By TV code',
    );
    expect(table).toMatch(/In all 1,500 0 0 0 250 /);
    expect(textOf(await portal.send(`${home}?range=24h`))).toContain('Sign-ins 0');
    expect((await portal.send(`${home}?range=nonsense`)).text).toContain('aria-current="true">30 days<');
  });

  it('a tenant without any is shown without a comparison', async () => {
    await beginWorld(service, 'empty.test');
    const text = textOf(await portal.send('/admin/tenants/empty.test'));
    expect(text).toContain('Members 0');
    expect(text).not.toMatch(/[▲▼]/);
  });
});

itOfSqlite('pages 21: the portal reads as many rows of 3,000 members and two years as of 100', async () => {
  const pages = [
    '',
    '?range=24h',
    '?range=52w',
    '/figures?range=52w',
    '/members',
    '/invoices',
    '/checkouts',
    '/audit',
  ];
  const read: number[][] = [];
  for (const [host, members] of [
    ['small.test', 100],
    ['large.test', 3_000],
  ] as const) {
    const { tenantId, packageId, operate } = await beginWorld(service, host);
    await operate('clients.create', {
      clientId: 'tv',
      name: 'TV',
      type: 'public',
      redirectUris: ['https://tv.example.com/cb'],
    });
    await fillYears(
      service.store,
      { tenantId, packageId, clientId: 'tv' },
      { members, events: 3 * members, first: members },
      service.clock.now(),
    );
    const count = countingEvents(service.store);
    for (let times = 0; times < 2; times += 1) await count(service.clock.now(), unhurried);
    await takeLevels(service.store, service.clock.now(), unhurried);
    const rows: number[] = [];
    for (const path of pages) {
      const { result, rows: found } = await rowsReadBy(() => portal.send(`/admin/tenants/${host}${path}`));
      expect(result.status).toBe(200);
      rows.push(found);
    }
    read.push(rows);
  }
  const [small = [], large = []] = read;
  for (const [index, rows] of large.entries()) {
    expect(rows, pages[index]).toBeLessThanOrEqual((small[index] ?? 0) * 1.5 + 50);
  }
});
