import { beforeAll, describe, expect, it } from 'vitest';
import { consentOf } from '../../../src/core/access/consent.ts';
import { defineConsent } from '../../../src/operations/access/consent.ts';
import { registerClient } from '../../../src/operations/client/client.ts';
import { listConsentChanges, listConsents } from '../../../src/storage/access/consent.ts';
import { type Api, apiOf, bearer, profileUrl } from '../../support/api.ts';
import { expectJsonError } from '../../support/expected/expectations.ts';
import { useService } from '../../support/use-service.ts';

const path = '/consents';
const json = { 'content-type': 'application/json' };

const service = useService({ data: 'development' });
let acme: Api;
let globex: Api;

beforeAll(() => {
  acme = apiOf(service, 'localhost');
  globex = apiOf(service, '127.0.0.1');
});

interface Consent {
  readonly id: string;
  readonly status: string;
  readonly changedAt: string | null;
}

const put = (email: string, below: string, body: unknown, api = acme) =>
  api(email, `${path}${below}`, { method: 'PUT', headers: json, body: JSON.stringify(body) });

const listOf = async (email: string, api = acme) => {
  const answer = await api(email, path);
  expect(answer.status, answer.text).toBe(200);
  return answer.json<{ consents: readonly Consent[] }>().consents;
};

const historyOf = async (email: string, api = acme) => {
  const { id } = await api.member(email);
  return service.store.transaction((tx) => listConsentChanges(tx, id));
};

const unanswered = [
  {
    id: 'newsletter',
    name: 'Newsletter',
    description: 'An email every Friday with what is new.',
    status: 'withdrawn',
    changedAt: null,
  },
  {
    id: 'offers',
    name: 'Offers',
    description: 'Now and then an offer by email, for members only.',
    status: 'withdrawn',
    changedAt: null,
  },
  {
    id: 'recommendations',
    name: 'Recommendations',
    description: 'What you watch is used to suggest what you may like.',
    status: 'withdrawn',
    changedAt: null,
  },
] as const;
const [newsletter] = unanswered;

describe('decision 39: reading', () => {
  it('lists every consent of the tenant; a member who never answered has not agreed', async () => {
    expect((await acme('bo@example.com', path)).json()).toEqual({ consents: unanswered });
  });

  it('gives one of them', async () => {
    expect((await acme('bo@example.com', `${path}/newsletter`)).json()).toEqual(newsletter);
  });

  it('knows no others: an id that is not there is 404, and not repeated', async () => {
    for (const id of ['mark3f9a', 'Newsletter', 'newsletter%2f', 'newsletter%20', '%2e%2e', '__proto__']) {
      const answer = await acme('bo@example.com', `${path}/${id}`);
      expectJsonError(answer, 404, 'invalid_request');
      expect(answer.text).not.toContain('3f9a');
    }
  });
});

describe('decision 39: answering', () => {
  it('one consent: the answer holds it, and the history what was agreed to, by which client and when', async () => {
    const from = service.clock.now();
    const answer = await put('ada@example.com', '/newsletter', { status: 'accepted' });
    expect(answer.status, answer.text).toBe(200);
    const { changedAt, ...consent } = answer.json<Consent>();
    expect(consent).toEqual({
      id: 'newsletter',
      name: newsletter.name,
      description: newsletter.description,
      status: 'accepted',
    });
    const time = Date.parse(String(changedAt));
    expect(time).toBeGreaterThan(from);
    expect(time).toBeLessThan(service.clock.now());
    expect((await acme('ada@example.com', `${path}/newsletter`)).text).toBe(answer.text);
    expect(await historyOf('ada@example.com')).toEqual([
      {
        tenantId: acme.tenant.id,
        memberId: (await acme.member('ada@example.com')).id,
        consentId: 'newsletter',
        status: 'accepted',
        name: newsletter.name,
        description: newsletter.description,
        source: 'api',
        clientId: 'spa',
        changedAt: time,
      },
    ]);
  });

  it('the same again changes nothing, neither its time nor the history', async () => {
    const first = await put('cy@example.com', '/offers', { status: 'accepted' });
    expect((await put('cy@example.com', '/offers', { status: 'accepted' })).text).toBe(first.text);
    const again = await put('cy@example.com', '', { consents: [{ id: 'offers', status: 'accepted' }] });
    expect(again.json<{ consents: readonly Consent[] }>().consents[1]).toEqual(first.json());
    expect(await historyOf('cy@example.com')).toHaveLength(1);
  });

  it('a first no is an answer, and each change after it is kept', async () => {
    const statuses = ['withdrawn', 'accepted', 'withdrawn'];
    for (const status of statuses) {
      expect((await put('dee@example.com', '/offers', { status })).json()).toMatchObject({ status });
    }
    expect((await historyOf('dee@example.com')).map(({ status }) => status)).toEqual(statuses);
  });

  it('several at once: those named change at one time, the others stay, all are in the answer', async () => {
    const answer = await put('finn@example.com', '', {
      consents: [
        { id: 'recommendations', status: 'accepted' },
        { id: 'newsletter', status: 'withdrawn' },
      ],
    });
    expect(answer.status, answer.text).toBe(200);
    const { consents } = answer.json<{ consents: readonly Consent[] }>();
    expect(consents.map(({ id, status }) => [id, status])).toEqual([
      ['newsletter', 'withdrawn'],
      ['offers', 'withdrawn'],
      ['recommendations', 'accepted'],
    ]);
    expect(consents[0]?.changedAt).toBe(consents[2]?.changedAt);
    expect(consents[1]?.changedAt).toBeNull();
    expect(await listOf('finn@example.com')).toEqual(consents);
  });

  it('all or nothing: one unknown id is 404, and the same id twice 400, and nothing was changed', async () => {
    const accepted = (id: string) => ({ id, status: 'accepted' });
    const unknown = await put('huda@example.com', '', {
      consents: [accepted('newsletter'), accepted('nothing')],
    });
    expectJsonError(unknown, 404, 'invalid_request');
    const twice = await put('huda@example.com', '', {
      consents: [accepted('newsletter'), accepted('offers'), { id: 'newsletter', status: 'withdrawn' }],
    });
    expectJsonError(twice, 400, 'invalid_request');
    expectJsonError(
      await put('huda@example.com', '/nothing', { status: 'accepted' }),
      404,
      'invalid_request',
    );
    expect(await historyOf('huda@example.com')).toEqual([]);
    expect(await listOf('huda@example.com')).toEqual(unanswered);
  });

  it('20 parallel answers of one kind record one change', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        n % 2 === 0
          ? put('ida@example.com', '/offers', { status: 'accepted' })
          : put('ida@example.com', '', { consents: [{ id: 'offers', status: 'accepted' }] }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(await historyOf('ida@example.com')).toHaveLength(1);
    const [, offers] = await listOf('ida@example.com');
    for (const answer of answers) expect(answer.text).toContain(JSON.stringify(offers));
  });

  it('M19: the answers are exactly what the core says', async () => {
    for (const email of ['ada@example.com', 'bo@example.com', 'finn@example.com']) {
      const { id } = await acme.member(email);
      const said = await service.store.transaction(async (tx) => {
        const changes = await listConsentChanges(tx, id);
        return (await listConsents(tx, acme.tenant.id)).map((consent) => consentOf(consent, changes));
      });
      expect((await acme(email, path)).text).toBe(JSON.stringify({ consents: said }));
      for (const consent of said) {
        expect((await acme(email, `${path}/${consent.id}`)).text).toBe(JSON.stringify(consent));
      }
    }
  });
});

