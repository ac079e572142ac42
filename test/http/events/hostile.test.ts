import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { webhook as limits } from '../../../src/core/events/limits.ts';
import { createMetrics, watch } from '../../../src/http/upkeep/prometheus.ts';
import { createOutbound } from '../../../src/system/outbound/outbound.ts';
import { refusal } from '../../support/operators/desk.ts';
import { startReceiver, startSpeaker } from '../../support/outbound/receiver.ts';
import { webhooksOf } from '../../support/outbound/webhooks.ts';
import { useFreshService } from '../../support/use-service.ts';

const metrics = createMetrics();
/** The addresses of names, as the owner of a name decides. */
const led: Readonly<Record<string, readonly string[]>> = {
  'metadata.example': ['169.254.169.254'],
  'mapped.example': ['::ffff:10.0.0.1'],
  'half.example': ['93.184.215.14', '10.0.0.1'],
  'zero.example': ['0.0.0.0'],
  'six.example': ['fd00::1'],
};
const timers = new Set<() => void>();
const lines: string[] = [];
let answered = () => {};
const outbound = createOutbound({
  clock: () => 0,
  schedule: (work) => {
    timers.add(work);
    return () => timers.delete(work);
  },
  log: () => ({
    info: (facts, text) => {
      lines.push(JSON.stringify([facts, text]));
      if ('status' in facts) answered();
    },
  }),
  resolve: async (host) =>
    (led[host] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
});
const service = useFreshService({ data: 'development', outbound, metrics });
const { operate, refused, webhookAt, happens, tenant } = webhooksOf(service);

it('EV18: no spelling of an address of ours is kept, and none is dialled that is', async () => {
  const { port, received } = await startReceiver({ address: '0.0.0.0' });
  for (const host of [
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '[::ffff:127.0.0.1]',
    '[0:0:0:0:0:0:0:1]',
    '127.0.0.1.',
    '127.0.0.1@crm.example.com',
  ]) {
    const url = `http://${host}:${port}/`;
    const refusing = refused('webhooks.create', { name: 'CRM', url });
    expect((await refusing.catch(() => null))?.kind, url).toBe('invalid');
  }
  for (const host of ['localhost.', 'crm.example.com.']) {
    const refusing = refused('webhooks.create', { name: 'CRM', url: `https://${host}/` });
    expect((await refusing.catch(() => null))?.kind, host).toBe('invalid');
  }
  const hosts = [
    '0.0.0.0',
    '10.0.0.1',
    '169.254.169.254',
    '[::]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '[fe80::1]',
  ];
  const kept = await Promise.all(
    hosts.map((host) => operate('webhooks.create', { name: 'CRM', url: `https://${host}:${port}/` })),
  );
  await happens('ada');
  await service.webhooksTold();
  for (const { webhookId } of kept) {
    const { webhookDeliveries } = await operate('webhookDeliveries.list', { webhookId });
    expect(webhookDeliveries).toMatchObject([{ state: 'waiting', lastResult: 'address' }]);
  }
  expect(received).toEqual([]);
});

it('EV19: a name that leads to a network of ours, or there too, is not dialled', async () => {
  const names = Object.keys(led);
  const kept = await Promise.all(
    names.map((host) => operate('webhooks.create', { name: host, url: `https://${host}/` })),
  );
  await happens('ada');
  await service.webhooksTold();
  for (const { webhookId, name } of kept) {
    const { webhookDeliveries } = await operate('webhookDeliveries.list', { webhookId });
    expect(webhookDeliveries, String(name)).toMatchObject([{ state: 'waiting', lastResult: 'address' }]);
  }
});

it('EV20: what is cut off, endless, packed, no HTTP or lies about its length took nothing', async () => {
  const ok = 'HTTP/1.1 200 OK\r\n';
  const speakers: Readonly<Record<string, readonly [(socket: Socket) => void, string]>> = {
    'says more than it sends': [(socket) => socket.end(`${ok}content-length: 100\r\n\r\nhalf`), 'connection'],
    'closes in its headers': [(socket) => socket.end(`${ok}x-a: `), 'connection'],
    'is no HTTP': [(socket) => socket.end('220 smtp ready\r\n'), 'connection'],
    'says two lengths': [
      (socket) => socket.end(`${ok}content-length: 0\r\ncontent-length: 9\r\n\r\n`),
      'connection',
    ],
    'goes on and on': [(socket) => socket.write(`${ok}\r\n${'x'.repeat(3 * 1_024 ** 2)}`), 'size'],
    'packs its answer': [
      (socket) => socket.end(`${ok}content-encoding: gzip\r\ncontent-length: 2\r\n\r\nxx`),
      'encoding',
    ],
    'sends more than it says': [(socket) => socket.end(`${ok}content-length: 2\r\n\r\nokzz`), 'connection'],
  };
  const hooks = await Promise.all(
    Object.entries(speakers).map(async ([name, [speak, result]]) => {
      const port = await startSpeaker((socket) => socket.once('data', () => speak(socket)));
      return { name, result, hook: await webhookAt(port) };
    }),
  );
  await happens('ada');
  await service.webhooksTold();
  for (const { name, result, hook } of hooks) {
    const [delivery] = await hook.deliveries();
    expect([name, delivery?.state, delivery?.lastResult]).toEqual([name, 'waiting', result]);
    expect(delivery?.answer).toBe(null);
  }
});

it('EV21: an endpoint that says a byte now and then has five seconds, and holds up no other', async () => {
  const isSlow = Promise.withResolvers<void>();
  const port = await startSpeaker((socket) =>
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nx-a: ');
      isSlow.resolve();
    }),
  );
  const slow = await webhookAt(port);
  const isTold = Promise.withResolvers<void>();
  answered = isTold.resolve;
  const quick = await webhookAt();
  await happens('ada');
  const told = service.webhooksTold();
  await Promise.all([isSlow.promise, isTold.promise]);
  for (const end of timers) end();
  await told;
  expect(await slow.deliveries()).toMatchObject([{ state: 'waiting', lastResult: 'time' }]);
  expect(await quick.deliveries()).toMatchObject([{ state: 'delivered' }]);
});

