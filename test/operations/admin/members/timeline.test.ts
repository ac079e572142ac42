import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { listPage } from '../../../../src/core/limits.ts';
import { timelineEvents } from '../../../../src/core/members/limits.ts';
import { tenantOf } from '../../../support/device.ts';
import { newPassword } from '../../../support/members/sign-up.ts';
import { refusal, run } from '../../../support/operators/desk.ts';
import { rowsReadBy } from '../../../support/queries/rows-read.ts';
import { itOfSqlite } from '../../../support/run/it-of-sqlite.ts';
import { apps } from '../../../support/tokens.ts';
import { useService } from '../../../support/use-service.ts';
import { authorizationParameters, pkce, visitor } from '../../../support/visitor.ts';

const tenant = 'a.test';
const minute = 60_000;
const service = useService({ data: 'security' });

interface Entry {
  readonly count: number;
  readonly event: {
    readonly event: string;
    readonly reason: string | null;
    readonly memberId: string | null;
  } | null;
  readonly mail: { readonly name: string; readonly state: string } | null;
  readonly browsers: readonly string[];
  readonly addresses: readonly string[];
}

interface Page {
  readonly entries: readonly Entry[];
  readonly next: string | null;
}

const timeline = (memberId: string, more: object = {}) =>
  run<Page>(service, 'members.timeline', { tenant, memberId, ...more });

const told = ({ entries }: Page) =>
  entries.map(({ event, mail, count }) => `${mail?.name ?? event?.event}${count > 1 ? ` ${count}` : ''}`);

const newMember = async (email: string) =>
  (
    await run<{ id: string }>(service, 'members.create', {
      tenant,
      fullName: 'Time Line',
      email,
      password: newPassword,
    })
  ).id;

async function signIn(email: string, password: string): Promise<number> {
  service.clock.advance(minute);
  const browser = visitor(service, tenant);
  const page = await browser.authorize(authorizationParameters('pub1', apps.pub1.redirectUri, pkce()));
  return (await browser.signIn(page, email, password)).status;
}