describe("a third party's client", () => {
  it('decision 41: sees no consents, and never answers for the member', async () => {
    const client = {
      clientId: 'another-party',
      name: 'Another Party',
      type: 'public',
      redirectUris: ['https://another.test/cb'],
      thirdParty: true,
    } as const;
    await service.store.transaction((tx) => registerClient(tx, acme.tenant.id, client, 0));
    const token = await acme.tokenWith('kim@example.com', { client_id: client.clientId });
    const send = (below: string, body?: object) =>
      service.http(acme.host, `${profileUrl}${path}${below}`, {
        headers: { ...bearer(token), ...json },
        ...(body === undefined ? {} : { method: 'PUT', body: JSON.stringify(body) }),
      });
    expect((await send('')).json()).toEqual({ consents: [] });
    expectJsonError(await send('/newsletter'), 404, 'invalid_request');
    for (const answer of [
      await send('/newsletter', { status: 'accepted' }),
      await send('/nothing', { status: 'accepted' }),
      await send('', { consents: [{ id: 'newsletter', status: 'accepted' }] }),
    ]) {
      expectJsonError(answer, 403, 'insufficient_scope');
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer .*error="insufficient_scope"/);
    }
    expect(await historyOf('kim@example.com')).toEqual([]);
  });
});

describe('a consent that the tenant asks for no more, or another tenant', () => {
  const consentOnly = (tenantId: string, id: string, retiredAt: number | null) => ({
    tenantId,
    id,
    name: 'Only here',
    description: '',
    atSignUp: false,
    atCheckout: false,
    retiredAt,
  });

  it('X1: is neither listed nor answered, and nothing is kept of the attempt', async () => {
    await service.store.transaction(async (tx) => {
      await defineConsent(tx, consentOnly(acme.tenant.id, 'retired', 1));
      await defineConsent(tx, consentOnly(globex.tenant.id, 'globex-only', null));
    });
    const gro = 'gro+tv@example.com';
    expect(await listOf(gro)).toEqual(unanswered);
    for (const id of ['retired', 'globex-only']) {
      expectJsonError(await acme(gro, `${path}/${id}`), 404, 'invalid_request');
      expectJsonError(await put(gro, `/${id}`, { status: 'accepted' }), 404, 'invalid_request');
      const among = {
        consents: [
          { id: 'offers', status: 'accepted' },
          { id, status: 'accepted' },
        ],
      };
      expectJsonError(await put(gro, '', among), 404, 'invalid_request');
    }
    expect(await historyOf(gro)).toEqual([]);
    expect((await listOf(gro, globex)).map(({ id }) => id)).toContain('globex-only');
  });

  it('X1: what a member of one tenant answers is not the answer of the namesake on another', async () => {
    await put('sam@example.com', '/newsletter', { status: 'accepted' });
    expect((await listOf('sam@example.com', globex))[1]).toMatchObject({
      id: 'newsletter',
      status: 'withdrawn',
      changedAt: null,
    });
    expect(await historyOf('sam@example.com', globex)).toEqual([]);
  });
});
