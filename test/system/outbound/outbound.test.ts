import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createOutbound, type Resolve } from '../../../src/system/outbound/outbound.ts';
import { testClock } from '../../support/clock.ts';
import {
  certificateFor,
  startReceiver,
  startSpeaker,
  testOutbound,
} from '../../support/outbound/receiver.ts';
import { makeAuthority } from '../../support/proxy/certificate.ts';

const never = () => () => {};
const quiet = () => ({ info: () => {} });
const time = { clock: testClock().now, schedule: never };
const get = { method: 'GET', development: false } as const;
const failed = (reason: string) => ({ kind: 'failed', reason });
const found =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

/** A server with the certificate of rp.example, and what calls it as a production tenant. */
async function secured(answer?: Parameters<typeof startReceiver>[0]) {
  const receiver = await startReceiver({ certificate: certificateFor('rp.example'), ...answer });
  const outbound = testOutbound(time);
  return {
    ...receiver,
    call: (path = '/') => outbound.send({ ...get, url: `https://rp.example:${receiver.port}${path}` }),
  };
}

describe('a call', () => {
  it('brings status, headers and body, and says what it wants', async () => {
    const { port, received } = await startReceiver({
      certificate: certificateFor('rp.example'),
      answer: (_request, reply) => reply.writeHead(418, { 'x-kind': 'pot' }).end('tea ☕'),
    });
    const answer = await testOutbound(time).send({
      url: `https://rp.example:${port}/logout?kind=a`,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'logout_token=x',
      accept: 'application/json',
      development: false,
    });
    expect(answer).toMatchObject({
      kind: 'answer',
      status: 418,
      headers: { 'x-kind': 'pot' },
      body: 'tea ☕',
    });
    expect(received).toEqual([
      {
        method: 'POST',
        path: '/logout?kind=a',
        headers: {
          accept: 'application/json',
          'accept-encoding': 'identity',
          connection: 'close',
          'content-length': '14',
          'content-type': 'application/x-www-form-urlencoded',
          host: `rp.example:${port}`,
          'user-agent': 'memberdoor',
        },
        body: 'logout_token=x',
      },
    ]);
  });

  it('that says that nothing changed is an answer', async () => {
    const { call } = await secured({ answer: (_request, reply) => reply.writeHead(304).end() });
    expect(await call()).toMatchObject({ kind: 'answer', status: 304 });
  });

  it('goes to the machine of a developer by http, for a development tenant alone', async () => {
    const { port, received } = await startReceiver();
    const outbound = createOutbound({ ...time, log: quiet });
    for (const host of ['127.0.0.1', 'localhost']) {
      const url = `http://${host}:${port}/`;
      expect(await outbound.send({ ...get, url, development: true })).toMatchObject({ status: 200 });
      expect(await outbound.send({ ...get, url })).toEqual(failed('address'));
    }
    expect(received).toHaveLength(2);
  });

  it('to a port at which nothing listens fails', async () => {
    const port = await startSpeaker((socket) => socket.resetAndDestroy());
    const outbound = createOutbound({ ...time, log: quiet });
    expect(await outbound.send({ ...get, url: `http://127.0.0.1:${port}/`, development: true })).toEqual(
      failed('connection'),
    );
  });

  it('to a name that is not known fails', async () => {
    const outbound = createOutbound({
      ...time,
      log: quiet,
      resolve: () => Promise.reject(new Error('ENOTFOUND')),
    });
    expect(await outbound.send({ ...get, url: 'https://rp.example/' })).toEqual(failed('resolution'));
  });
});

