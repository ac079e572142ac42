import { describe, expect, it } from 'vitest';
import { createOutbound } from '../../../src/system/outbound/outbound.ts';
import { testClock } from '../../support/clock.ts';
import {
  certificateFor,
  startReceiver,
  startSpeaker,
  testOutbound,
} from '../../support/outbound/receiver.ts';

const time = { clock: testClock().now, schedule: () => () => {} };
const once = { method: 'POST', development: false } as const;
const failed = (reason: string) => ({ kind: 'failed', reason });

describe('a call that may arrive twice', () => {
  const twice = { ...once, mayArriveTwice: true } as const;

  it('O3: takes the connection of an earlier one to the same addresses, and of no other', async () => {
    const sockets = new Set<unknown>();
    const { port, received } = await startReceiver({
      certificate: certificateFor('rp.example'),
      answer: (request, reply) => {
        sockets.add(request.socket);
        reply.end();
      },
    });
    const leadsTo = ['127.0.0.1', '127.0.0.1', '127.0.0.1', '10.0.0.1', '127.0.0.2'];
    const outbound = testOutbound({
      ...time,
      resolve: async () => [{ address: leadsTo.shift() ?? '127.0.0.1', family: 4 }],
      mayDial: (address) => address.startsWith('127.'),
    });
    const url = `https://rp.example:${port}/`;
    for (let n = 0; n < 2; n += 1)
      expect(await outbound.send({ ...twice, url })).toMatchObject({ status: 200 });
    expect(sockets.size).toBe(1);
    // What must not arrive twice has a connection of its own.
    expect(await outbound.send({ ...once, url })).toMatchObject({ status: 200 });
    expect([sockets.size, received[2]?.headers.connection]).toEqual([2, 'close']);
    expect(await outbound.send({ ...twice, url })).toEqual(failed('address'));
    // Nothing listens there: the connection to where the name led before is not taken.
    expect(await outbound.send({ ...twice, url })).toEqual(failed('connection'));
    expect([sockets.size, received.length]).toEqual([2, 3]);
  });

  it('is made anew where the other side has closed the connection that it took', async () => {
    let connections = 0;
    const port = await startSpeaker((socket) => {
      connections += 1;
      let asked = 0;
      socket.on('data', () => {
        asked += 1;
        if (asked > 1) socket.destroy();
        else socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      });
    });
    const outbound = createOutbound({ ...time, log: () => ({ info: () => {} }) });
    const url = `http://127.0.0.1:${port}/`;
    for (let n = 0; n < 3; n += 1)
      expect(await outbound.send({ ...twice, url, development: true })).toMatchObject({ status: 204 });
    expect(connections).toBe(3);
  });
});
