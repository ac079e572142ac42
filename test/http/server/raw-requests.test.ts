import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { expectSecurityHeaders } from '../../support/expected/expectations.ts';
import { hosts } from '../../support/fixtures.ts';
import { auditEvents } from '../../support/operators/api.ts';
import { rawExchange } from '../../support/process/raw-socket.ts';
import { workOf } from '../../support/process/work.ts';
import { allRows } from '../../support/records/rows.ts';
import { serviceForTest, useService } from '../../support/use-service.ts';

const discovery = '/.well-known/openid-configuration';
const form = 'Content-Type: application/x-www-form-urlencoded';
/** A request that an attacker would smuggle past a proxy: it must not be read as a request. */
const smuggled = 'GET /livez HTTP/1.1\r\nHost: a.test\r\n\r\n';

const service = useService({ data: 'security' });

const send = (text: string | Buffer) => rawExchange(service.port, text);
const post = (...headers: string[]) =>
  `${['POST /api/oidc/token HTTP/1.1', 'Host: a.test', form, ...headers].join('\r\n')}\r\n\r\n`;
const answersIn = (text: string) => text.match(/HTTP\/1\.1 \d{3} /g) ?? [];

describe('a request that two readers could read as two', () => {
  it.each([
    ['CL.TE', 'Content-Length: 6', 'Transfer-Encoding: chunked'],
    ['TE.CL', 'Transfer-Encoding: chunked', 'Content-Length: 6'],
    ['TE.TE, the second unknown', 'Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
    ['TE.TE, the last not chunked', 'Transfer-Encoding: chunked, gzip'],
    ['a space before the colon', 'Transfer-Encoding : chunked'],
    ['another word', 'Transfer-Encoding: xchunked'],
    ['two lengths', 'Content-Length: 0', 'Content-Length: 6'],
    ['two lengths in one', 'Content-Length: 0, 6'],
    ['a length with a sign', 'Content-Length: +6'],
    ['a hexadecimal length', 'Content-Length: 0x6'],
  ])(
    'H4: %s is refused, the connection closes, and nothing smuggled is answered',
    async (_what, ...headers) => {
      const others = ['auditEvents'] as const;
      const before = await allRows(service, others);
      const answer = await send(`${post(...headers)}0\r\n\r\n${smuggled}`);
      expect(answersIn(answer)).toEqual(['HTTP/1.1 400 ']);
      expect(answer).not.toContain('live');
      expect(await allRows(service, others)).toEqual(before);
      // What could be read of it at all is written down as refused.
      const events = await auditEvents(service);
      expect(events.filter(({ result }) => result !== 'refused')).toEqual([]);
    },
  );

  it.each([
    ['of a size that is no number', 'zz\r\n\r\n'],
    ['of a size beyond all numbers', 'fffffffffffffffff\r\n\r\n'],
    ['longer than its size', '1\r\nab\r\n0\r\n\r\n'],
    ['ended by a bare LF', '1\na\n0\n\n'],
  ])('H4: a chunk %s is refused, and the connection closes', async (_what, body) => {
    const answer = await send(`${post('Transfer-Encoding: chunked')}${body}${smuggled}`);
    expect(answersIn(answer)).toEqual(['HTTP/1.1 400 ']);
    expect(answer).not.toContain('live');
  });
});

describe('a head that is not HTTP', () => {
  it.each([
    ['a folded header', `GET / HTTP/1.1\r\nHost: a.test\r\nX: 1\r\n 2\r\n\r\n`],
    ['a folded Host', `GET / HTTP/1.1\r\nHost: a.test\r\n evil.test\r\n\r\n`],
    ['lines that end with a bare LF', 'GET / HTTP/1.1\nHost: a.test\n\n'],
    ['a bare LF in a header', 'GET / HTTP/1.1\r\nHost: a.test\r\nX: 1\nY: 2\r\n\r\n'],
    ['a bare CR in a header', 'GET / HTTP/1.1\r\nHost: a.test\r\nX: 1\rY: 2\r\n\r\n'],
    ['NUL in a header', 'GET / HTTP/1.1\r\nHost: a.test\r\nX: a\0b\r\n\r\n'],
    ["NUL in a header's name", 'GET / HTTP/1.1\r\nHost: a.test\r\nX\0: a\r\n\r\n'],
    ['NUL in the address', 'GET /\0 HTTP/1.1\r\nHost: a.test\r\n\r\n'],
    ['a header without a name', 'GET / HTTP/1.1\r\nHost: a.test\r\n: a\r\n\r\n'],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
    ['another version', 'GET / HTTP/9.9\r\nHost: a.test\r\n\r\n'],
    ['no HTTP at all', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ])('H4: with %s is 400, and the connection closes', async (_what, text) => {
    const answer = await send(Buffer.from(text, 'latin1'));
    expect(answersIn(answer)).toEqual(['HTTP/1.1 400 ']);
    expect(answer).toMatch(/^connection: close\r$/im);
  });

  it('H17: is refused without a word of ours', async () => {
    const answer = await send('GET / HTTP/1.1\r\nHost: a.test\r\nX: 1\r\n 2\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toMatch(/^content-length: 0\r$/im);
    expect(answer).toMatch(/\r\n\r\n$/);
  });

  it.each([
    [400, 'a folded header', 'GET / HTTP/1.1\r\nHost: a.test\r\nX: 1\r\n 2\r\n\r\n'],
    [431, 'too long a head', `GET / HTTP/1.1\r\nHost: a.test\r\nX: ${'x'.repeat(33 * 1_024)}\r\n\r\n`],
    [400, 'no Host', 'GET / HTTP/1.1\r\n\r\n'],
    [400, 'no Host, for those who run the service', 'GET /livez HTTP/1.1\r\n\r\n'],
    [400, 'a method of RTSP', 'DESCRIBE / RTSP/1.0\r\nHost: a.test\r\n\r\n'],
    [400, 'a method of RTSP in HTTP', 'DESCRIBE / HTTP/1.1\r\nHost: a.test\r\n\r\n'],
    [405, 'CONNECT', 'CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n'],
    [417, 'an unknown Expect', 'GET / HTTP/1.1\r\nHost: a.test\r\nExpect: wonders\r\n\r\n'],
  ])('W2: is %i with the headers of every answer: %s', async (status, _what, text) => {
    const answer = await send(text);
    expect(answersIn(answer)).toEqual([`HTTP/1.1 ${status} `]);
    expectSecurityHeaders(answer);
    expect(answer).toMatch(/^connection: close\r$/im);
  });
});

describe('much of something', () => {
  it('H4: parameters and cookies, as many as fit, are read at once', async () => {
    const body = 'a=&'.repeat(5_000);
    const cookie = Array.from({ length: 3_000 }, (_, index) => `c${index}=1`).join('; ');
    const headers = { 'content-type': 'application/x-www-form-urlencoded', cookie };
    const worked = await workOf(async () => {
      expect((await service.http(hosts.a, '/api/oidc/token', { body, headers })).status).toBe(400);
      expect((await service.http(hosts.a, '/account', { headers: { cookie } })).status).toBe(303);
    });
    expect(worked).toBeLessThan(1_000);
  });

  it('H4: requests sent ahead on one connection are answered each, and in order', async () => {
    const paths = Array.from({ length: 300 }, (_, index) =>
      index % 3 === 0 ? discovery : `/nothing${index}`,
    );
    const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`).join('');
    const last = 'GET /livez HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n';
    const answer = await send(`${requests}${last}`);
    const expected = paths.map((path) => (path === discovery ? 'HTTP/1.1 200 ' : 'HTTP/1.1 404 '));
    expect(answersIn(answer)).toEqual([...expected, 'HTTP/1.1 200 ']);
    expect(answer).toMatch(/live\n$/);
  });
});

describe('who does not read', () => {
  it('H14: what is answered loses the connection, and others are served meanwhile', async () => {
    const slow = await serviceForTest({ data: 'security' });
    const socket = connect({ port: slow.port, host: '127.0.0.1' });
    socket.pause();
    socket.on('error', () => {});
    const [served] = (await once(slow.app.server, 'connection')) as [Socket];
    const closed = once(served, 'close');
    const request = `GET ${discovery} HTTP/1.1\r\nHost: a.test\r\n\r\n`;
    // Far more answers than the buffers of both sides hold.
    socket.write(request.repeat(8_000));
    // Each answer that is made gives the connection the time of an idle one anew; so until none is made any more.
    let made = -1;
    while (served.bytesWritten + served.writableLength !== made) {
      made = served.bytesWritten + served.writableLength;
      for (let asked = 0; asked < 20; asked += 1) {
        expect((await slow.http(hosts.a, discovery)).status).toBe(200);
      }
    }
    expect(served.destroyed).toBe(false);
    served.setTimeout(200);
    await closed;
    socket.destroy();
  });
});
