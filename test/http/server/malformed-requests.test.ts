import { beforeEach, describe, expect, it } from 'vitest';
import { deviceGrant, devicePath, tenantOf } from '../../support/device.ts';
import { hosts, secrets } from '../../support/fixtures.ts';
import type { Ask } from '../../support/http.ts';
import { auditEvents } from '../../support/operators/api.ts';
import { run } from '../../support/operators/desk.ts';
import { useService } from '../../support/use-service.ts';

const { a } = hosts;
const url = '/api/oidc/token';
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const basic = `Basic ${Buffer.from(`conf1:${secrets.conf1}`).toString('base64')}`;

const service = useService({ data: 'security', trustedProxies: ['127.0.0.1'] });
beforeEach(() => service.clock.advance(60_000));

/** Sends something, and returns the answer with what was written down. */
async function sent(ask: Ask, path = url) {
  const before = (await auditEvents(service)).length;
  const answer = await service.http(a, path, { method: 'POST', ...ask });
  return { answer, events: (await auditEvents(service)).slice(before) };
}

const refused = (clientId: string, reason: string | RegExp) => ({
  event: 'token_request_refused',
  tenantId: tenantOf(service, a).id,
  actorKind: 'nobody',
  actorId: null,
  target: clientId,
  clientId,
  address: '127.0.0.1',
  result: 'refused',
  reason: expect.stringMatching(reason),
});

describe('W11: a malformed token request of a known client is in the audit, with what is wrong', () => {
  it.each<[string, Ask, string, RegExp]>([
    [
      'a parameter that came twice',
      { headers: form, body: 'client_id=pub1&grant_type=refresh_token&scope=a&scope=b' },
      'pub1',
      /^scope was sent more than once$/,
    ],
    ['no grant_type', { body: { client_id: 'pub1' } }, 'pub1', /^grant_type is missing$/],
    [
      'a grant_type that is not served',
      { body: { client_id: 'pub1', grant_type: 'password' } },
      'pub1',
      /^this grant_type is not supported$/,
    ],
    [
      'no code',
      { body: { client_id: 'pub1', grant_type: 'authorization_code' } },
      'pub1',
      /^code is missing$/,
    ],
    [
      'no refresh_token',
      { body: { client_id: 'pub1', grant_type: 'refresh_token' } },
      'pub1',
      /^refresh_token is missing$/,
    ],
    ['no device_code', { body: { client_id: 'pub1', grant_type: deviceGrant } }, 'pub1', /^device_code is/],
    [
      'JSON',
      { headers: { 'content-type': 'application/json' }, body: '{"client_id":"pub1","grant_type":"x"}' },
      'pub1',
      /^the body must be application\/x-www-form-urlencoded$/,
    ],
    [
      'a form that says to be a text',
      { headers: { 'content-type': 'text/plain' }, body: 'client_id=pub1&grant_type=refresh_token' },
      'pub1',
      /^the body must be/,
    ],
    [
      'no form, by a client that names itself in the header',
      { headers: { 'content-type': 'application/json', authorization: basic }, body: '[]' },
      'conf1',
      /^the body must be/,
    ],
    [
      'two ways to authenticate',
      {
        headers: { authorization: basic },
        body: { grant_type: 'refresh_token', refresh_token: 'x', client_secret: 'y' },
      },
      'conf1',
      /^the client authenticates twice/,
    ],
    [
      'bytes that are no form',
      { headers: { ...form, authorization: basic }, body: 'grant_type=%zz' },
      'conf1',
      /^the form is malformed$/,
    ],
    [
      'a body that is too large',
      { headers: { ...form, authorization: basic }, body: `x=${'y'.repeat(17_000)}` },
      'conf1',
      /^the body is too large$/,
    ],
  ])('%s', async (_what, ask, clientId, reason) => {
    const { answer, events } = await sent(ask);
    expect([400, 413]).toContain(answer.status);
    expect(answer.json().error).toMatch(/^(?:invalid_request|unsupported_grant_type)$/);
    expect(events).toEqual([expect.objectContaining(refused(clientId, reason))]);
    expect(JSON.stringify(events)).not.toContain(secrets.conf1);
  });

  it('and stands among the last refused requests of its client', async () => {
    await sent({ body: { client_id: 'pub2', grant_type: 'authorization_code' } });
    const { refusals } = await run<{ refusals: object[] }>(service, 'clients.read', {
      tenant: a,
      clientId: 'pub2',
    });
    expect(refusals[0]).toMatchObject({ event: 'token_request_refused', reason: 'code is missing' });
  });

  it('so is a malformed device authorization', async () => {
    const body = 'client_id=pub1&scope=openid&device_name=a&device_name=b';
    const { answer, events } = await sent({ headers: form, body }, devicePath);
    expect(answer.status).toBe(400);
    const facts = refused('pub1', /^device_name was sent more than once$/);
    expect(events).toEqual([expect.objectContaining({ ...facts, event: 'device_code_refused' })]);
  });
});

