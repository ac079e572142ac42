import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { outbound as limits } from '../../../src/core/operators/limits.ts';
import { createOutbound, type Resolve } from '../../../src/system/outbound/outbound.ts';
import { testClock } from '../../support/clock.ts';
import { handSchedule } from '../../support/hand-schedule.ts';
import {
  certificateFor,
  startReceiver,
  startSpeaker,
  testOutbound,
} from '../../support/outbound/receiver.ts';

const never = () => () => {};
const quiet = () => ({ info: () => {} });
const time = { clock: testClock().now, schedule: never };
const get = { method: 'GET', development: false } as const;
const failed = (reason: string) => ({ kind: 'failed', reason });

/** A server with the certificate of rp.example, and what calls it as a production tenant. */
async function secured(answer?: Parameters<typeof startReceiver>[0]) {
  const receiver = await startReceiver({ certificate: certificateFor('rp.example'), ...answer });
  const outbound = testOutbound(time);
  return {
    ...receiver,
    call: (path = '/') => outbound.send({ ...get, url: `https://rp.example:${receiver.port}${path}` }),
  };
}

describe('how long an answer may be', () => {
  it('is 1 MB', async () => {
    const body = 'a'.repeat(limits.bodyBytes);
    const { call } = await secured({ answer: (_request, reply) => reply.end(body) });
    expect(await call()).toMatchObject({ kind: 'answer', body });
  });

  it.each(['said before', 'not said'])('O5: is not more, %s', async (how) => {
    const { call } = await secured({
      answer: (_request, reply) => {
        if (how === 'said before') reply.setHeader('content-length', limits.bodyBytes + 1);
        else reply.write('');
        reply.end('a'.repeat(limits.bodyBytes + 1));
      },
    });
    expect(await call()).toEqual(failed('size'));
  });

  it('O5: has an end, even where the other side sends without one', async () => {
    const { call } = await secured({
      answer: (_request, reply) => {
        const more = () => reply.writable && reply.write('a'.repeat(65_536), more);
        more();
      },
    });
    expect(await call()).toEqual(failed('size'));
  });

  it('O5: is 16 KiB for all headers', async () => {
    const { call } = await secured({
      answer: (_request, reply) => {
        for (let n = 0; n < 20; n += 1) reply.setHeader(`x-${n}`, 'a'.repeat(1_000));
        reply.end();
      },
    });
    expect(await call()).toEqual(failed('size'));
  });

  it('O7: is not known of a packed one, which is refused', async () => {
    const { call } = await secured({
      answer: (_request, reply) =>
        reply
          .writeHead(200, { 'content-encoding': 'gzip' })
          .end(gzipSync(Buffer.alloc(10 * limits.bodyBytes))),
    });
    expect(await call()).toEqual(failed('encoding'));
  });
});

describe('how long a call may take', () => {
  it.each<[string, (write: (text: string) => void) => void]>([
    ['says nothing', () => {}],
    ['sends a byte now and then', (write) => write('HTTP/1.1 200 OK\r\nx-a: ')],
    ['sends half a body', (write) => write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf')],
    ['goes on announcing', (write) => write('HTTP/1.1 102 Processing\r\n\r\n'.repeat(3))],
  ])('O5: is 5 s, where the other side %s', async (_how, speak) => {
    const closed = Promise.withResolvers<void>();
    const port = await startSpeaker((socket) => {
      socket.on('close', () => closed.resolve());
      socket.once('data', () => {
        speak((text) => socket.write(text));
        timeIsOver();
      });
    });
    const hand = handSchedule();
    const waits: (readonly number[])[] = [];
    const timeIsOver = () => void hand.comes().then((ms) => waits.push(ms));
    const outbound = createOutbound({ ...time, schedule: hand.schedule, log: quiet });
    expect(await outbound.send({ ...get, url: `http://127.0.0.1:${port}/`, development: true })).toEqual(
      failed('time'),
    );
    expect(waits).toEqual([[5_000]]);
    await closed.promise;
  });

  it('O5: is 5 s, where the name service does not answer, and nothing is dialled later', async () => {
    const { port, received } = await startReceiver();
    const answered = Promise.withResolvers<Awaited<ReturnType<Resolve>>>();
    const hand = handSchedule();
    const outbound = createOutbound({
      ...time,
      schedule: hand.schedule,
      log: quiet,
      resolve: () => answered.promise,
    });
    const url = `http://localhost:${port}/`;
    const sent = outbound.send({ ...get, url, development: true });
    await hand.comes();
    expect(await sent).toEqual(failed('time'));
    answered.resolve([{ address: '127.0.0.1', family: 4 }]);
    expect(await outbound.send({ ...get, url, development: true })).toMatchObject({ status: 200 });
    expect(received).toHaveLength(1);
  });
});

describe('how many calls are under way', () => {
  it('O8: is bounded for one host, also while the name service is asked, and others are called meanwhile', async () => {
    const held = Promise.withResolvers<never>();
    const outbound = createOutbound({
      ...time,
      log: quiet,
      resolve: (host) => (host === 'slow.example' ? held.promise : Promise.reject(new Error('ENOTFOUND'))),
    });
    const send = (host: string) => outbound.send({ ...get, url: `https://${host}/` });
    const slow = Array.from({ length: limits.callsOfHost }, () => send('slow.example'));
    expect(await send('slow.example')).toEqual(failed('busy'));
    expect(await send('other.example')).toEqual(failed('resolution'));
    held.reject(new Error('ENOTFOUND'));
    await Promise.all(slow);
    expect(await send('slow.example')).toEqual(failed('resolution'));
  });

  it('O8: is bounded in all', async () => {
    const held = Promise.withResolvers<never>();
    const outbound = createOutbound({ ...time, log: quiet, resolve: () => held.promise });
    const send = (host: string) => outbound.send({ ...get, url: `https://${host}.example/` });
    const slow = Array.from({ length: limits.calls }, (_, n) => send(`h${n}`));
    expect(await send('one-more')).toEqual(failed('busy'));
    held.reject(new Error('ENOTFOUND'));
    await Promise.all(slow);
    expect(await send('one-more')).toEqual(failed('resolution'));
  });
});
