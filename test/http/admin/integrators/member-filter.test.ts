import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiCall, adminToken, callApi, expectRefusal } from '../../../support/operators/api.ts';
import { run, tenantIdOf } from '../../../support/operators/desk.ts';
import { beginWorld, type World } from '../../../support/operators/world.ts';
import { useService } from '../../../support/use-service.ts';

const service = useService({ data: 'security' });
let world: World;
let token: string;
/** Bo. */
let own: string;

const tenant = '/tenants/filter.test';
const call = (facts: ApiCall) => callApi(service, { token, ...facts });
const list = (query: string, own: Partial<ApiCall> = {}) =>
  call({ path: `${tenant}/members?${query.split('&').map(encoded).join('&')}`, ...own });
const encoded = (pair: string) =>
  pair.replace(/^([^=]*)=(.*)$/, (_, ...parts: string[]) =>
    parts.slice(0, 2).map(encodeURIComponent).join('='),
  );
const names = async (query: string) => {
  const answer = await list(query);
  expect(answer.status, answer.text).toBe(200);
  return (answer.json().members as { fullName: string }[]).map(({ fullName }) => fullName).toSorted();
};
const problemOf = async (query: string) => {
  const answer = await list(query);
  expectRefusal(answer, 400, 'invalid_request');
  const [first] = answer.json().problems as { path: string[]; code: string }[];
  return `${first?.path.join('.')} ${first?.code}`;
};

/** Bo has a subscription with two seats and the newsletter, Cy one with five that ended, Dee nothing. */
beforeAll(async () => {
  world = await beginWorld(service, 'filter.test');
  token = await adminToken(service, { host: 'filter.test' });
  await world.operate('consents.define', { consentId: 'newsletter', name: 'Newsletter' });
  await world.operate('properties.define', { key: 'code', type: 'string' });
  await world.operate('properties.define', { key: 'since', type: 'timestamp' });
  const ids: Record<string, string> = {};
  for (const name of ['Bo Ødegård', 'Cy Berg', 'Dee Berg-Lund']) {
    service.clock.advance(1_000);
    const email = `${name.slice(0, 2).toLowerCase()}@filter.test`;
    ids[email] = (
      await world.operate('members.create', { fullName: name, email, externalId: `crm-${name.slice(0, 2)}` })
    ).id;
  }
  own = ids['bo@filter.test'] ?? '';
  const give = async (memberId: string | undefined, customPropertyValues: object) =>
    world.operate<{ subscriptionId: number }>('subscriptions.create', {
      memberId,
      packageId: world.packageId,
      customPropertyValues,
    });
  await give(ids['bo@filter.test'], { seats: 2, code: "it's", since: '2026-01-01T00:00:00.000Z' });
  const ended = await give(ids['cy@filter.test'], { seats: 5 });
  await world.operate('subscriptions.change', { subscriptionId: ended.subscriptionId, change: 'end' });
  await service.store.transaction((tx) =>
    tx
      .insertInto('consentChanges')
      .values(answered(own, service.clock.now()) as never)
      .execute(),
  );
});

/** An answer of yes to the newsletter. */
function answered(memberId: string, changedAt: number) {
  const told = { name: 'Newsletter', description: '', source: 'api', clientId: null } as const;
  const consent = { consentId: 'newsletter', status: 'accepted' } as const;
  return { tenantId: world.tenantId, memberId, changedAt, ...consent, ...told };
}

const [ada, bo, cy, dee] = ['Ada Berg', 'Bo Ødegård', 'Cy Berg', 'Dee Berg-Lund'];

