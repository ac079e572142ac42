import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Explanation, explain } from '../../../src/core/rehearsal/explain/explain.ts';
import type { WireEntry } from '../../../src/core/rehearsal/wire.ts';
import { type Phone, phoneOf } from '../../support/device.ts';
import { type Room, roomOf } from '../../support/rehearsal/rehearsal.ts';
import { useService } from '../../support/use-service.ts';

const service = useService({ data: 'development' });
let acme: string;
let room: Room;
let phone: Phone;
/** The last entry before the TV of a test was turned on. */
let seen: number;

interface Told {
  readonly phase: string;
  readonly user_code: string;
  readonly heard: string | null;
  readonly interval: number;
  readonly member: string | null;
}

const tv = async (act: string, more = {}) =>
  (await room.ask('tv', { do: act, ...more })).json<Told & Record<string, unknown>>();

beforeAll(async () => {
  acme = `localhost:${service.port}`;
  room = roomOf(service, acme);
  phone = await phoneOf(service, acme, 'ada@example.com');
});

beforeEach(async () => {
  await room.delete('faults');
  seen = (await room.wire()).at(-1)?.id ?? 0;
  await tv('on');
});

/** A request to the token endpoint: when it was told what, and what that means. */
interface Asked extends Explanation {
  readonly status: number;
  readonly error: string | undefined;
}

/** What the TV asked the token endpoint since it was turned on. */
async function asked(): Promise<readonly Asked[]> {
  const log = await room.wire();
  return log
    .filter(({ id, endpoint }) => id > seen && endpoint === 'token')
    .map((entry) => ({
      ...explain(entry, log),
      status: entry.answer.status,
      error: (entry.answer.body as { readonly error?: string } | null)?.error,
    }));
}

const lastAsked = async () => (await asked()).at(-1);
/** The time after which the TV polls next goes by. */
const waited = (seconds = 5) => service.clock.advance(seconds * 1_000);

async function decide(verdict: 'approve' | 'reject'): Promise<void> {
  const { user_code: userCode } = await tv('poll');
  await phone.press(await phone.open(userCode), verdict);
}

async function signIn(): Promise<void> {
  waited();
  await decide('approve');
  await tv('poll');
}

