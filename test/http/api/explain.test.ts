import { beforeAll, describe, expect, it } from 'vitest';
import { explain } from '../../../src/core/access/content-channel.ts';
import { defineContentChannel } from '../../../src/operations/access/content-channel.ts';
import { registerClient } from '../../../src/operations/client/client.ts';
import { deleteMember } from '../../../src/operations/member/member.ts';
import { listContentChannels } from '../../../src/storage/access/content-channel.ts';
import { listProducts } from '../../../src/storage/access/package.ts';
import { listSubscriptions } from '../../../src/storage/access/subscription.ts';
import { updateMember } from '../../../src/storage/members/member.ts';
import { type Api, apiOf, bearer, profileUrl } from '../../support/api.ts';
import { expectJsonError } from '../../support/expected/expectations.ts';
import type { Answer } from '../../support/http.ts';
import { useService } from '../../support/use-service.ts';

const day = 24 * 3_600_000;
const tina = 'tina@example.com';

const service = useService({ data: 'development' });
let acme: Api;
let globex: Api;

beforeAll(() => {
  acme = apiOf(service, 'localhost');
  globex = apiOf(service, '127.0.0.1');
});

interface Explained {
  readonly at: string;
  readonly hasAccess: boolean;
  readonly summary: string;
  readonly subscriptions: readonly { readonly packageName: string; readonly verdict: string }[];
}

const path = (query: Readonly<Record<string, string>>) =>
  `/info-with-content-access/explain?${new URLSearchParams(query)}`;

const explained = async (query: Readonly<Record<string, string>>, who = tina, api = acme) => {
  const answer = await api(who, path(query));
  expect(answer.status, answer.text).toBe(200);
  return answer.json<Explained>();
};

const idOf = async (email: string, api = acme) => (await api.member(email)).id;

const expectForbidden = (answer: Answer) => {
  expectJsonError(answer, 403, 'insufficient_scope');
  const text = answer.json<{ error_description: string }>().error_description;
  expect(answer.headers['www-authenticate']).toBe(
    `Bearer realm="memberdoor", error="insufficient_scope", error_description="${text}"`,
  );
};

describe('an administrator', () => {
  it('is told which subscription opens a channel, and until when', async () => {
    const answer = await explained({ channel: 'sport', member: await idOf('ada@example.com') });
    expect(answer).toMatchObject({
      memberId: await idOf('ada@example.com'),
      channel: { id: 'sport', name: 'Sport', products: [{ name: 'Sport' }] },
      hasAccess: true,
      grantedBy: { subscriptionId: expect.any(Number) },
      subscriptions: [
        { packageName: 'Acme Everything', verdict: 'grants', product: { name: 'Sport' } },
        { packageName: 'Daily News', verdict: 'other_products', product: null },
      ],
    });
    expect(answer.summary).toMatch(/^Open until \S+: subscription \d+ to Acme Everything /);
  });

  it('is told why a channel is closed: what is over, and what begins later', async () => {
    const answer = await explained({ channel: 'archive', member: await idOf('cy@example.com') });
    expect(answer).toMatchObject({ hasAccess: false, validUntil: null, grantedBy: null });
    expect(answer.subscriptions.map(({ verdict }) => verdict)).toEqual(['over', 'not_yet']);
    expect(answer.summary).toMatch(/^Closed: subscription \d+ to Daily News .* begins at /);
  });

  it('may ask about another moment, in the past and in the future', async () => {
    const member = await idOf('cy@example.com');
    const verdictsAt = async (ms: number) => {
      const at = new Date(ms).toISOString();
      const answer = await explained({ channel: 'archive', member, at });
      expect(answer.at).toBe(at);
      return answer.subscriptions.map(({ verdict }) => verdict);
    };
    const now = service.clock.now();
    expect(await verdictsAt(now - 10 * day)).toEqual(['grants', 'not_ordered']);
    expect(await verdictsAt(now + 10 * day)).toEqual(['over', 'grants']);
  });

  it('asks about the own membership at this moment unless it is said otherwise', async () => {
    const from = service.clock.now();
    const answer = await explained({ channel: 'film' });
    expect(answer).toMatchObject({ memberId: await idOf(tina), hasAccess: false, subscriptions: [] });
    expect(Date.parse(answer.at)).toBeGreaterThan(from);
    expect(Date.parse(answer.at)).toBeLessThan(service.clock.now());
    expect(await explained({ channel: 'film', member: '', at: '' })).toMatchObject({
      memberId: await idOf(tina),
    });
  });

  it('decision 37: may be a tenant_admin or a system_admin', async () => {
    for (const who of [tina, 'sam@example.com']) {
      expect(await explained({ channel: 'news', member: await idOf('dee@example.com') }, who)).toMatchObject({
        hasAccess: true,
      });
    }
  });

  it('is told about a disabled member as well', async () => {
    const answer = await explained({ channel: 'archive', member: await idOf('eve@example.com') });
    expect(answer.hasAccess).toBe(true);
  });

  it('M19: gets exactly what the core says', async () => {
    const at = '2026-02-01T00:00:00.000Z';
    const all = await service.store.transaction(async (tx) => ({
      channels: await listContentChannels(tx, acme.tenant.id),
      products: await listProducts(tx, acme.tenant.id),
    }));
    for (const email of ['ada@example.com', 'bo@example.com', 'cy@example.com', 'liv@example.com']) {
      const { id } = await acme.member(email);
      const subscriptions = await service.store.transaction((tx) => listSubscriptions(tx, id));
      for (const channel of all.channels) {
        const said = explain(id, channel, all.products, subscriptions, Date.parse(at));
        const answer = await acme(tina, path({ channel: channel.id, member: id, at }));
        expect(answer.text).toBe(JSON.stringify(said));
      }
    }
  });
});

