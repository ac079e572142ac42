import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { day } from '../../../../src/core/limits.ts';
import { logoutNotice as limits } from '../../../../src/core/oidc/limits.ts';
import { hosts } from '../../../support/fixtures.ts';
import { run } from '../../../support/operators/desk.ts';
import { certificateFor, startReceiver, startSpeaker } from '../../../support/outbound/receiver.ts';
import { noticesOf, patientOutbound, tell } from '../../../support/outbound/told.ts';
import { apps, claimsOf, tokensOf } from '../../../support/tokens.ts';
import { useFreshService } from '../../../support/use-service.ts';
import { visitor } from '../../../support/visitor.ts';

const { outbound, timeComes } = patientOutbound();
const service = useFreshService({ data: 'security', outbound });
const a = hosts.a;

/** Signs a member in and out again. @returns what the sign-out answered */
async function signOut(app: (typeof apps)['conf1'] | (typeof apps)['pub1'] = apps.conf1) {
  const browser = visitor(service, a);
  await tokensOf(service, a, app, { browser });
  return browser.send(`/api/oidc/session/end?client_id=${app.clientId}`);
}

const first = async (clientId = 'conf1') => (await noticesOf(service, a, clientId))[0];

describe('a sign-out', () => {
  it('I47: does not wait for a client that does not answer, nor does another client', async () => {
    const port = await startSpeaker(() => {});
    await run(service, 'clients.change', {
      tenant: a,
      clientId: 'conf1',
      backchannelLogoutUri: `https://conf1.test:${port}/`,
    });
    const told = await tell(service, a, 'pub1');
    const answer = await signOut();
    expect([answer.status, answer.headers.location]).toEqual([303, 'https://app.test/out']);
    await signOut(apps.pub1);
    const telling = service.clientsTold();
    await expect.poll(async () => (await first('pub1'))?.state).toBe('delivered');
    expect(told.received).toHaveLength(1);
    await timeComes();
    await telling;
    expect(await first()).toMatchObject({ state: 'waiting', attempts: 1, lastResult: 'time' });
    expect(await first('pub1')).toMatchObject({ state: 'delivered', attempts: 1, lastResult: 'status 200' });
  });

  it.each<[string, number, string]>([
    ['fails', 500, 'status 500'],
    ['is not there', 404, 'status 404'],
    ['redirects', 302, 'redirect'],
  ])('I47: succeeds where the client %s, which is told again', async (_how, status, lastResult) => {
    let answers = status;
    const other = await startReceiver({ certificate: certificateFor('conf1.test') });
    const told = await tell(service, a, 'conf1', {
      answer: (_request, reply) =>
        reply.writeHead(answers, { location: `https://conf1.test:${other.port}/` }).end('secret words'),
    });
    expect((await signOut()).status).toBe(303);
    await service.clientsTold();
    expect(await first()).toMatchObject({ state: 'waiting', attempts: 1, lastResult });
    expect(other.received).toEqual([]);
    // Not before its time.
    await service.clientsTold();
    expect(told.received).toHaveLength(1);
    answers = 204;
    service.clock.advance(limits.firstWait);
    await service.clientsTold();
    expect(await first()).toMatchObject({
      state: 'delivered',
      attempts: 2,
      lastResult: 'status 204',
      nextAttemptAt: null,
    });
    const [once, again] = told.tokens().map((token) => claimsOf(token));
    expect(again?.jti).toBe(once?.jti);
    expect(Number(again?.iat)).toBeGreaterThan(Number(once?.iat));
    expect(service.logLines.join('')).not.toContain('secret words');
  });

  it('I47: succeeds where the certificate of the client is wrong, which is sent nothing', async () => {
    const told = await tell(service, a, 'conf1', { certificate: certificateFor('other.test') });
    expect((await signOut()).status).toBe(303);
    await service.clientsTold();
    expect(told.received).toEqual([]);
    expect(await first()).toMatchObject({ state: 'waiting', lastResult: 'tls' });
  });

  it('O9: leaves no logout token in the log', async () => {
    const told = await tell(service, a, 'conf1', { answer: (_request, reply) => reply.writeHead(500).end() });
    await signOut();
    await service.clientsTold();
    const [token = ''] = told.tokens();
    expect(token).toMatch(/^ey/);
    expect(service.logLines.join('')).toContain('a client did not take a logout notice, which waits');
    expect(service.logLines.join('')).not.toContain(token.split('.')[2]);
  });
});

