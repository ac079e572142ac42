import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../../../src/http/upkeep/prometheus.ts';
import { eraseMember } from '../../../../src/storage/members/erase.ts';
import { findMember } from '../../../../src/storage/members/member.ts';
import { type Random, systemRandom } from '../../../../src/system/random.ts';
import { hosts } from '../../../support/fixtures.ts';
import { auditEvents } from '../../../support/operators/api.ts';
import { run } from '../../../support/operators/desk.ts';
import { apps, credentialsOf, expectError, tokensOf } from '../../../support/tokens.ts';
import { useService } from '../../../support/use-service.ts';
import { type Tokens, token } from '../../../support/visitor.ts';

const { a, b } = hosts;
const metrics = createMetrics();
let cutsOff = false;
/** Names each token when it is signed, after the commit: then the connections may be cut off, so that no answer leaves. */
const random: Random = {
  ...systemRandom,
  id: (now) => {
    if (cutsOff) service.app.server.closeAllConnections();
    cutsOff = false;
    return systemRandom.id(now);
  },
};
const service = useService({ data: 'security', metrics, random });
/** The same behind a proxy, which says where a client is. */
const proxied = useService({ data: 'security', trustedProxies: ['127.0.0.1'] });

type Headers = Record<string, string>;

/** A refresh as pub1 in the words of some program. */
const refreshBy = (refreshToken: string | undefined, headers: Headers = {}, of = service, app = apps.pub1) =>
  token(
    of,
    a,
    { grant_type: 'refresh_token', ...credentialsOf(app), refresh_token: String(refreshToken) },
    headers,
  );

/** A sign-in whose first refresh token was used, and then comes back. @returns the answer to that, with its class */
async function cameBack(first: Headers, again: Headers, { wait = 0, of = service } = {}) {
  const { refresh_token: old } = await tokensOf(of, a, apps.pub1);
  const next = await refreshBy(old, first, of);
  expect(next.status, next.text).toBe(200);
  of.clock.advance(wait);
  const answer = await refreshBy(old, again, of);
  expectError(answer, 400, 'invalid_grant');
  expectError(await refreshBy(next.json<Tokens>().refresh_token, first, of), 400, 'invalid_grant');
  return { answer, old: String(old), kind: await classOf(String(old), of) };
}

/** The class of a sign-in that ended so, by a refresh token of it. */
const classOf = async (refreshToken: string, of = service) => {
  const [id = ''] = refreshToken.split('.');
  const found = of.store.transaction((tx) =>
    tx.selectFrom('signIns').select('reuse').where('id', '=', id).executeTakeFirst(),
  );
  return (await found)?.reuse;
};

interface CountedReuses {
  readonly reuses: readonly { readonly reuse: string; readonly count: number; readonly advice: string }[];
}

describe('a used refresh token that comes back is classed', () => {
  it('as an answer that was lost, or as two at once, by the time that went by', async () => {
    const tv = { 'user-agent': 'Example TV/1.0' };
    expect(await cameBack(tv, tv, { wait: 60_000 })).toMatchObject({ kind: 'lost_response' });
    expect(await cameBack(tv, tv)).toMatchObject({ kind: 'parallel_refresh' });
  });

  it('as an answer that was lost, however soon, where the connection was closed before it left', async () => {
    const { refresh_token: old } = await tokensOf(service, a, apps.pub1);
    const [signInId = ''] = String(old).split('.');
    cutsOff = true;
    await expect(refreshBy(old)).rejects.toThrow();
    await expect.poll(() => service.deps.lostAnswers.has({ signInId, generation: 2 })).toBe(true);
    expectError(await refreshBy(old), 400, 'invalid_grant');
    expect(await classOf(String(old))).toBe('lost_response');
  });

  it('as a theft from another program, and from another network', async () => {
    expect(await cameBack({ 'user-agent': 'Example TV/1.0' }, { 'user-agent': 'curl/8.5' })).toMatchObject({
      kind: 'theft',
    });
    const from = (address: string) => ({ 'x-forwarded-for': address });
    expect(
      await cameBack(from('192.0.2.1'), from('198.51.100.7'), { of: proxied, wait: 60_000 }),
    ).toMatchObject({ kind: 'theft' });
    // A household's addresses of IPv6 are one place.
    expect(
      await cameBack(from('2001:db8:1:2::3'), from('2001:db8:1:2:ffff::9'), { of: proxied, wait: 60_000 }),
    ).toMatchObject({ kind: 'lost_response' });
  });
});

