import { beforeAll, describe, expect, it } from 'vitest';
import { contentAccessOf } from '../../../src/core/access/content-access.ts';
import { sightOf } from '../../../src/core/oidc/scope.ts';
import { developmentMembers } from '../../../src/operations/development/members.ts';
import { listContentChannels } from '../../../src/storage/access/content-channel.ts';
import { listSubscriptions } from '../../../src/storage/access/subscription.ts';
import { type Api, answerAt, apiOf } from '../../support/api.ts';
import { useService } from '../../support/use-service.ts';

const path = '/info-with-content-access';
const day = 24 * 3_600_000;

const service = useService({ data: 'development' });
let acme: Api;
let globex: Api;

beforeAll(() => {
  acme = apiOf(service, 'localhost');
  globex = apiOf(service, '127.0.0.1');
});

interface Channel {
  readonly id: string;
  readonly hasAccess: boolean;
  readonly validUntil: string | null;
  readonly grantedBy: { readonly subscriptionId: number; readonly productId: number } | null;
}

const channelsOf = async (api: Api, email: string) => {
  const answer = await api(email, path);
  expect(answer.status, answer.text).toBe(200);
  return answer.json<{ contentChannels: readonly Channel[] }>().contentChannels;
};

/** The subscriptions and products that the other profile lists, by name of package and product. */
const listedOf = async (api: Api, email: string) => {
  const answer = await api(email, '/info-with-active-subscriptions');
  return answer.json<{
    subscriptions: readonly {
      readonly subscriptionId: number;
      readonly packageId: number;
      readonly packageName: string;
      readonly expiresAt: string;
      readonly subscriptionProducts: readonly { readonly id: number; readonly name: string }[];
    }[];
  }>().subscriptions;
};

const texts: Readonly<Record<string, { name: string; description: string }>> = {
  archive: { name: 'Archive', description: 'Every article' },
  film: { name: 'Film', description: 'Films and series' },
  news: { name: 'News', description: 'News, live' },
  sport: { name: 'Sport', description: 'Matches, live' },
};

/** What opens each channel, as package and product; nothing where it is closed. */
type Opened = Readonly<Record<string, readonly [packageName: string, productName: string]>>;
const everything: Opened = {
  archive: ['Acme Everything', 'News'],
  film: ['Acme Everything', 'Film'],
  news: ['Acme Everything', 'News'],
  sport: ['Acme Everything', 'Sport'],
};
const archiveAlone: Opened = { archive: ['Daily News', 'News archive'] };

describe('decision 38', () => {
  it.each([
    // Both subscriptions of ada open the archive and run equally long: the older one is named.
    ['ada@example.com', everything],
    ['bo@example.com', {}],
    ['cy@example.com', {}],
    ['dee@example.com', everything],
    ['gro+tv@example.com', everything],
    ['huda@example.com', archiveAlone],
    ['kim@example.com', archiveAlone],
    ['liv@example.com', {}],
    ['tina@example.com', {}],
  ] as const)('%s sees every channel, what opens it and until when', async (email, opened: Opened) => {
    const listed = await listedOf(acme, email);
    const expected = Object.entries(texts).map(([id, text]) => {
      const [packageName, productName] = opened[id] ?? [];
      const subscription = listed.find((candidate) => candidate.packageName === packageName);
      const product = subscription?.subscriptionProducts.find(({ name }) => name === productName);
      if (subscription === undefined || product === undefined) {
        return { id, ...text, hasAccess: false, validUntil: null, grantedBy: null };
      }
      const { subscriptionId, packageId, expiresAt } = subscription;
      const grantedBy = { subscriptionId, packageId, productId: product.id };
      return { id, ...text, hasAccess: true, validUntil: expiresAt, grantedBy };
    });
    const channels = await channelsOf(acme, email);
    expect(channels).toEqual(expected);
    expect(channels.filter(({ hasAccess }) => hasAccess)).toHaveLength(Object.keys(opened).length);
  });

  it("begins with the member's basics, the very same as the other profile", async () => {
    for (const email of ['ada@example.com', 'dee@example.com', 'gro+tv@example.com', 'huda@example.com']) {
      const { contentChannels: _channels, ...basics } = (await acme(email, path)).json();
      const { subscriptions: _list, ...same } = (await acme(email, '/info-with-active-subscriptions')).json();
      expect(basics).toEqual(same);
    }
  });

  it('M19: the schema adds nothing, drops nothing and changes nothing of what the core says', async () => {
    const active = developmentMembers.filter(({ status }) => status !== 'disabled');
    for (const { email } of active) {
      const answer = await acme(email, path);
      const member = await acme.member(email);
      const said = await service.store.transaction(async (tx) =>
        contentAccessOf(
          member,
          await listContentChannels(tx, acme.tenant.id),
          await listSubscriptions(tx, member.id),
          sightOf(true, ''),
          service.clock.now(),
        ),
      );
      expect(answer.text).toBe(JSON.stringify(said));
    }
  });
});

describe('access in time', () => {
  it('a channel is open 1 ms before its subscription expires and closed when it does', async () => {
    const email = 'kim@example.com';
    const [archive] = await channelsOf(acme, email);
    const validUntil = Date.parse(String(archive?.validUntil));
    service.clock.set(validUntil - 60_000);
    // The token of before has run out by now.
    const later = apiOf(service, 'localhost');
    await later.token(email);
    const archiveAt = async (ms: number) => {
      const answer = await answerAt(service, ms, () => later(email, path));
      return answer.json<{ contentChannels: readonly Channel[] }>().contentChannels[0];
    };
    expect(await archiveAt(validUntil - 1)).toEqual(archive);
    expect(await archiveAt(validUntil)).toEqual({
      ...archive,
      hasAccess: false,
      validUntil: null,
      grantedBy: null,
    });
  });

  it('a channel opens on the day on which a subscription begins', async () => {
    const later = apiOf(service, 'localhost');
    const [archive] = await channelsOf(later, 'cy@example.com');
    expect(archive).toMatchObject({ id: 'archive', hasAccess: true });
    expect(Date.parse(String(archive?.validUntil)) - service.clock.now()).toBeGreaterThan(300 * day);
  });
});

describe('tenants', () => {
  it('show their own channels: products and subscriptions of another tenant open nothing', async () => {
    const [here, there] = [apiOf(service, 'localhost'), globex];
    const atAcme = await channelsOf(here, 'ada@example.com');
    const atGlobex = await channelsOf(there, 'ada@example.com');
    expect(atAcme.map(({ id }) => id)).toEqual(atGlobex.map(({ id }) => id));
    const productsOf = (channels: readonly Channel[]) =>
      channels.map(({ grantedBy }) => grantedBy?.productId);
    expect(productsOf(atAcme)).not.toContain(undefined);
    for (const id of productsOf(atAcme)) expect(productsOf(atGlobex)).not.toContain(id);
  });

  it("decision 2: the tenant is the token's, whichever host is asked", async () => {
    const here = apiOf(service, 'localhost');
    const headers = { authorization: `Bearer ${await here.token('ada@example.com')}` };
    const elsewhere = await service.http(globex.host, `/api/v1/members/profile${path}`, { headers });
    expect(elsewhere.text).toBe((await here('ada@example.com', path)).text);
  });
});