describe('the TV of the room', () => {
  it('reads the addresses and asks for a code as a client does, and says what it shows', async () => {
    const log = await room.wire();
    expect(log.map(({ endpoint }) => endpoint)).toContain('discovery');
    const code = log.findLast(({ endpoint }) => endpoint === 'device') as WireEntry;
    expect(explain(code, log)).toMatchObject({
      says: expect.stringMatching(/^A code for the TV: it shows \d{3} \d{3}, and waits 5 seconds/),
      tone: 'plain',
    });
  });

  it('signs in, greets its member, and refreshes', async () => {
    waited();
    await decide('approve');
    expect(await lastAsked()).toMatchObject({ error: 'authorization_pending', tone: 'plain' });
    expect(await tv('poll')).toMatchObject({ phase: 'signed-in', member: 'ada@example.com' });
    expect(await lastAsked()).toMatchObject({ status: 200, tone: 'good' });
    await tv('refresh');
    expect(await lastAsked()).toMatchObject({
      status: 200,
      says: expect.stringMatching(/^A new refresh token, rt·/),
    });
  });

  it('polls by itself when it is time to while a page looks on, one poll at a time', async () => {
    const address = `http://${acme}/rehearsal/events`;
    const looking = new AbortController();
    const stream = (await fetch(address, { signal: looking.signal })).body?.getReader();
    const decoder = new TextDecoder();
    let told = '';
    const hears = async (text: string) => {
      while (!told.includes(text)) told += decoder.decode((await stream?.read())?.value);
    };
    await hears('event: room');
    expect(await asked()).toEqual([]);
    waited();
    await hears('authorization_pending');
    expect(told).toMatch(/^id: \d+\nevent: entry\ndata: \{/m);
    expect(await asked()).toHaveLength(1);
    looking.abort();
  });

  it('RR74: is listened to by fifty at once, and by others when these have gone', async () => {
    const address = `http://${acme}/rehearsal/events`;
    const looking = new AbortController();
    const listen = async () => (await fetch(address, { signal: looking.signal })).status;
    const all = await Promise.all(Array.from({ length: 60 }, listen));
    expect(all.filter((status) => status === 200)).toHaveLength(50);
    expect(all.filter((status) => status === 429)).toHaveLength(10);
    looking.abort();
    const next = new AbortController();
    const ask = async () => (await fetch(address, { signal: next.signal })).status;
    // Until the service has heard that they are gone.
    while ((await ask()) !== 200);
    next.abort();
  });

  it('H9: is told of by HEAD that it is told of by events, and by nothing else', async () => {
    const { status, headers } = await service.http(acme, '/rehearsal/events', { method: 'HEAD' });
    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect((await service.http(acme, '/rehearsal/events', { method: 'POST' })).status).toBe(405);
  });

  it('refuses what does not go with what it shows', async () => {
    await tv('off');
    expect((await room.ask('tv', { do: 'poll' })).status).toBe(409);
    expect((await room.ask('phone/open', { open: 'code' })).status).toBe(409);
    expect((await room.ask('tv', { do: 'explode' })).status).toBe(400);
    for (const client of ['nobody', 'tv-off', 'tv-secret']) {
      const refused = await room.ask('tv', { do: 'on', client });
      expect([refused.status, refused.json().error_description]).toEqual([
        409,
        'the TV got no code: the log says why',
      ]);
    }
  });
});

/** Each mishap of a TV: how it comes about, what the TV is told at last, what that means, and how the TV goes on. */
const mishaps: Readonly<Record<string, [() => Promise<unknown>, Partial<Asked>, RegExp, Partial<Told>]>> = {
  'a poll before the first interval is up': [
    () => tv('poll'),
    { error: 'authorization_pending', tone: 'care' },
    /should wait 5 seconds before its first poll too/,
    { phase: 'asking', interval: 5 },
  ],
  'a poll too early': [
    async () => {
      waited();
      await tv('poll');
      waited(2);
      await tv('poll');
    },
    { error: 'slow_down', tone: 'care', source: expect.objectContaining({ name: 'RFC 8628 §3.5' }) },
    /^2 seconds after the last poll\. The interval is 10 seconds from now on, for good\.$/,
    { phase: 'asking', heard: 'slow_down', interval: 10 },
  ],
  'two polls at once': [
    async () => {
      waited();
      await tv('pollTwice');
    },
    { error: 'slow_down', tone: 'care' },
    /^Two polls at once/,
    { phase: 'asking', interval: 10 },
  ],
  'a member who rejects': [
    async () => {
      await decide('reject');
      await tv('poll');
    },
    { error: 'access_denied', tone: 'care' },
    /^The member said no/,
    { phase: 'stopped', heard: 'access_denied' },
  ],
  'a code that expires now': [
    () => tv('expire'),
    { error: 'expired_token', tone: 'care' },
    /^The code ran out/,
    { phase: 'stopped', heard: 'expired_token' },
  ],
  'tokens that are lost on their way': [
    async () => {
      await decide('approve');
      await tv('lose');
      await tv('poll');
    },
    { error: 'invalid_grant', tone: 'bad' },
    /^The tokens were lost on their way/,
    { phase: 'stopped', heard: 'invalid_grant' },
  ],
  'a poll after tokens': [
    async () => {
      await signIn();
      await tv('again');
    },
    { error: 'invalid_grant', tone: 'bad' },
    /^This code gave tokens before/,
    { phase: 'signed-in', heard: 'invalid_grant' },
  ],
  'a poll after the end': [
    async () => {
      await tv('expire');
      await tv('again');
    },
    { error: 'expired_token', tone: 'bad' },
    /should have stopped polling/,
    { phase: 'stopped' },
  ],
  'an old refresh token': [
    async () => {
      await signIn();
      await tv('refresh');
      await tv('replay');
    },
    { error: 'invalid_grant', tone: 'bad' },
    /^An old refresh token came back/,
    { phase: 'stopped', heard: 'invalid_grant' },
  ],
  'the answer 429': [
    async () => {
      await room.ask('faults', { kind: '429', endpoint: 'token' });
      await tv('poll');
    },
    { status: 429, tone: 'care' },
    /^The room answered 429/,
    { phase: 'asking', heard: 'trouble', interval: 10 },
  ],
  'the answer 500': [
    async () => {
      await room.ask('faults', { kind: '500', endpoint: 'token' });
      await tv('poll');
    },
    { status: 500, tone: 'care' },
    /^The room answered 500/,
    { phase: 'asking', heard: 'trouble', interval: 10 },
  ],
  'HTML instead of JSON': [
    async () => {
      await room.ask('faults', { kind: 'non_json', endpoint: 'token' });
      await tv('poll');
    },
    { status: 200, tone: 'care' },
    /^The room answered HTML/,
    { phase: 'asking', heard: 'trouble', interval: 10 },
  ],
  'an answer that comes late': [
    async () => {
      waited();
      await room.ask('faults', { kind: 'delay', endpoint: 'token', seconds: 2 });
      await tv('poll');
    },
    { error: 'authorization_pending', tone: 'plain' },
    /^Late, by the room’s doing\. As it should be/,
    { phase: 'asking', interval: 5 },
  ],
  'slow_down by the room': [
    async () => {
      await room.ask('faults', { kind: 'slow_down' });
      await tv('poll');
    },
    { error: 'slow_down', tone: 'care' },
    /^The room told the TV to slow down/,
    { phase: 'asking', interval: 10 },
  ],
};

/** Where a code or a token is, and the arrows that it took, as its chart on the page has them lit. */
async function lifeOf(kind: 'device' | 'refresh') {
  const { text } = await service.http(acme, '/rehearsal');
  const [, chart = ''] = new RegExp(`id="life-${kind}"([\\s\\S]*?)</figure>`).exec(text) ?? [];
  const now = /class="state lit now" data-state="(\w+)"/.exec(chart)?.[1];
  const taken = [...chart.matchAll(/class="arrow lit" data-from="(\w+)" data-to="(\w+)"/g)];
  return { now, taken: taken.map(([, from, to]) => `${from} → ${to}`).sort() };
}

describe('the chart lights', () => {
  it('the way of a device code, and what was decided before a poll told of it', async () => {
    expect(await lifeOf('device')).toEqual({ now: 'pending', taken: [] });
    await decide('approve');
    expect(await lifeOf('device')).toEqual({ now: 'approved', taken: ['pending → approved'] });
    await tv('poll');
    await tv('again');
    const used = { now: 'used', taken: ['approved → used', 'pending → approved'] };
    expect(await lifeOf('device')).toEqual(used);
  });

  it.each([
    ['denied', async () => decide('reject')],
    ['expired', async () => tv('expire')],
  ])('a code that is %s', async (state, end) => {
    await end();
    await tv('poll');
    expect(await lifeOf('device')).toEqual({ now: state, taken: [`pending → ${state}`] });
  });

  it('the way of a refresh token', async () => {
    await signIn();
    expect(await lifeOf('refresh')).toEqual({ now: 'current', taken: [] });
    await tv('refresh');
    expect(await lifeOf('refresh')).toEqual({ now: 'superseded', taken: ['current → superseded'] });
    await tv('replay');
    const revoked = { now: 'revoked', taken: ['current → superseded', 'superseded → revoked'] };
    expect(await lifeOf('refresh')).toEqual(revoked);
  });

  it('the end of a refresh token that is revoked', async () => {
    await signIn();
    await tv('revoke');
    expect(await lifeOf('refresh')).toEqual({ now: 'revoked', taken: ['current → revoked'] });
  });
});

describe('a mishap shows on the wire and on the page, says what it means, and the TV keeps the rules', () => {
  it.each(Object.entries(mishaps))('%s', async (_, [happen, answer, says, told]) => {
    await happen();
    const found = (await asked()).findLast((one) => says.test(one.says));
    expect(found).toMatchObject(answer);
    expect((await service.http(acme, '/rehearsal/tv')).json()).toMatchObject(told);
    expect((await service.http(acme, '/rehearsal')).text).toContain(found?.says);
  });

  it('two refreshes at once: both say so, whichever was answered first', async () => {
    await signIn();
    await tv('refreshTwice');
    const [one, other] = (await asked()).slice(-2);
    expect([one?.status, other?.status].sort()).toEqual([200, 400]);
    for (const refresh of [one, other]) {
      expect(refresh).toMatchObject({ says: expect.stringMatching(/^Two refreshes at once/), tone: 'bad' });
    }
  });
});