describe('RF: what is sent does not steer what an operator reads', () => {
  it('RF2: headers that say to be of another address change no class where no proxy is trusted', async () => {
    const said = {
      'x-forwarded-for': '198.51.100.7',
      forwarded: 'for=198.51.100.7',
      'x-real-ip': '198.51.100.7',
    };
    expect(await cameBack({}, said, { wait: 60_000 })).toMatchObject({ kind: 'lost_response' });
  });

  it('RF3: the answer is the same whatever it was classed as, to the byte', async () => {
    const tv = { 'user-agent': 'Example TV/1.0' };
    const lost = await cameBack(tv, tv, { wait: 60_000 });
    const stolen = await cameBack(tv, { 'user-agent': 'curl/8.5' }, { wait: 60_000 });
    const parallel = await cameBack(tv, tv);
    expect([lost.kind, stolen.kind, parallel.kind]).toEqual(['lost_response', 'theft', 'parallel_refresh']);
    const bare = ({ answer: { status, text, headers } }: typeof lost) => {
      const { date: _, 'request-id': reference, ...others } = headers;
      return { status, text, others, isReferred: typeof reference === 'string' };
    };
    expect(bare(stolen)).toEqual(bare(lost));
    expect(bare(parallel)).toEqual(bare(lost));
  });

  it('RF4: labels of the metric are clients of operators and four classes, whatever is sent', async () => {
    const hostile = 'x"} 1\nmade_up{a="';
    await cameBack({ 'user-agent': 'Example TV/1.0' }, { 'user-agent': encodeURIComponent(hostile) });
    const { body } = await metrics.text();
    const lines = body.split('\n').filter((line) => line.startsWith('memberdoor_refresh_reuse_total{'));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(line).toMatch(
        /^memberdoor_refresh_reuse_total\{tenant="a\.test",client="pub1",class="(?:lost_response|parallel_refresh|theft|unclear)"\} \d+$/,
      );
    }
    expect(body).not.toContain('made_up');
  });

  it('RF5: tokens, addresses and programs stand in no class, mark, log or answer to an operator', async () => {
    const program = 'Example TV of Ada/1.0';
    const { old } = await cameBack({ 'user-agent': program }, { 'user-agent': 'curl/8.5' });
    const [id = '', , mac = ''] = old.split('.');
    const row = await service.store.transaction((tx) =>
      tx.selectFrom('signIns').selectAll().where('id', '=', id).executeTakeFirst(),
    );
    const listed = await run(service, 'reuses.list', { tenant: a, clientId: 'pub1' });
    const told = JSON.stringify([row, listed, (await metrics.text()).body, service.logLines]);
    for (const secret of [mac, program, 'curl/8.5']) expect(told).not.toContain(secret);
    expect(JSON.stringify([row, listed])).not.toContain('127.0.0.1');
    expect(row).toMatchObject({ holderNetwork: expect.stringMatching(/^[\w-]{8}$/) });
  });
});

describe('an operator reads of a client', () => {
  it('how often each class came up, when last, and what to do', async () => {
    const { reuses } = await run<CountedReuses>(service, 'clients.read', { tenant: a, clientId: 'pub1' });
    expect(reuses.map(({ reuse }) => reuse)).toEqual(['lost_response', 'parallel_refresh', 'theft']);
    expect(reuses[1]).toMatchObject({ advice: expect.stringMatching(/serialise refreshes/) });
    service.clock.advance(31 * 24 * 3_600_000);
    expect(await run(service, 'clients.read', { tenant: a, clientId: 'pub1' })).toMatchObject({ reuses: [] });
  });

  it('each of those sign-ins, the newest first, page by page and by class, and of no other client or tenant', async () => {
    const all = await run<{ reuses: { signInId: string; endedAt: string; reuse: string }[] }>(
      service,
      'reuses.list',
      { tenant: a, clientId: 'pub1' },
    );
    expect(all.reuses.length).toBeGreaterThan(4);
    const times = all.reuses.map(({ endedAt }) => endedAt);
    expect(times).toEqual(times.toSorted().toReversed());
    const found: string[] = [];
    let before: string | null = null;
    do {
      const more: object = before === null ? {} : { before };
      const page: { reuses: { signInId: string }[]; next: string | null } = await run(
        service,
        'reuses.list',
        {
          tenant: a,
          clientId: 'pub1',
          limit: 3,
          ...more,
        },
      );
      found.push(...page.reuses.map(({ signInId }) => signInId));
      before = page.next;
    } while (before !== null);
    expect(found).toEqual(all.reuses.map(({ signInId }) => signInId));
    const thefts = { tenant: a, clientId: 'pub1', reuse: 'theft' };
    const { reuses } = await run<typeof all>(service, 'reuses.list', thefts);
    expect(new Set(reuses.map(({ reuse }) => reuse))).toEqual(new Set(['theft']));
    expect(await run(service, 'reuses.list', { tenant: a, clientId: 'pub2' })).toMatchObject({ reuses: [] });
    expect(await run(service, 'reuses.list', { tenant: b, clientId: 'pub1' })).toMatchObject({ reuses: [] });
  });

  it('the class and its reasons in the words of the audit', async () => {
    const events = await auditEvents(service);
    expect(events.findLast(({ event }) => event === 'refresh_reused')?.reason).toBe(
      'a refresh token 1 generation old, superseded 0 s ago; ' +
        'perhaps stolen (another program than before, its successor was never used)',
    );
  });
});

it('F14: nothing of where a member’s apps came from is left when the member is erased', async () => {
  const { old } = await cameBack({}, {});
  const [id = ''] = old.split('.');
  const row = await service.store.transaction(async (tx) => {
    const of = tx.selectFrom('signIns').selectAll().where('id', '=', id);
    const { memberId, tenantId } = await of.executeTakeFirstOrThrow();
    const member = await findMember(tx, tenantId, memberId);
    if (member === null) throw new Error('no member');
    await eraseMember(tx, member, service.clock.now());
    return of.executeTakeFirst();
  });
  expect(row).toMatchObject({ holderNetwork: null, holderProgram: null, reuse: 'parallel_refresh' });
});