it('EV22: a line break or a hidden letter is in no name and no address', async () => {
  const url = 'https://crm.example.com/hook';
  const { webhookId } = await operate('webhooks.create', { name: 'CRM', url });
  for (const changes of [
    { name: 'CRM\r\nBcc: x@y.example' },
    { name: '\u202eMRC' },
    { name: '\u200b' },
    { url: `${url}\r\nhost: other` },
    { url: `${url}%0d%0a\n` },
    { url: 'https://crm.example.com\u0000.x/' },
  ]) {
    expect((await refused('webhooks.create', { name: 'CRM', url, ...changes })).kind).toBe('invalid');
    expect((await refused('webhooks.change', { webhookId, ...changes })).kind).toBe('invalid');
  }
});

it('EV23: a type that there is not is not taken, nor that of a test', async () => {
  const url = 'https://crm.example.com/hook';
  for (const types of [['member.moved'], ['webhook.test'], ['*'], ['__proto__']]) {
    const refusing = refused('webhooks.create', { name: 'CRM', url, types });
    expect((await refusing.catch(() => null))?.kind, String(types)).toBe('invalid');
  }
});

it('EV24: a delivery is of its webhook and its tenant alone', async () => {
  const hook = await webhookAt();
  await happens('ada');
  await service.webhooksTold();
  const [delivery] = await hook.deliveries();
  const deliveryId = delivery?.id;
  const own = await operate<{ webhookId: string }>('webhooks.create', {
    name: 'B',
    url: 'https://b.example.com/',
  });
  const other = service.tenants.all()[1]?.id;
  for (const name of ['webhookDeliveries.sendAgain', 'webhookDeliveries.read']) {
    const ofOther = { tenant: other, webhookId: hook.webhookId, deliveryId };
    expect((await refusal(service, name, ofOther)).kind).toBe('unknown');
    expect((await refused(name, { webhookId: own.webhookId, deliveryId })).kind).toBe('unknown');
  }
  await service.webhooksTold();
  expect(hook.received).toHaveLength(1);
});

it('EV25: neither the secret nor the path and query of an address is in the log, in metrics or in attempts', async () => {
  watch(metrics, { ...service.deps, passwordsInHand: () => 0, logLinesLost: () => 0 });
  const hook = await webhookAt((_request, reply) => reply.writeHead(500).end('no'));
  const { webhookId, secret } = hook;
  const url = `http://127.0.0.1:${hook.port}/path-of-ours?key=key-of-ours`;
  await operate('webhooks.change', { webhookId, url });
  await happens('ada');
  await service.webhooksTold();
  expect(hook.received[0]?.path).toContain('key-of-ours');
  const [delivery] = await hook.deliveries();
  const read = await operate('webhookDeliveries.read', { webhookId, deliveryId: delivery?.id });
  const said = [...service.logLines, ...lines, (await metrics.text()).body, JSON.stringify(read)].join('\n');
  expect(lines.length).toBeGreaterThan(0);
  for (const hidden of [secret, secret.slice('whsec_'.length), 'path-of-ours', 'key-of-ours']) {
    expect(said).not.toContain(hidden);
  }
  expect(said).toContain('webhook_attempts_total{tenant=');
  expect(said).not.toMatch(/memberdoor_webhook_[^\n]*(?:ada|CRM)/);
  expect(tenant().id).toBeTruthy();
});

it('EV26: many that are added at once are no more than a tenant may have', async () => {
  const facts = { name: 'CRM', url: 'https://crm.example.com/hook' };
  const asked = Array.from({ length: limits.endpoints + 10 }, () => operate('webhooks.create', facts));
  const done = (await Promise.allSettled(asked)).filter(({ status }) => status === 'fulfilled');
  expect(done).toHaveLength(limits.endpoints);
});
