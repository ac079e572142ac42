import { beforeAll, describe, expect, it } from 'vitest';
import {
  type AuditFacts,
  auditEvent,
  auditEventNames,
} from '../../../../../src/core/operators/audit-event.ts';
import { sentenceOf, type ToldEvent } from '../../../../../src/http/admin/portal/words/sentences.ts';
import { operations } from '../../../../../src/operations/admin/index.ts';
import { loadOperations } from '../../../../../src/operations/admin/tenants/load.ts';
import { insertAuditEvent } from '../../../../../src/storage/operators/audit-event.ts';
import { run, tokenOf } from '../../../../support/operators/desk.ts';
import { beginWorld, newClient, newSubscription, type World } from '../../../../support/operators/world.ts';
import { useService } from '../../../../support/use-service.ts';

/** A sentence as a text of its own, where no name leads anywhere. */
function sentenceText(event: ToldEvent): string {
  const { tag, parts } = sentenceOf(event);
  const words = parts.map((part) => ('text' in part ? part.text : part.name)).join('');
  return tag === null ? words : `${tag.text} ${words}`;
}

const service = useService({ data: 'security' });
let world: World;
let clientId: string;
beforeAll(async () => {
  world = await beginWorld(service, 'world.test');
  clientId = await newClient(world);
  await world.operate('members.change', { memberId: world.memberId, fullName: 'Ada Holt' });
});

const listed = async (input: object = {}, actor?: Parameters<typeof run>[3]) =>
  (
    await run<{ events: readonly ToldEvent[] }>(
      service,
      'audit.list',
      { tenant: world.host, ...input },
      actor,
    )
  ).events;

/** What the newest event of the tenant says. */
const newest = async (actor?: Parameters<typeof run>[3]) => {
  const [event] = await listed({ limit: 1 }, actor);
  if (event === undefined) throw new Error('nothing happened');
  return event;
};

/** An event by the member of the world, a minute after those before. */
async function happens(facts: AuditFacts & { readonly clientId?: string }): Promise<void> {
  service.clock.advance(60_000);
  const { tenantId, memberId } = world;
  const source = { at: service.clock.now(), tenantId, actorKind: 'member', actorId: memberId } as const;
  await service.store.transaction((tx) =>
    insertAuditEvent(tx, auditEvent({ ...source, clientId: null, address: null }, facts)),
  );
}

describe('pages 21: an event of the audit is a sentence with names for ids', () => {
  it('each event, and each operation that acts, has words of its own', async () => {
    const { names } = await newest();
    const blank = {
      actorKind: 'member',
      actorId: null,
      target: null,
      clientId: null,
      result: 'done',
    } as const;
    const told = (event: ToldEvent['event'], operation: string | null) =>
      sentenceText({ ...blank, event, operation, reason: null, changes: [], names });
    for (const event of auditEventNames) expect(told(event, null)).not.toBe('');
    const acting = [...operations, ...loadOperations].filter(({ acts, audited }) => acts || audited === true);
    expect(
      acting.map(({ name }) => told('admin_acted', name)).filter((text) => text.includes(' did this')),
    ).toEqual([]);
  });

  it('says who did it to what, and what changed', async () => {
    await world.operate('clients.change', {
      clientId,
      redirectUris: ['https://app.example.com/callback'],
    });
    const event = await newest();
    expect(sentenceText(event)).toBe('An operator changed the client The client-1: added a redirect URI');
    expect(sentenceOf(event).parts).toContainEqual({ name: 'The client-1', of: 'client', id: clientId });
    await world.operate('members.disable', { memberId: world.memberId });
    expect(sentenceText(await newest())).toBe('An operator disabled Ada Holt');
    await world.operate('members.enable', { memberId: world.memberId });
    expect(sentenceText(await newest())).toBe('An operator enabled Ada Holt');
    await world.operate('members.change', { memberId: world.memberId, nickName: 'Ada' });
    expect(sentenceText(await newest())).toBe(
      'An operator changed the details of Ada Holt: changed nick name',
    );
  });

  it('says what became of a subscription, and not from which state to which', async () => {
    const subscriptionId = await newSubscription(world);
    const [deed, begun] = await listed({ limit: 2 });
    expect([deed, begun].map((event) => sentenceText(event as ToldEvent))).toEqual([
      expect.stringMatching(/^An operator gave \w.* a subscription to Gold$/),
      expect.stringMatching(/^An operator gave \w.* a subscription to Gold$/),
    ]);
    for (const [change, words] of [
      ['cancel', 'cancelled'],
      ['resume', 'resumed'],
      ['renew', 'renewed'],
      ['end', 'ended'],
    ] as const) {
      await world.operate('subscriptions.change', { subscriptionId, change });
      const both = await listed({ limit: 2 });
      const told = new RegExp(`^An operator ${words} the subscription of \\w.* to Gold$`);
      for (const event of both) expect(sentenceText(event), event.event).toMatch(told);
    }
    const own = { event: 'subscription_changed', target: String(subscriptionId) } as const;
    await happens({ ...own, reason: 'active, then cancelled' });
    expect(sentenceText(await newest())).toBe('Ada Holt cancelled the subscription to Gold');
    await happens({ ...own, reason: 'pending, then active' });
    expect(sentenceText(await newest())).toBe('Ada Holt started the subscription to Gold');
    await happens({ ...own, actorKind: 'service', actorId: null, reason: 'active, then expired' });
    expect(sentenceText(await newest())).toMatch(/^The subscription of \w.* to Gold expired$/);
  });

  it('says of a member what was done, refused and ended', async () => {
    await happens({ event: 'sign_in' });
    expect(sentenceText(await newest())).toBe('Ada Holt signed in');
    await happens({ event: 'device_approved', clientId });
    expect(sentenceText(await newest())).toBe('Ada Holt approved a TV');
    const refused = {
      actorKind: 'nobody',
      actorId: null,
      target: world.memberId,
      result: 'refused',
    } as const;
    await happens({ ...refused, event: 'sign_in_refused', reason: 'the password is wrong' });
    expect(sentenceText(await newest())).toBe('Refused a sign-in of Ada Holt: the password is wrong');
    expect(sentenceOf(await newest()).tag).toEqual({ text: 'Refused', isBad: true });
    await happens({
      event: 'refresh_reused',
      actorKind: 'client',
      actorId: clientId,
      clientId,
      reason: 'it came back',
    });
    expect(sentenceText(await newest())).toBe('Ended a sign-in on The client-1: it came back');
  });

  it('A17: a name of another tenant is not told, even if an event has its id', async () => {
    const other = await beginWorld(service, 'other.test');
    await happens({ event: 'sign_in_refused', actorKind: 'nobody', actorId: null, target: other.memberId });
    const event = await newest();
    expect(event.names).toMatchObject({ actor: null, member: null, memberId: null, target: null });
  });

  it('A18: a token that may not read members learns no member’s name', async () => {
    await happens({ event: 'sign_in', target: world.memberId });
    const reader = tokenOf(service, world.host, ['audit:read']);
    expect((await newest(reader)).names).toMatchObject({ actor: null, member: null });
    expect(sentenceText(await newest(reader))).toBe('A member signed in');
    const ofBoth = tokenOf(service, world.host, ['audit:read', 'members:read']);
    expect((await newest(ofBoth)).names).toMatchObject({ actor: 'Ada Holt', member: 'Ada Holt' });
  });
});
