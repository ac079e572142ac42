import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytes } from '../support/fuzz/hostile.ts';
import { holds, patience } from '../support/fuzz/runs.ts';
import { rawSocket } from '../support/process/raw-socket.ts';
import { allRows } from '../support/records/rows.ts';
import { useService } from '../support/use-service.ts';
import { refresh, tokensFor } from '../support/visitor.ts';

const service = useService({ data: 'security' });

const form = 'grant_type=refresh_token&client_id=pub1&refresh_token=x';

/** Pieces of requests, right and wrong: something like a request is put together from them. */
const line = fc.constantFrom(
  ...[
    'POST /api/oidc/token HTTP/1.1',
    'POST /api/oidc/token HTTP/1.0',
    'POST /api/oidc/token',
    'GET / HTTP/9.9',
  ],
  ...[
    'POST http://b.test/api/oidc/token HTTP/1.1',
    'POST * HTTP/1.1',
    'CONNECT a.test:443 HTTP/1.1',
    'PRI * HTTP/2.0',
  ],
  ...[
    'post /api/oidc/token HTTP/1.1',
    'POST  /api/oidc/token  HTTP/1.1',
    'POST /api/oidc/token\0 HTTP/1.1',
    '',
  ],
);
const header = fc.constantFrom(
  ...[
    'Host: a.test',
    'Host: a.test',
    'Host: b.test',
    'host : a.test',
    ' Host: a.test',
    'Host:',
    'Host: a.test\0',
  ],
  ...[
    'Content-Type: application/x-www-form-urlencoded',
    'Content-Type: application/x-www-form-urlencoded',
    'Content-Type:',
  ],
  ...[
    `Content-Length: ${form.length}`,
    `Content-Length: ${form.length}`,
    'Content-Length: 0',
    'Content-Length: -1',
  ],
  ...[
    'Content-Length: 1e2',
    'Content-Length: 99999999999999999999',
    'Content-Length: 5, 5',
    'Content-Length: 0x10',
  ],
  ...[
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: chunked, chunked',
    'Transfer-Encoding: xchunked',
    'Transfer-Encoding:\tchunked',
  ],
  ...[
    'Connection: close',
    'Connection: upgrade',
    'Upgrade: h2c',
    'Expect: 100-continue',
    'Expect: 200-maybe',
    'X: \u0001',
  ],
  ...[
    'Authorization: Basic',
    'Authorization: Bearer x',
    `X: ${'x'.repeat(40_000)}`,
    'no colon at all',
    'Trailer: Host',
  ],
);
const rest = fc.oneof(
  fc.constantFrom(
    form,
    form,
    '',
    `${form.length.toString(16)}\r\n${form}\r\n0\r\n\r\n`,
    '0\r\n\r\n',
    'zz\r\n',
    '-1\r\n',
    'ffffffffffffffff\r\n',
  ),
  fc.constantFrom(
    '5;x="\r\n"\r\nabcde\r\n0\r\nHost: b.test\r\n\r\n',
    '5\nabcde\n0\n\n',
    `${form}GET / HTTP/1.1\r\nHost: a.test\r\n\r\n`,
  ),
  bytes(40).map((made) => made.toString('latin1')),
);

describe('what comes over a socket', () => {
  it(
    'H4: is answered below 500 or not at all, whatever the frame, and leaves the service as it was',
    () =>
      holds(
        fc.asyncProperty(
          fc.record({
            line,
            headers: fc.array(header, { maxLength: 6 }),
            rest,
            end: fc.constantFrom('\r\n', '\r\n', '\r\n', '\n', '\r'),
            cut: fc.nat(400),
          }),
          async ({ line: first, headers, rest: body, end, cut }) => {
            const text = [first, ...headers, '', body].join(end);
            const socket = await rawSocket(service.port);
            // In two pieces, wherever the cut falls.
            socket.write(Buffer.from(text.slice(0, cut), 'latin1'));
            socket.write(Buffer.from(text.slice(cut), 'latin1'));
            socket.end();
            const received = await socket.closed;
            for (const [, status] of received.matchAll(/^HTTP\/1\.1 (\d{3}) /gm))
              expect(Number(status), received).toBeLessThan(500);
            expect(received).not.toMatch(/node_modules|at .*\.ts:|SQLITE/);
          },
        ),
        120,
      ),
    patience,
  );

  it('H4: a token that was sent in a broken frame is not used up', async () => {
    const { refresh_token: token = '' } = await tokensFor(service, 'a.test');
    const before = await allRows(service);
    const sent = `grant_type=refresh_token&client_id=pub1&refresh_token=${token}`;
    const both = 'Content-Length: 3\r\nTransfer-Encoding: chunked';
    for (const frame of [
      `Content-Length: ${sent.length + 1}`,
      both,
      'Content-Length: 3\r\nContent-Length: 4',
    ]) {
      const socket = await rawSocket(service.port);
      const head =
        'POST /api/oidc/token HTTP/1.1\r\nHost: a.test\r\nContent-Type: application/x-www-form-urlencoded';
      socket.write(`${head}\r\n${frame}\r\n\r\n${sent}`);
      socket.end();
      expect(await socket.closed).not.toContain('access_token');
    }
    expect(await allRows(service)).toEqual(before);
    expect((await refresh(service, 'a.test', token)).status).toBe(200);
  });
});
