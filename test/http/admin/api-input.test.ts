import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Permission } from '../../../src/core/operators/permission.ts';
import type { Answer } from '../../support/http.ts';
import {
  type ApiCall,
  adminToken,
  callApi,
  change,
  expectRefusal,
  read,
} from '../../support/operators/api.ts';
import { rawExchange } from '../../support/process/raw-socket.ts';
import { stepsOf } from '../../support/queries/steps.ts';
import { useService } from '../../support/use-service.ts';

const service = useService({ data: 'security', apiHost: 'api.test' });
/** Tokens for every tenant, and for a.test alone. */
let whole: string;
let ofA: string;

const call = (facts: ApiCall) => callApi(service, facts);
/** The problems of an answer, each in its words. */
const problemsOf = (answer: Answer) =>
  answer.json<{ problems: readonly { message: string }[] }>().problems.map(({ message }) => message);
const brandColor = () => service.tenants.byHost('a.test')?.brandColor;

beforeAll(async () => {
  whole = await adminToken(service);
  ofA = await adminToken(service, { host: 'a.test' });
});
// What fails on purpose must not add up to the limit of a minute.
beforeEach(() => service.clock.advance(60_000));

describe('what was not understood', () => {
  it('MC16: of tens of thousands of fields that there are not the first hundred are told, each looked at once', async () => {
    // What may have been meant is guessed for a few of them alone.
    const refused = async (fields: number) => {
      const names = Array.from({ length: fields }, (_, index) => [`k${index}`, 1] as const);
      const path = '/tenants/a.test/imports/0/parts';
      const answer = await call({ method: 'POST', path, body: Object.fromEntries(names), token: ofA });
      expectRefusal(answer, 400, 'invalid_request');
      expect(problemsOf(answer)).toHaveLength(100);
      expect(answer.text.length).toBeLessThan(100_000);
    };
    await refused(70_000);
    const few = await stepsOf(() => refused(2_000));
    const many = await stepsOf(() => refused(8_000));
    expect(few).toBeGreaterThan(2_000);
    const each = (many - few) / 6_000;
    expect(each).toBeGreaterThan(1);
    // Work that grew with the square of the fields would take thousands of steps for each.
    expect(each).toBeLessThan(40);
  });

  it('MC17: is a number of more digits than are kept, in an address, a filter or a body', async () => {
    const path = '/tenants/a.test';
    const subscriptions = `${path}/members/0190c3a1-0000-7000-8000-000000000001/subscriptions`;
    for (const one of [
      { path: `${path}/packages?after=99999999999999999999` },
      { method: 'PATCH', path: `${path}/packages/9223372036854775808`, body: {} },
      { path: `${path}/packages?packageId=-9223372036854775809` },
      { path: `${path}/members?filter[memberNumber][gte]=9223372036854775808` },
      { method: 'POST', path: subscriptions, body: { packageId: 2 ** 63 } },
    ] as const) {
      const answer = await call({ ...one, token: ofA });
      expectRefusal(answer, 400, 'invalid_request');
      expect(problemsOf(answer).join(), one.path).toMatch(/must be (?:9007199254740991 or less|0 or more)/);
    }
  });

  it('is 400 with every problem at once, and changes nothing', async () => {
    const before = brandColor();
    const body = { brandColor: 7, passwordLength: 'long', languages: 'tlh', extra: true };
    const answer = await call({ ...change, body, token: ofA });
    expectRefusal(answer, 400, 'invalid_request');
    const problems = problemsOf(answer);
    expect(problems.join('\n')).toMatch(/passwordLength/);
    expect(problems.join('\n')).toMatch(/^extra is not known/m);
    expect(answer.json().error_description).toBe(problems.join('; '));
    expect(brandColor()).toBe(before);
  });

  it('such as facts that cannot stand is 400, with words that fit a header', async () => {
    const body = { returnOrigins: ['http://"\\é\r\nx'] };
    expectRefusal(await call({ ...change, body, token: ofA }), 400, 'invalid_request');
  });

  it.each([
    ['path and query', '/tenants/a.test?tenant=b.test', {}, ['tenant was sent in two places']],
    ['path and body', '/tenants/a.test', { tenant: 'b.test' }, ['tenant was sent in two places']],
    ['query and body', '/tenants/a.test?name=A', { name: 'B' }, ['name was sent in two places']],
  ])('H6: a field in %s is 400', async (_where, path, body, problems) => {
    const answer = await call({ method: 'PATCH', path, body, token: whole });
    expectRefusal(answer, 400, 'invalid_request');
    expect(problemsOf(answer)).toEqual(problems);
  });

  it.each(['?name=%zz', '?name=%ff', '?brandColor=%23111111&brandColor=%23222222', '?__proto__=x'])(
    'H6: the query %s is 400',
    async (query) => {
      const path = `/tenants/a.test${query}`;
      expectRefusal(await call({ method: 'PATCH', path, token: whole }), 400, 'invalid_request');
    },
  );

  it.each([
    '{',
    '[]',
    '"text"',
    'null',
    'null x',
    '{"name":"A","name":"B"}',
    '{"__proto__":{"name":"A"}}',
    '1',
  ])('the body %s is 400', async (body) => {
    expectRefusal(await call({ ...change, body, token: whole }), 400, 'invalid_request');
  });

  it('H1: a body of another type is 415, and an empty one of any type is none', async () => {
    for (const type of [
      'application/x-www-form-urlencoded',
      'text/plain',
      'application/json; charset=latin1',
    ]) {
      const answer = await call({ ...change, headers: { 'content-type': type }, token: whole });
      expectRefusal(answer, 415, 'invalid_request');
    }
    const empty = { method: 'POST', path: '/tenants/b.test/enable', token: whole };
    expect((await call({ ...empty, headers: { 'content-type': 'application/json' } })).status).toBe(200);
    expect((await call(empty)).status).toBe(200);
  });

  it('H4: a body over 16 KiB is 413', async () => {
    const path = '/tenants/a.test/products';
    const fits = { name: 'x'.repeat(16 * 1_024 - 11) };
    expectRefusal(await call({ path, body: fits, token: whole }), 400, 'invalid_request');
    const tooMuch = { name: 'x'.repeat(16 * 1_024 - 10) };
    expectRefusal(await call({ path, body: tooMuch, token: whole }), 413, 'invalid_request');
  });

  it('H4: a tenant’s body has room for its pictures, and no more', async () => {
    const fits = { logo: 'x'.repeat(112 * 1_024 - 11) };
    expectRefusal(await call({ ...change, body: fits, token: whole }), 400, 'invalid_request');
    const tooMuch = { logo: 'x'.repeat(112 * 1_024 - 10) };
    expectRefusal(await call({ ...change, body: tooMuch, token: whole }), 413, 'invalid_request');
  });
});