describe('what happened to a member', () => {
  it('is told newest first: what she did, what was tried, what was mailed, and what operators did', async () => {
    const email = 'told@timeline.test';
    const memberId = await newMember(email);
    await signIn(email, newPassword);
    for (let count = 0; count < 4; count += 1) await signIn(email, 'a wrong password');
    service.clock.advance(minute);
    await run(service, 'members.sendPasswordReset', { tenant, memberId });
    await service.delivered();
    service.clock.advance(minute);
    const made = { tenant, memberId, packageId: 1 };
    const { subscriptionId } = await run<{ subscriptionId: number }>(service, 'subscriptions.create', made);
    service.clock.advance(minute);
    await run(service, 'subscriptions.change', { tenant, subscriptionId, change: 'cancel' });

    const whole = await timeline(memberId);
    expect(told(whole)).toEqual([
      // What is written of a deed besides tells nothing that the deed does not.
      'admin_acted',
      'admin_acted',
      'passwordReset',
      'admin_acted',
      // Four of the same, one after another, are told once.
      'sign_in_refused 4',
      'code_issued',
      'sign_in',
      'admin_acted',
    ]);
    expect(whole.entries.find(({ mail }) => mail !== null)?.mail).toMatchObject({ state: 'sent' });
    expect(told(await timeline(memberId, { part: 'mail' }))).toEqual(['passwordReset']);
    expect(told(await timeline(memberId, { part: 'money' }))).toEqual(['admin_acted', 'admin_acted']);
    // A page ends behind all that is told as one.
    const first = await timeline(memberId, { part: 'money', limit: 1 });
    expect(told(await timeline(memberId, { part: 'money', before: first.next }))).toEqual(['admin_acted']);
    const signIns = await timeline(memberId, { part: 'sign_ins' });
    expect(told(signIns)).toContain('sign_in_refused 4');
    expect(told(signIns)).not.toContain('subscription_changed');
  });

  it('is told once where the code of a TV was looked at again and again', async () => {
    const memberId = await newMember('again@timeline.test');
    const { id: tenantId } = tenantOf(service, tenant);
    const seen = {
      tenantId,
      event: 'device_code_entered',
      actorKind: 'member',
      actorId: memberId,
      result: 'done',
    };
    await service.store.transaction(async (tx) => {
      for (const [index, target] of ['one', 'one', 'one', 'other'].entries()) {
        const at = service.clock.now() + index;
        await tx
          .insertInto('auditEvents')
          .values({ ...seen, target, at } as never)
          .execute();
      }
    });
    expect(told(await timeline(memberId)).slice(0, 2)).toEqual([
      'device_code_entered',
      'device_code_entered 3',
    ]);
  });

  it('page by page is the same as at once, also where several things happened at one moment', async () => {
    const memberId = await newMember('paged@timeline.test');
    const at = service.clock.now();
    const { id: tenantId } = tenantOf(service, tenant);
    const names = ['session_ended', 'sign_in', 'signed_out'];
    await service.store.transaction(async (tx) => {
      for (let index = 0; index < 20; index += 1) {
        const event = {
          tenantId,
          event: names[index % 3],
          actorKind: 'member',
          actorId: memberId,
          result: 'done',
        };
        await tx
          .insertInto('auditEvents')
          .values({ ...event, at: at + Math.floor(index / 5) } as never)
          .execute();
        const mail = { tenantId, memberId, name: 'newTv', state: 'sent', attempts: 0, nextAttemptAt: at };
        const createdAt = at + Math.floor(index / 5);
        if (index % 2 === 0)
          await tx
            .insertInto('mails')
            .values({ ...mail, createdAt } as never)
            .execute();
      }
    });
    const whole = told(await timeline(memberId, { limit: listPage.most }));
    expect(whole).toHaveLength(31);
    const paged: string[] = [];
    let next: string | null = null;
    do {
      const page: Page = await timeline(memberId, { limit: 3, ...(next === null ? {} : { before: next }) });
      paged.push(...told(page));
      next = page.next;
    } while (next !== null);
    expect(paged).toEqual(whole);
    expect(
      await refusal(service, 'members.timeline', { tenant, memberId, before: '1 or 1=1' }),
    ).toMatchObject({
      kind: 'invalid',
    });
  });

  itOfSqlite('F10: costs as much with ten thousand events as with ten', async () => {
    const memberId = await newMember('crowded@timeline.test');
    const { id: tenantId } = tenantOf(service, tenant);
    const at = service.clock.now();
    const many = sql.raw('with recursive n (i) as (select 1 union all select i + 1 from n where i < 10000)');
    await service.store.transaction(async (tx) => {
      await sql`insert into auditEvents (at, tenantId, event, actorKind, actorId, result)
        ${many} select ${at} + i, ${tenantId}, 'code_issued', 'member', ${memberId}, 'done' from n`.execute(
        tx,
      );
      await sql`insert into auditEvents (at, tenantId, event, actorKind, target, result, reason)
        ${many} select ${at} + 20000 + i, ${tenantId}, 'sign_in_refused', 'nobody', ${memberId}, 'refused',
          'the password is wrong' from n`.execute(tx);
    });
    const { result, rows } = await rowsReadBy(() => timeline(memberId, { limit: 20 }));
    expect(rows).toBeLessThan(4 * timelineEvents);
    // More of the same than are looked at: it goes on behind them.
    expect(told(result)).toEqual([`sign_in_refused ${timelineEvents}`]);
    expect(result.next).not.toBeNull();
    const money = await rowsReadBy(() => timeline(memberId, { part: 'money' }));
    expect(told(money.result)).toEqual([]);
    expect(money.rows).toBeLessThan(timelineEvents);
  });

  it('is seen on her own tenant alone, and goes when she does', async () => {
    const email = 'gone@timeline.test';
    const memberId = await newMember(email);
    await run(service, 'members.sendPasswordReset', { tenant, memberId });
    await service.delivered();
    const elsewhere = await refusal(service, 'members.timeline', { tenant: 'b.test', memberId });
    expect(elsewhere.kind).toBe('unknown');
    const mails = () =>
      service.store.transaction((tx) =>
        tx.selectFrom('mails').selectAll().where('memberId', '=', memberId).execute(),
      );
    expect(await mails()).toHaveLength(1);
    await run(service, 'members.delete', { tenant, memberId });
    expect(await mails()).toEqual([]);
    expect((await refusal(service, 'members.timeline', { tenant, memberId })).kind).toBe('unknown');
  });
});
