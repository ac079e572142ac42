import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pushedRequestsPerMinute } from '../../../src/core/oidc/limits.ts';
import { expectJsonError } from '../../support/expected/expectations.ts';
import { hosts, secrets } from '../../support/fixtures.ts';
import { allRows } from '../../support/records/rows.ts';
import { mayPush, pushAs, pushed, pushUrl } from '../../support/requests/push.ts';
import { apps, credentialsOf } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import { authorizationParameters, pkce } from '../../support/visitor.ts';

const service = useService({ data: 'security' });
const { conf1, conf2, pub1 } = apps;

beforeAll(async () => {
  for (const host of [hosts.a, hosts.b]) {
    for (const { clientId } of [conf1, conf2, pub1]) await mayPush(service, host, clientId, 'allowed');
  }
});
// A minute between the tests: what they fail on purpose must not add up to a limit of failures a minute.
beforeEach(() => {
  service.clock.advance(61_000);
});

const kept = async () => (await allRows(service)).pushedRequests ?? [];

describe('what is pushed', () => {
  it.each<[string, Record<string, string>, string]>([
    ['a redirect_uri that is not registered', { redirect_uri: 'https://evil.test/cb' }, 'invalid_request'],
    ['no redirect_uri where several are registered', { redirect_uri: '' }, 'invalid_request'],
    ['no code_challenge', { code_challenge: '' }, 'invalid_request'],
    ['a plain code_challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['another response_type', { response_type: 'token' }, 'unsupported_response_type'],
    ['a scope without openid', { scope: 'email' }, 'invalid_scope'],
    ['prompt=none and another', { prompt: 'none login' }, 'invalid_request'],
    ['a state that is too long', { state: 'x'.repeat(4_097) }, 'invalid_request'],
    [
      'more than an address can hold',
      { state: 'x'.repeat(4_000), nonce: 'x'.repeat(1_000), login_hint: 'x'.repeat(2_000) },
      'invalid_request',
    ],
    ['a request object', { request: 'x.y.z' }, 'request_not_supported'],
  ])('PR9, I48: is refused as the authorization endpoint would: %s', async (_what, more, error) => {
    const before = await kept();
    const answer = await pushAs(service, hosts.a, conf1, more);
    expectJsonError(answer, 400, error);
    for (const value of Object.values(more).filter((sent) => sent.length > 20)) {
      expect(answer.text).not.toContain(value);
    }
    expect(await kept()).toEqual(before);
  });

  it('PR12, I48: has no request_uri', async () => {
    const requestUri = await pushed(service, hosts.a, conf1);
    for (const inner of [requestUri, 'https://evil.test/request']) {
      expectJsonError(await pushAs(service, hosts.a, conf1, { request_uri: inner }), 400, 'invalid_request');
    }
  });

  it.each<[string, Record<string, string>, Record<string, string>, number, string]>([
    ['no secret', { client_secret: '' }, {}, 401, 'invalid_client'],
    ['a wrong secret', { client_secret: 'x' }, {}, 401, 'invalid_client'],
    ['another client’s secret', { client_secret: secrets.conf2 }, {}, 401, 'invalid_client'],
    ['an unknown client', { client_id: 'x' }, {}, 401, 'invalid_client'],
    ['no client', { client_id: '' }, {}, 400, 'invalid_request'],
    ['two ways at once', {}, { authorization: 'Basic Y29uZjE6eA==' }, 400, 'invalid_request'],
    ['a bearer token', { client_secret: '' }, { authorization: 'Bearer x' }, 401, 'invalid_client'],
  ])('PR10: is not kept with %s', async (_what, more, headers, status, error) => {
    const before = await kept();
    const body = {
      ...authorizationParameters('conf1', conf1.redirectUri, pkce()),
      ...credentialsOf(conf1),
      ...more,
    };
    expectJsonError(await service.http(hosts.a, pushUrl, { body, headers }), status, error);
    expect(await kept()).toEqual(before);
  });

  it('PR10: is not kept for a public client that sends a secret', async () => {
    const answer = await pushAs(service, hosts.a, pub1, { client_secret: 'x' });
    expectJsonError(answer, 401, 'invalid_client');
  });

  it('PR11: comes by POST alone, as a form, each parameter once', async () => {
    const fields = {
      ...authorizationParameters('conf1', conf1.redirectUri, pkce()),
      ...credentialsOf(conf1),
    };
    const query = new URLSearchParams(fields).toString();
    const get = await service.http(hosts.a, `${pushUrl}?${query}`);
    expect({ status: get.status, allow: get.headers.allow }).toEqual({ status: 405, allow: 'POST, OPTIONS' });
    const json = { body: JSON.stringify(fields), headers: { 'content-type': 'application/json' } };
    expectJsonError(await service.http(hosts.a, pushUrl, json), 400, 'invalid_request');
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const twice = { body: `${query}&state=a&state=b`, headers: form };
    expectJsonError(await service.http(hosts.a, pushUrl, twice), 400, 'invalid_request');
    expectJsonError(await service.http(hosts.a, `${pushUrl}?${query}`, { body: {} }), 400, 'invalid_request');
  });

  it('PR13: is bounded: of a client without a secret by address', async () => {
    const limited = pushedRequestsPerMinute.address;
    const send = () => pushAs(service, hosts.a, pub1);
    for (let count = 0; count < limited; count += 1) expect((await send()).status).toBe(201);
    const answer = await send();
    expectJsonError(answer, 429, 'temporarily_unavailable');
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect((await pushAs(service, hosts.a, conf1)).status).toBe(201);
  });
});