describe('where a call goes', () => {
  it.each([
    ['127.0.0.1'],
    ['0.0.0.0'],
    ['10.0.0.1'],
    ['169.254.169.254'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['fd00:ec2::254'],
    ['93.184.215.14', '127.0.0.1'],
    ['2606:4700::1111', '93.184.215.14', '10.0.0.1'],
  ])('O1: is nowhere where a name leads to %s %s %s', async (...addresses) => {
    const outbound = createOutbound({ ...time, log: quiet, resolve: found(...addresses) });
    expect(await outbound.send({ ...get, url: 'https://rp.example/' })).toEqual(failed('address'));
  });

  it('O1: is nowhere where the address itself is ours', async () => {
    const { port, received } = await startReceiver({ address: '0.0.0.0' });
    const outbound = createOutbound({ ...time, log: quiet });
    const hosts = [
      '0.0.0.0',
      '127.0.0.1',
      '[::1]',
      '[::ffff:7f00:1]',
      'localhost',
      '2130706433',
      '0x7f000001',
      '017700000001',
      '127.1',
    ];
    for (const host of hosts) {
      expect(await outbound.send({ ...get, url: `https://${host}:${port}/` })).toEqual(failed('address'));
    }
    expect(received).toEqual([]);
  });

  it('O3: is where its name led when that was looked at, and the name is asked once', async () => {
    const answers = ['127.0.0.1', '127.0.0.2'];
    const resolve = vi.fn<Resolve>(async () => [{ address: answers.shift() ?? '127.0.0.3', family: 4 }]);
    const right = await startReceiver();
    // At each other address the same port would answer too.
    const outbound = createOutbound({
      ...time,
      log: quiet,
      resolve,
      mayDial: (address) => address === '127.0.0.1',
      ca: [],
    });
    const url = `http://localhost:${right.port}/`;
    expect(await outbound.send({ ...get, url, development: true })).toMatchObject({ status: 200 });
    expect(resolve).toHaveBeenCalledTimes(1);
    expect(await outbound.send({ ...get, url, development: true })).toEqual(failed('address'));
    expect(right.received).toHaveLength(1);
  });

  it.each([301, 302, 303, 307, 308])('O4: is nowhere else after a %i', async (status) => {
    const other = await startReceiver({ certificate: certificateFor('rp.example') });
    const location = `https://rp.example:${other.port}/`;
    const { call, received } = await secured({
      answer: (_request, reply) => reply.writeHead(status, { location }).end(),
    });
    expect(await call()).toEqual(failed('redirect'));
    expect([received.length, other.received.length]).toEqual([1, 0]);
  });
});

describe('a certificate', () => {
  const stranger = makeAuthority(Date.now(), 'Stranger');
  const day = 24 * 60 * 60 * 1_000;

  it.each([
    ['of another name', () => certificateFor('other.example')],
    [
      'of an authority that is not trusted',
      () => stranger.issue(['rp.example'], Date.now() - day, Date.now() + day),
    ],
  ])('O6: %s is not taken, whatever the environment says', async (_what, certificate) => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { call, received } = await secured({ certificate: certificate() });
    expect(await call()).toEqual(failed('tls'));
    expect(received).toEqual([]);
  });

  it('O6: is needed: what speaks without one is not heard', async () => {
    const { port } = await startReceiver();
    const answer = await testOutbound(time).send({ ...get, url: `https://rp.example:${port}/` });
    expect(answer).toEqual(failed('tls'));
  });
});

describe('the log', () => {
  it('O9: has host, status, time and outcome of a call, and neither path nor query nor body', async () => {
    const lines: object[] = [];
    const { port } = await startReceiver();
    const outbound = createOutbound({ ...time, log: () => ({ info: (facts) => void lines.push(facts) }) });
    const secret = { headers: { authorization: 'Bearer secret' }, body: 'secret', method: 'POST' } as const;
    await outbound.send({
      ...secret,
      url: `http://127.0.0.1:${port}/secret?secret=secret`,
      development: true,
    });
    await outbound.send({ ...secret, url: 'https://secret:secret@127.0.0.1/secret', development: true });
    await outbound.send({ ...secret, url: 'secret', development: true });
    expect(lines).toEqual([
      { host: '127.0.0.1', status: 200, result: 'answer', ms: expect.any(Number) },
      { host: '127.0.0.1', result: 'address', ms: expect.any(Number) },
      { host: null, result: 'address', ms: expect.any(Number) },
    ]);
  });
});