describe('the addresses of the admin API', () => {
  it('what is there already is 409', async () => {
    const body = { name: 'Again', issuer: 'https://a.test' };
    const answer = await call({ path: '/tenants', body, token: whole });
    expectRefusal(answer, 409, 'conflict');
    expect(problemsOf(answer)).toHaveLength(1);
  });

  it('H7: other methods are 405 and say which are served', async () => {
    for (const method of ['PUT', 'DELETE', 'POST', 'OPTIONS', 'QUERY', 'TRACE']) {
      const answer = await call({ method, path: '/tenants/a.test', token: whole });
      expectRefusal(answer, 405, 'invalid_request');
      expect(answer.headers.allow).toBe('GET, HEAD, PATCH');
    }
  });

  it('H10: no origin is let in, not even one of a client', async () => {
    for (const origin of ['https://pub1.test', 'https://evil.test']) {
      const headers = { origin, 'access-control-request-method': 'GET' };
      const preflight = await call({ ...read, method: 'OPTIONS', headers });
      const answer = await call({ ...read, headers: { origin }, token: whole });
      expect(answer.status).toBe(200);
      for (const { headers: sent } of [preflight, answer]) {
        expect(Object.keys(sent).filter((name) => name.startsWith('access-control-'))).toEqual([]);
      }
    }
  });

  it.each(['GET', 'QUERY', 'TRACE', 'PROPFIND'])(
    'an address without an operation is 404 for %s, in JSON',
    async (method) => {
      expectRefusal(await call({ method, path: '/nothing', token: whole }), 404, 'invalid_request');
    },
  );

  it('H16: JSON comes whatever is asked for', async () => {
    for (const accept of ['text/html', 'application/xml', '*/*']) {
      const answer = await call({ ...read, headers: { accept }, token: whole });
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    }
  });

  it('W7: no token stands in the log', async () => {
    const limited: readonly Permission[] = ['tenants:read'];
    const token = await adminToken(service, { permissions: limited });
    await call({ ...change, token });
    await call({ path: `/tenants/a.test?access_token=${token}`, token });
    await rawExchange(
      service.port,
      `GET /api/v1/admin/%zz?t=${token} HTTP/1.1\r\nhost: a.test\r\nconnection: close\r\n\r\n`,
    );
    const log = service.logLines.join('');
    expect(log).toContain('/api/v1/admin/tenants/:tenant');
    for (const secret of [token, whole, ofA]) expect(log).not.toContain(secret);
  });
});

describe('the query', () => {
  it.each([
    ['limit', ['limit must be a whole number']],
    ['until', [expect.stringMatching(/^until must be a date and a time/)]],
    ['event', [expect.stringMatching(/^event must be one of /)]],
    ['tenant', ['tenant was sent in two places']],
  ])('that gives %s nothing is 400: it is not taken for one that is left out', async (name, problems) => {
    const answer = await call({ path: `/tenants/a.test/audit?${name}=`, token: whole });
    expectRefusal(answer, 400, 'invalid_request');
    expect(problemsOf(answer)).toEqual(problems);
  });
});

describe('what JSON says', () => {
  it.each([
    { signupDisabled: null },
    { signupDisabled: 0 },
    { name: false },
    { redirectUris: null },
    { accessTokenSeconds: null },
    { accessTokenSeconds: true },
  ])('is not read as what it is not: %j', async (body) => {
    const path = '/tenants/a.test/clients/nosign';
    const before = (await call({ path, token: ofA })).text;
    const answer = await call({ method: 'PATCH', path, token: ofA, body });
    expectRefusal(answer, 400, 'invalid_request');
    expect((await call({ path, token: ofA })).text).toBe(before);
  });
});
