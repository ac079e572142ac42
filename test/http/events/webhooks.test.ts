import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { eventMemory, webhook } from '../../../src/core/events/limits.ts';
import { signWebhook, webhookSecret } from '../../../src/secrets/webhook.ts';
import { forgottenByTime } from '../../../src/storage/sweep/forgotten.ts';
import { sweepThrough } from '../../../src/storage/sweep/sweep.ts';
import { receiver } from '../../../tools/events-document.ts';
import { auditEvents } from '../../support/operators/api.ts';
import { refusal } from '../../support/operators/desk.ts';
import { listening, type Received } from '../../support/outbound/receiver.ts';
import { type Hook, membersIn, webhooksOf } from '../../support/outbound/webhooks.ts';
import { useFreshService } from '../../support/use-service.ts';

const service = useFreshService({ data: 'development' });
const { firstWait, giveUpAfter } = webhook;

const { operate, refused, webhookAt, webhookUnless, happens, later } = webhooksOf(service);

describe('a webhook', () => {
  it('is told of what happens since it was made, signed by Standard Webhooks, once', async () => {
    await happens('before');
    await service.eventsNumbered();
    const hook = await webhookAt();
    expect(hook.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    await happens('ada');
    await service.webhooksTold();
    await service.webhooksTold();
    expect(hook.received).toHaveLength(1);
    const [{ headers, body, path, method }] = hook.received as [Received];
    expect([method, path, headers['content-type']]).toEqual(['POST', '/hook', 'application/json']);
    const event = JSON.parse(body) as { id: string; type: string; number: number };
    expect(event).toMatchObject({ type: 'member.password_changed', number: 2, data: { memberId: 'ada' } });
    expect(headers['webhook-id']).toBe(event.id);
    const seconds = Math.floor(service.clock.now() / 1_000);
    expect(headers['webhook-timestamp']).toBe(`${seconds}`);
    const asItSigns = new Webhook(hook.secret).sign(event.id, new Date(seconds * 1_000), body);
    expect(headers['webhook-signature']).toBe(asItSigns);
    expect(await hook.deliveries()).toMatchObject([
      { state: 'delivered', attempts: 1, lastResult: 'status 200' },
    ]);
  });

  it('is taken by the receiver of the guide, and by it alone who has the secret', async () => {
    // The package of Standard Webhooks goes by the time of the machine.
    service.clock.advance(Date.now() - service.clock.now());
    const code = receiver.replace("'standardwebhooks'", `'${import.meta.resolve('standardwebhooks')}'`);
    const { receiverOf } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
    const hook = await webhookAt();
    const { webhookId } = hook;
    const taken: { readonly type: string }[] = [];
    const take = async (event: { readonly type: string }) => {
      taken.push(event);
    };
    const toldAt = async (secret: string) => {
      const port = await listening(receiverOf(secret, take) as Server);
      await operate('webhooks.change', { webhookId, url: `http://127.0.0.1:${port}/` });
      await happens('ada');
      await later(1_000);
      return (await hook.deliveries())[0];
    };
    expect(await toldAt(hook.secret)).toMatchObject({ lastResult: 'status 204' });
    expect(taken).toMatchObject([{ type: 'member.password_changed', data: { memberId: 'ada' } }]);
    // For a day the old secret signs too.
    await operate('webhooks.rotateSecret', { webhookId });
    expect(await toldAt(hook.secret)).toMatchObject({ lastResult: 'status 204' });
    expect(taken).toHaveLength(2);
    expect(await toldAt(webhookSecret(randomBytes(32).toString('base64url')))).toMatchObject({
      lastResult: 'status 400',
    });
    expect(taken).toHaveLength(2);
  });

  it('signs as the specification of Standard Webhooks does', () => {
    const message = {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      seconds: 1_614_265_330,
      body: '{"test": 2432232314}',
    };
    expect(signWebhook(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'], message)).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  it('is told of the types that it chose alone', async () => {
    const hook = await webhookAt(undefined, { types: ['member.deleted'] });
    await happens('ada');
    await service.webhooksTold();
    expect(hook.received).toEqual([]);
  });

  it('EV5: holds back the member whose event it refuses, in her order, and no other', async () => {
    const refusing = new Set(['ada']);
    const hook = await webhookUnless(refusing);
    await happens('ada', 'bo', 'ada', 'cy', 'bo');
    await service.webhooksTold();
    expect(membersIn(hook.received).sort()).toEqual(['ada', 'bo', 'bo', 'cy']);
    await later(firstWait / 2);
    expect(hook.received).toHaveLength(4);
    refusing.clear();
    await later(firstWait);
    expect(membersIn(hook.received.slice(4))).toEqual(['ada', 'ada']);
    const numbers = hook.received.slice(4).map(({ body }) => (JSON.parse(body) as { number: number }).number);
    expect(numbers).toEqual([1, 3]);
    const [first] = hook.received;
    const again = hook.received[4];
    if (membersIn([first as Received])[0] === 'ada')
      expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  });

  it('EV6: that fails for an hour loses nothing, and gets it in order when it is back', async () => {
    const down = new Set(['"data"']);
    const hook = await webhookUnless(down, 503);
    await happens('ada', 'bo', 'ada');
    await service.webhooksTold();
    for (let minutes = 0; minutes < 60; minutes += 10) await later(10 * 60_000);
    const tried = hook.received.length;
    expect(tried).toBeLessThan(20);
    down.clear();
    await later(60 * 60_000);
    expect(membersIn(hook.received.slice(tried)).filter((one) => one === 'ada')).toEqual(['ada', 'ada']);
    expect(new Set((await hook.deliveries()).map(({ state }) => state))).toEqual(new Set(['delivered']));
  });

  it('EV7: that takes nothing for three days is off, with a line of the audit, and goes on where it was', async () => {
    const down = new Set(['"data"']);
    const hook = await webhookUnless(down);
    await happens('ada', 'ada');
    await service.webhooksTold();
    for (let spent = 0; spent < giveUpAfter; spent += 4 * 3_600_000) await later(4 * 3_600_000);
    expect(await hook.now()).toMatchObject({ disabledReason: 'nothing was taken for three days' });
    expect((await auditEvents(service)).at(-1)).toMatchObject({
      event: 'admin_acted',
      operation: 'webhooks.disable',
      actorKind: 'service',
      target: hook.webhookId,
    });
    const tried = hook.received.length;
    await happens('cy');
    await later(4 * 3_600_000);
    expect(hook.received).toHaveLength(tried);
    down.clear();
    await operate('webhooks.enable', { webhookId: hook.webhookId });
    await service.webhooksTold();
    expect(membersIn(hook.received.slice(tried)).sort()).toEqual(['ada', 'ada', 'cy']);
  });

  it('EV8: that answers 410 is off at once', async () => {
    const hook = await webhookAt((_request, reply) => reply.writeHead(410).end('gone'));
    await happens('ada', 'bo');
    await service.webhooksTold();
    expect(await hook.now()).toMatchObject({
      disabledAt: expect.any(String),
      disabledReason: expect.stringContaining('410'),
    });
    await later(giveUpAfter);
    expect(hook.received.length).toBeLessThanOrEqual(2);
  });

  it('signs with its old secret too for a day after it got another', async () => {
    const hook = await webhookAt();
    const { secret } = await operate<Hook>('webhooks.rotateSecret', { webhookId: hook.webhookId });
    const told = async () => {
      await happens('ada');
      await service.webhooksTold();
      return String(hook.received.at(-1)?.headers['webhook-signature']).split(' ');
    };
    expect(secret).not.toBe(hook.secret);
    expect(await told()).toHaveLength(2);
    service.clock.advance(webhook.overlap);
    await told();
    const { headers, body } = hook.received.at(-1) as Received;
    const message = {
      id: String(headers['webhook-id']),
      seconds: Number(headers['webhook-timestamp']),
      body,
    };
    expect(headers['webhook-signature']).toBe(signWebhook([secret], message));
  });

  it('EV9: keeps the beginning of a huge answer, and no answer that leads elsewhere', async () => {
    const large = await webhookAt((_request, reply) =>
      reply.writeHead(200).end(`<b>\0${'x'.repeat(100_000)}`),
    );
    const leading = await webhookAt((_request, reply) =>
      reply.writeHead(302, { location: large.webhookId }).end(),
    );
    await happens('ada');
    await service.webhooksTold();
    const [kept] = await large.deliveries();
    expect([kept?.state, kept?.answer?.slice(0, 5), kept?.answer?.length]).toEqual([
      'delivered',
      '<b>xx',
      1_024,
    ]);
    expect(await leading.deliveries()).toMatchObject([
      { state: 'waiting', lastResult: 'redirect', answer: null },
    ]);
  });

  it('EV10: goes to no address that is not called', async () => {
    for (const url of [
      'http://crm.example.com/hook',
      'https://user:secret@crm.example.com/',
      'https://2130706433/',
      'ftp://crm.example.com/',
      'https://crm.example.com/#x',
    ]) {
      expect((await refused('webhooks.create', { name: 'CRM', url })).kind, url).toBe('invalid');
    }
  });

  it('EV11: shows its secret once: in no answer, line, row or message after that', async () => {
    const hook = await webhookAt();
    await happens('ada');
    await service.webhooksTold();
    const { webhookId, secret } = hook;
    const answers = [
      await operate('webhooks.list'),
      await operate('webhooks.read', { webhookId }),
      await operate('webhooks.change', { webhookId, name: 'Other' }),
      await hook.deliveries(),
    ];
    const rows = await service.store.transaction(async (tx) => [
      await tx.selectFrom('webhookEndpoints').selectAll().execute(),
      await tx.selectFrom('auditEvents').selectAll().execute(),
    ]);
    const said = [JSON.stringify([answers, rows, hook.received]), ...service.logLines].join();
    expect(said).not.toContain(secret);
    expect(said).not.toContain(Buffer.from(secret).toString('base64'));
  });

  it('EV12: is of its tenant alone', async () => {
    const hook = await webhookAt();
    const other = service.tenants.all()[1]?.id;
    for (const name of [
      'webhooks.read',
      'webhooks.delete',
      'webhooks.rotateSecret',
      'webhooks.test',
      'webhookDeliveries.list',
    ]) {
      const input = { tenant: other, webhookId: hook.webhookId };
      expect((await refusal(service, name, input)).kind, name).toBe('unknown');
    }
  });

  it('EV13: is sent ten tests and repetitions a minute at most, each once', async () => {
    const hook = await webhookAt((_request, reply) => reply.writeHead(500).end());
    const { webhookId } = hook;
    const asked = await Promise.allSettled(
      Array.from({ length: 200 }, () => operate('webhooks.test', { webhookId })),
    );
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(webhook.extrasPerMinute);
    await service.webhooksTold();
    await later(giveUpAfter);
    expect(hook.received).toHaveLength(webhook.extrasPerMinute);
    expect(JSON.parse(hook.received[0]?.body ?? '')).toMatchObject({
      type: 'webhook.test',
      data: { webhookId },
    });
    expect(await hook.now()).toMatchObject({ disabledAt: null });
  });

  it('EV14: is sent something again under its own id, by its own tenant', async () => {
    const hook = await webhookAt();
    await happens('ada');
    await service.webhooksTold();
    const [first] = await hook.deliveries();
    const which = { webhookId: hook.webhookId, deliveryId: first?.id };
    const made = await operate('webhookDeliveries.sendAgain', which);
    const [newest] = await hook.deliveries();
    expect(made).toEqual({ webhookId: hook.webhookId, deliveryId: newest?.id });
    expect(newest?.id).not.toBe(first?.id);
    await service.webhooksTold();
    const [one, again] = hook.received;
    expect(again?.headers['webhook-id']).toBe(one?.headers['webhook-id']);
    expect(again?.body).toBe(one?.body);
    const unknownOne = { webhookId: hook.webhookId, deliveryId: 999 };
    expect((await refused('webhookDeliveries.sendAgain', unknownOne)).kind).toBe('unknown');
  });

  it('forgets what it was told after 30 days, and goes with all of it', async () => {
    const hook = await webhookAt();
    await happens('ada');
    await service.webhooksTold();
    // Of several processes one has taken it for a minute.
    service.clock.advance(eventMemory + 60_001);
    for (const sweep of forgottenByTime([], service.clock.now())) await sweepThrough(service.store, sweep);
    expect(await hook.deliveries()).toEqual([]);
    await happens('bo');
    await service.eventsNumbered();
    await operate('webhooks.delete', { webhookId: hook.webhookId });
    await service.webhooksTold();
    expect(hook.received).toHaveLength(1);
  });
});