describe('what names no client of the tenant is found by its reference alone', () => {
  it.each<[string, Ask]>([
    ['an unknown client', { body: { client_id: 'nobody' } }],
    ['no client', { body: { grant_type: 'x' } }],
    ['two clients', { headers: form, body: 'client_id=pub1&client_id=pub2' }],
    ['JSON without one', { headers: { 'content-type': 'application/json' }, body: 'null' }],
    [
      'JSON with another type',
      { headers: { 'content-type': 'application/json' }, body: '{"client_id":["pub1"]}' },
    ],
    ['nothing', { headers: {}, body: '' }],
  ])('%s', async (_what, ask) => {
    const { answer, events } = await sent(ask);
    expect(answer.status).toBe(400);
    const reference = answer.headers['request-id'];
    expect(events).toMatchObject([{ clientId: null, target: null, actorId: null, reference }]);
    expect(JSON.stringify(events)).not.toContain('nobodys');
  });

  it.each(['/api/oidc/token/revocation', '/api/oidc/introspect'])(
    'so is what comes malformed to %s',
    async (path) => {
      const { answer, events } = await sent({ body: { client_id: 'pub1' } }, path);
      expect(answer.status).toBe(400);
      expect(events).toMatchObject([
        { event: 'token_request_refused', clientId: 'pub1', reason: 'token is missing' },
      ]);
    },
  );
});

describe('a flood of malformed requests', () => {
  it('in the name of one client leaves sixty rows a minute', async () => {
    const before = (await auditEvents(service)).length;
    for (let count = 0; count < 70; count += 1) await sent({ body: { client_id: 'pub1' } });
    const events = (await auditEvents(service)).slice(before);
    expect(events.filter(({ event }) => event === 'token_request_refused')).toHaveLength(60);
    expect(events).toHaveLength(60);
  });

  it('RF14: in the name of none leaves sixty rows a minute, from however many addresses, and those of clients beside them', async () => {
    const before = (await auditEvents(service)).length;
    const from = (index: number) => ({ 'x-forwarded-for': `2001:db8:7:${index.toString(16)}::1` });
    for (let count = 0; count < 70; count += 1) await sent({ body: { x: 'y' }, headers: from(count) });
    await sent({ body: { client_id: 'pub1' }, headers: from(70) });
    const events = (await auditEvents(service)).slice(before);
    expect(events.filter(({ clientId }) => clientId === null)).toHaveLength(60);
    expect(events.filter(({ clientId }) => clientId === 'pub1')).toHaveLength(1);
  });

  it('in the names of many from one address leaves sixty rows a minute, and one that says so', async () => {
    const before = (await auditEvents(service)).length;
    for (let count = 0; count < 80; count += 1) {
      await sent({ body: { client_id: count % 2 === 0 ? 'pub1' : 'pub2' } });
    }
    const events = (await auditEvents(service)).slice(before);
    expect(events.filter(({ event }) => event === 'token_request_refused')).toHaveLength(60);
    expect(events.at(-1)).toMatchObject({
      event: 'limit_reached',
      reason: expect.stringMatching(/^token_request_refused/),
    });
    expect(events).toHaveLength(61);
  });
});