describe('the moment', () => {
  it.each([
    ['2026-01-31T12:00:00.000Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00:00+01:00', '2026-01-31T11:00:00.000Z'],
    ['2026-01-31T23:30:00-0130', '2026-02-01T01:00:00.000Z'],
    ['2026-01-31T12:00:00+14', '2026-01-30T22:00:00.000Z'],
    ['2026-01-31T12:00:00,5Z', '2026-01-31T12:00:00.500Z'],
    ['2026-01-31T12:00:00.123456789Z', '2026-01-31T12:00:00.123Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    // What "+01:00" becomes when the + of a query is not encoded.
    ['2026-01-31T12:00:00 01:00', '2026-01-31T11:00:00.000Z'],
  ])('may be written as %s', async (at, expected) => {
    expect((await explained({ channel: 'news', at })).at).toBe(expected);
  });

  it.each([
    'now',
    '2026-01-31',
    '2026-01-31T12:00:00',
    '2026-01-31 12:00:00Z',
    '20260131T120000Z',
    '2026-02-30T12:00:00Z',
    '2025-02-29T12:00:00Z',
    '2026-13-01T12:00:00Z',
    '2026-01-31T25:00:00Z',
    '2026-01-31T12:00:60Z',
    '2026-01-31T12:00:00+24:00',
    '2026-01-31T12:00:00+01:60',
    '0000-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '1769860800000',
    "2026-01-31T12:00:00Z' or 1",
  ])('must not be %s', async (at) => {
    expectJsonError(await acme(tina, path({ channel: 'news', at })), 400, 'invalid_request');
  });
});

describe('the query', () => {
  it('decision 11: names a channel, each parameter once; unknown ones are ignored', async () => {
    const send = (query: string) => acme(tina, `/info-with-content-access/explain${query}`);
    for (const query of [
      '',
      '?channel=',
      '?channel=news&channel=news',
      '?channel=news&at=2026-01-31T12:00Z&at=2026-01-31T12:00Z',
      '?channel=%zz',
      '?channel=news&x=%zz',
      '?channel[]=news',
    ]) {
      expectJsonError(await send(query), 400, 'invalid_request');
    }
    expect((await send('?channel=news&x=1&x=2&__proto__=1')).status).toBe(200);
  });

  it('H17: is not repeated in an error', async () => {
    for (const query of [{ channel: 'mark3f9a' }, { channel: 'news', member: 'mark3f9a', at: 'mark3f9a' }]) {
      const answer = await acme(tina, path(query));
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.text + JSON.stringify(answer.headers)).not.toContain('mark3f9a');
    }
  });
});

describe('other callers are refused', () => {
  it('a plain member is refused, about himself too', async () => {
    const ada = 'ada@example.com';
    for (const query of [
      { channel: 'sport' },
      { channel: 'sport', member: await idOf(ada) },
      { channel: 'x' },
    ]) {
      expectForbidden(await acme(ada, path(query)));
    }
  });

  it("an administrator's token of a third party's client is refused, or of one that is gone", async () => {
    const client = {
      clientId: 'another-party',
      name: 'Another Party',
      type: 'public',
      redirectUris: ['https://another.test/cb'],
      thirdParty: true,
    } as const;
    await service.store.transaction((tx) => registerClient(tx, acme.tenant.id, client, 0));
    for (const clientId of ['another-party', 'nobody']) {
      const token = await acme.tokenWith(tina, { client_id: clientId });
      const url = `${profileUrl}${path({ channel: 'sport' })}`;
      expectForbidden(await service.http(acme.host, url, { headers: bearer(token) }));
      const profile = await service.http(acme.host, `${profileUrl}/info-with-content-access`, {
        headers: bearer(token),
      });
      expect(profile.status).toBe(200);
    }
  });
});

describe('another tenant', () => {
  it('X1: its member is answered as one that never was or is gone, by either kind of administrator', async () => {
    const foreign = await idOf('ada@example.com', globex);
    const now = service.clock.now();
    const [kim, ida] = [await acme.member('kim@example.com'), await acme.member('ida@example.com')];
    await service.store.transaction(async (tx) => {
      await deleteMember(tx, acme.tenant.id, kim.id, now);
      // Gone by the clock, although the data is not erased yet.
      await updateMember(tx, { ...ida, deletionDueAt: now });
    });
    for (const who of [tina, 'sam@example.com']) {
      const answers = await Promise.all(
        [foreign, kim.id, ida.id, '0199a3c4-7d10-7c41-9c2e-5f0b6a4d8e21', 'x'].map((member) =>
          acme(who, path({ channel: 'sport', member })),
        ),
      );
      for (const answer of answers) expectJsonError(answer, 404, 'invalid_request');
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    }
  });

  it('X1: its channel is answered as one that never was', async () => {
    const channel = { id: 'globex-only', name: 'Globex only', description: '', productIds: [] };
    await service.store.transaction((tx) =>
      defineContentChannel(tx, { ...channel, tenantId: globex.tenant.id }),
    );
    const [foreign, none] = await Promise.all(
      ['globex-only', 'nothing'].map((id) => acme(tina, path({ channel: id }))),
    );
    expectJsonError(foreign as Answer, 404, 'invalid_request');
    expect(foreign?.text).toBe(none?.text);
    const own = await explained({ channel: 'globex-only' }, tina, globex);
    expect(own.summary).toContain('closed to everybody');
  });
});
