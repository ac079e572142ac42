import { describe, expect, it } from 'vitest';
import type { Card } from '../../../src/core/rehearsal/card/card.ts';
import { cardRules, type RuleName } from '../../../src/core/rehearsal/card/rules.ts';
import { type Room, roomOf } from '../../support/rehearsal/rehearsal.ts';
import { type RehearsedClient, rehearsedClient } from '../../support/rehearsal/rehearsed-client.ts';
import { useService } from '../../support/use-service.ts';
import { type Visitor, visitor } from '../../support/visitor.ts';

/** Waits of answers that the room makes late end when so many wait. */
function barrier() {
  let most = 0;
  let waiting: (() => void)[] = [];
  return {
    expect: (count: number) => {
      most = count;
    },
    wait: () =>
      new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length < most) return;
        for (const end of waiting) end();
        waiting = [];
      }),
  };
}

interface Rehearsal {
  readonly client: RehearsedClient;
  readonly room: Room;
  readonly browser: Visitor;
  card(): Promise<Card>;
}

const app = { clientId: 'reader', redirectUri: 'http://localhost:9880/callback' };

const late = barrier();
const service = useService({ data: 'development', pause: late.wait });

async function rehearsalOf(sin: RuleName | null): Promise<Rehearsal> {
  const host = `localhost:${service.port}`;
  const room = roomOf(service, host);
  // What the one before was seen to do, and what of it waits: the database may be one that no reset puts back.
  for (const path of [`card/${app.clientId}`, 'faults']) await room.delete(path);
  const together = async <T>(send: () => Promise<T>) => {
    late.expect(2);
    await room.ask('faults', { kind: 'delay', endpoint: 'token', times: 2 });
    return Promise.all([send(), send()]);
  };
  return {
    client: rehearsedClient(service, { ...app, host, sin, together }),
    room,
    browser: visitor(service, host),
    card: async () =>
      (await service.http(host, `/rehearsal/card/${app.clientId}.json`)).json<
        Card & Record<string, unknown>
      >(),
  };
}

/** All that a client meets: a code that is slow to be approved, one that is rejected, refreshes, sign-ins on the web, ends. */
async function rehearse({ client, room, browser }: Rehearsal): Promise<void> {
  const answer = (verdict: string) => (code: { readonly user_code: string }) =>
    room.ask('device', { user_code: code.user_code, answer: verdict, member: 'ada@example.com' });
  const fault = (kind: string) => () => room.ask('faults', { kind, endpoint: 'token', client: app.clientId });
  await room.ask('endpoints', { moved: true });
  await client.start();
  await client.signInTv(answer('reject'));
  await client.signInTv(
    () => {},
    fault('slow_down'),
    fault('500'),
    () => {},
    answer('approve'),
  );
  await client.showProfile();
  await client.refreshInTwoParts();
  await client.refresh();
  await client.signOut();
  await client.showProfile();
  await client.signInWeb(browser);
  await room.ask('faults', { kind: 'wrong_state', client: app.clientId });
  await client.signInWeb(browser);
  await client.signInWeb(browser);
  await client.showProfile();
  await client.signOutWeb(browser);
}

const verdicts = ({ rules }: Card, verdict: string) =>
  rules.filter((rule) => rule.verdict === verdict).map(({ rule }) => rule);

describe('the report card of a client', () => {
  it('that keeps the rules is full', async () => {
    const rehearsal = await rehearsalOf(null);
    await rehearse(rehearsal);
    const card = await rehearsal.card();
    expect(verdicts(card, 'kept'), told(card)).toEqual(cardRules.map(({ rule }) => rule));
    expect(card).toMatchObject({
      client: app.clientId,
      passed: true,
      sum: { kept: cardRules.length, broken: 0, not_seen: 0 },
    });
  });

  it.each(cardRules.map(({ rule }) => rule))('that breaks one rule says which: %s', async (sin) => {
    const rehearsal = await rehearsalOf(sin);
    await rehearse(rehearsal);
    const card = await rehearsal.card();
    expect(verdicts(card, 'broken'), told(card)).toEqual([sin]);
    expect(card.passed).toBe(false);
    const rule = card.rules.find(({ verdict }) => verdict === 'broken');
    expect(rule?.entries).not.toEqual([]);
  });
});

/** What a card says, for those who look at a test that failed. */
const told = ({ rules }: Card) =>
  rules.map(({ verdict, rule, says }) => `${verdict} ${rule}: ${says}`).join('\n');