describe('a filter of the list of members', () => {
  it.each([
    ['filter[email][eq]=BO@filter.test', [bo]],
    ['filter[email][in]=bo@filter.test&filter[email][in]=cy@filter.test', [bo, cy]],
    ['filter[email][ne]=bo@filter.test', [ada, cy, dee]],
    ['filter[email][startsWith]=D', [dee]],
    ['filter[name][startsWith]=ber', [ada, cy, dee]],
    ['filter[name][startsWith]=berg lu', [dee]],
    ['filter[fullName][eq]=Cy Berg', [cy]],
    ['filter[externalId][in]=crm-Bo', [bo]],
    ['filter[status][eq]=disabled', []],
    ['filter[userType][in]=member&filter[emailVerified][eq]=true', []],
    ['filter[subscription][state][eq]=active', [bo]],
    ['filter[subscription][state][in]=active&filter[subscription][state][in]=ended', [bo, cy]],
    ['filter[subscription][properties][seats][gte]=2', [bo, cy]],
    ['filter[subscription][properties][seats][gt]=2', [cy]],
    ['filter[subscription][properties][seats][gt]=2&filter[subscription][state][eq]=active', []],
    ["filter[subscription][properties][code][eq]=it's", [bo]],
    ['filter[subscription][properties][since][lt]=2026-01-01T01:00:00%2B00:00'.replace('%2B', '+'), [bo]],
    ['filter[consents][newsletter][eq]=accepted', [bo]],
    ['filter[consents][newsletter][eq]=withdrawn&filter[name][startsWith]=berg', [ada, cy, dee]],
    ['search=berg&filter[externalId][eq]=crm-Cy', [cy]],
  ])('%s', async (query, found) => {
    expect(await names(query)).toEqual(found);
  });

  it('MC5: asks for nothing that is not known, and reads no value as anything else', async () => {
    const told = {
      'filter[password][eq]=x': 'filter.password unknown_field',
      'filter[email][like]=%': 'filter.email.like unknown_field',
      'filter[email]=x': 'filter.email wrong_type',
      'filter=x': 'filter wrong_type',
      'filter[email][eq]=a&filter[email][eq]=b': 'filter.email.eq wrong_type',
      'filter[email][eq][eq]=a': 'filter.email.eq wrong_type',
      'filter[email]=x&filter[email][eq]=a': 'filter.email sent_twice',
      'filter[updatedAt][gte]=yesterday': 'filter.updatedAt.gte not_a_time',
      'filter[updatedAt][gte]=2026-02-30T00:00:00Z': 'filter.updatedAt.gte not_a_time',
      'filter[subscription][properties][since][lt]=2026-01-01T00:00:00':
        'filter.subscription.properties.since.lt malformed',
      'filter[memberNumber][gt]=1 or 1=1': 'filter.memberNumber.gt wrong_type',
      'filter[name][startsWith]=%': 'filter.name.startsWith empty',
      'filter[__proto__][eq]=x': 'filter.__proto__ unknown_field',
      'filter[subscription][properties][constructor][eq]=1':
        'filter.subscription.properties.constructor property_not_defined',
      "filter[subscription][properties][seats') or true --][eq]=1":
        "filter.subscription.properties.seats') or true -- property_not_defined",
      'filter[subscription][properties][seats][eq]=many': 'filter.subscription.properties.seats.eq malformed',
      'filter[consents][unknown][eq]=accepted': 'filter.consents.unknown not_found',
      [Array.from({ length: 101 }, (_, index) => `filter[email][in]=${index}`).join('&')]:
        'filter.email.in too_many',
      [`filter[email][eq]=${'x'.repeat(201)}`]: 'filter.email.eq too_long',
    };
    for (const [query, problem] of Object.entries(told)) expect(await problemOf(query), query).toBe(problem);
    for (const text of ["' or '1'='1", 'bo@filter.test" --', '%', '_', '\\']) {
      expect(await names(`filter[email][eq]=${text}`), text).toEqual([]);
      expect(await names(`filter[subscription][properties][code][eq]=${text}`), text).toEqual([]);
    }
  });

  it('MC6: tells who may not read subscriptions nothing of them', async () => {
    const members = await adminToken(service, { host: 'filter.test', permissions: ['members:read'] });
    const query = 'filter[subscription][state][eq]=active';
    expectRefusal(await list(query, { token: members }), 403, 'insufficient_scope');
    expect((await list('filter[email][startsWith]=b', { token: members })).status).toBe(200);
    const other = await adminToken(service, { host: 'a.test' });
    expectRefusal(await list('filter[email][startsWith]=b', { token: other }), 404, 'not_found');
  });

  it('pages by when members changed, and misses none that change between two pages', async () => {
    const seen: string[] = [];
    let before = '';
    for (let page = 0; page < 9; page += 1) {
      const query = `sort=updatedAt&limit=1&filter[updatedAt][gte]=2020-01-01T00:00:00Z${before && `&before=${before}`}`;
      const { members, next } = (await list(query)).json() as {
        members: { fullName: string; id: string }[];
        next: string;
      };
      seen.push(...members.map(({ fullName }) => fullName));
      if (next === null) break;
      before = next;
      // Whom the page ended with changes now: the next page begins where that one stood.
      service.clock.advance(1_000);
      if (page === 0) await world.operate('members.change', { memberId: members[0]?.id, nickName: 'A' });
    }
    expect(seen).toEqual([ada, bo, cy, dee, ada]);
  });

  it('is refused a place where there is none, which the first page would follow again', async () => {
    const gone = await run<{ id: string }>(service, 'members.create', {
      tenant: 'filter.test',
      fullName: 'Gone',
      email: 'gone@filter.test',
    });
    await world.operate('members.delete', { memberId: gone.id });
    const whole = 'filter[emailVerified][eq]=false';
    for (const query of [
      'sort=email',
      'sort=-email',
      `sort=email&${whole}`,
      'sort=updatedAt',
      '/export?sort=email',
    ]) {
      for (const before of ['unknown', gone.id]) {
        const path = query.startsWith('/') ? query : `?${query}`;
        const answer = await call({ path: `${tenant}/members${path}&before=${before}` });
        expectRefusal(answer, 400, 'invalid_request');
        expect(answer.json().problems).toMatchObject([{ path: ['before'], code: 'unknown_place' }]);
      }
    }
  });

  it('MC13: a place that is another tenant’s tells nothing of where it is', async () => {
    const other = { tenant: 'a.test' };
    await run(service, 'consents.define', { ...other, consentId: 'newsletter', name: 'Newsletter' });
    const foreign: { readonly member: string; readonly event: number; readonly answer: number }[] = [];
    for (const email of ['aaa@other.test', 'bz@other.test', 'zzz@other.test']) {
      const { id } = await run<{ id: string }>(service, 'members.create', {
        ...other,
        fullName: 'Other',
        email,
      });
      const [event] = await service.store.transaction((tx) =>
        tx.selectFrom('auditEvents').select('id').orderBy('id', 'desc').limit(1).execute(),
      );
      const changedAt = service.clock.now();
      const [answer] = await service.store.transaction((tx) =>
        tx
          .insertInto('consentChanges')
          .values({ ...answered(id, changedAt), tenantId: tenantIdOf(service, 'a.test') } as never)
          .returning('id')
          .execute(),
      );
      foreign.push({ member: id, event: event?.id ?? 0, answer: answer?.id ?? 0 });
      service.clock.advance(1_000);
      await service.store.transaction((tx) =>
        tx
          .insertInto('consentChanges')
          .values(answered(own, service.clock.now()) as never)
          .execute(),
      );
      await world.operate('members.change', { memberId: own, nickName: email.slice(0, 3) });
      service.clock.advance(1_000);
    }
    const whole = 'filter[emailVerified][eq]=false';
    for (const path of [
      'members?sort=email',
      'members?sort=-email',
      `members?sort=email&${whole}`,
      `members?sort=updatedAt&${whole}`,
    ]) {
      const of = (before: string) => list(`${path.slice(8)}&before=${before}`);
      const unknown = await of('unknown');
      for (const { member } of foreign) expect((await of(member)).text, path).toBe(unknown.text);
    }
    for (const [path, key] of [
      ['audit', 'event'],
      ['consent-answers', 'answer'],
    ] as const) {
      const texts = new Set<string>();
      for (const one of foreign) {
        const answer = await call({ path: `${tenant}/${path}?limit=200&before=${one[key]}` });
        expect(answer.status, answer.text).toBe(200);
        texts.add(answer.text);
      }
      expect(texts.size, path).toBe(1);
    }
  });
});