describe('a client that is not told', () => {
  it('is given up after a day', async () => {
    const told = await tell(service, a, 'conf1', { answer: (_request, reply) => reply.writeHead(503).end() });
    await signOut();
    for (let waited = 0; waited < 2 * day; waited += limits.longestWait) {
      await service.clientsTold();
      service.clock.advance(limits.longestWait);
    }
    const notice = await first();
    expect(notice).toMatchObject({
      state: 'given_up',
      lastResult: 'status 503',
      attempts: told.received.length,
    });
    expect(told.received.length).toBeGreaterThan(20);
    expect(service.logLines.join('')).toContain('a logout notice was given up');
  });

  it('is given up sooner where the client says that the token is wrong', async () => {
    const told = await tell(service, a, 'conf1', { answer: (_request, reply) => reply.writeHead(400).end() });
    await signOut();
    for (let n = 0; n < 10; n += 1) {
      await service.clientsTold();
      service.clock.advance(limits.longestWait);
    }
    expect(told.received).toHaveLength(limits.refusals);
    expect(await first()).toMatchObject({ state: 'given_up', lastResult: 'status 400' });
  });

  it('lets its other notices wait as long: each would take as long to fail', async () => {
    const told = await tell(service, a, 'conf1', { answer: (_request, reply) => reply.writeHead(503).end() });
    for (let n = 0; n < 3; n += 1) await signOut();
    await service.clientsTold();
    expect(told.received).toHaveLength(1);
    expect((await noticesOf(service, a, 'conf1')).map(({ state }) => state)).toEqual([
      'waiting',
      'waiting',
      'waiting',
    ]);
  });
});

describe('a client that takes long for each', () => {
  it('lets others be told between its own', async () => {
    const order: string[] = [];
    const noting =
      (name: string, ms: number): RequestListener =>
      (_request, reply) => {
        order.push(name);
        service.clock.advance(ms);
        reply.end();
      };
    await tell(service, a, 'conf1', { answer: noting('slow', limits.turn) });
    await tell(service, a, 'pub1', { answer: noting('quick', 0) });
    for (let n = 0; n < limits.batch + 1; n += 1) await signOut();
    await signOut(apps.pub1);
    await service.clientsTold();
    // All that was due before its turn was over: the rest of its own waits a second.
    expect(order).toEqual(['slow', 'quick']);
    service.clock.advance(limits.busyWait);
    await service.clientsTold();
    expect(order).toEqual(['slow', 'quick', 'slow']);
  });
});

describe('a restart', () => {
  it('keeps what waits, and tells the client then', async () => {
    const told = await tell(service, a, 'conf1');
    await signOut();
    await service.restart();
    await service.clientsTold();
    expect(told.received).toHaveLength(1);
    await service.restart();
    await service.clientsTold();
    expect(told.received).toHaveLength(1);
  });
});

describe('a later end', () => {
  it('takes the place of one that waits, and is another message', async () => {
    let status = 500;
    const told = await tell(service, a, 'conf1', {
      answer: (_request, reply) => reply.writeHead(status).end(),
    });
    const browser = visitor(service, a);
    const more = { scope: 'openid offline_access' };
    const { id_token } = await tokensOf(service, a, apps.conf1, { browser, more });
    await browser.send('/api/oidc/session/end?client_id=conf1');
    await service.clientsTold();
    const memberId = String(claimsOf(id_token).sub);
    await run(service, 'members.signOutEverywhere', { tenant: a, memberId });
    status = 200;
    await service.clientsTold();
    const notices = await noticesOf(service, a, 'conf1');
    expect(notices).toMatchObject([{ state: 'delivered', attempts: 1 }]);
    const [before, after] = told.tokens().map((token) => claimsOf(token));
    expect(after?.sid).toBe(before?.sid);
    expect(after?.jti).not.toBe(before?.jti);
  });
});
