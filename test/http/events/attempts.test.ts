import { expect, it } from 'vitest';
import { eventMemory, webhook } from '../../../src/core/events/limits.ts';
import { createMetrics, watch } from '../../../src/http/upkeep/prometheus.ts';
import { forgottenByTime } from '../../../src/storage/sweep/forgotten.ts';
import { sweepThrough } from '../../../src/storage/sweep/sweep.ts';
import { portalOf } from '../../support/operators/portal.ts';
import { membersIn, webhooksOf } from '../../support/outbound/webhooks.ts';
import { useFreshService } from '../../support/use-service.ts';

const metrics = createMetrics();
const service = useFreshService({ data: 'development', metrics });
const { operate, webhookAt, happens, later, tenant } = webhooksOf(service);
const password = 'memberdoor-development';

interface Details {
  readonly state: string;
  readonly payload: string;
  readonly history: readonly { at: string; result: string; took: number; answer: string | null }[];
}
interface Overview {
  readonly attention: readonly Readonly<Record<string, unknown>>[];
}

it('each attempt is kept with what came of it, shown, counted, and bounded; what fails is named', async () => {
  watch(metrics, { ...service.deps, passwordsInHand: () => 0, logLinesLost: () => 0 });
  const scrape = async () => (await metrics.text()).body;
  let answers = 0;
  let status = 500;
  const hook = await webhookAt(
    (_request, reply) => {
      answers += 1;
      service.clock.advance(87);
      reply.writeHead(status).end(`<b>answer ${answers}`);
    },
    { name: '<i>CRM</i>' },
  );
  const { webhookId } = hook;
  const read = async () => {
    const [newest] = await hook.deliveries();
    return operate<Details>('webhookDeliveries.read', { webhookId, deliveryId: newest?.id });
  };
  const attention = async () =>
    (await operate<Overview>('overview.read')).attention.filter(({ code }) =>
      `${code}`.startsWith('webhook_'),
    );
  await service.eventsNumbered();
  await service.webhooksTold();
  expect(await attention()).toEqual([]);
  const since = service.clock.now();
  await happens('ada');
  await service.webhooksTold();
  await later(webhook.firstWait);
  expect(await read()).toMatchObject({
    state: 'waiting',
    history: [
      { result: 'status 500', took: expect.any(Number), answer: '<b>answer 2' },
      { result: 'status 500', took: expect.any(Number), answer: '<b>answer 1' },
    ],
  });
  expect((await read()).history.every(({ took }) => took >= 87 && took < 1_000)).toBe(true);
  const [failing] = await attention();
  expect(failing).toMatchObject({ code: 'webhook_failing', level: 'care', names: ['<i>CRM</i>'], webhookId });
  expect(Date.parse(String(failing?.at)) - since).toBeLessThan(webhook.firstWait);
  const { host } = tenant();
  const counted = `memberdoor_webhook_attempts_total{tenant="${host}",outcome=`;
  expect(await scrape()).toContain(`${counted}"refused"} 2`);
  expect(await scrape()).toContain('memberdoor_webhook_deliveries{state="waiting"} 1');
  expect(await scrape()).toMatch(/memberdoor_webhook_oldest_waiting_seconds 5\.\d+\n/);

  const portal = await portalOf(service, host, 'tina@example.com', password);
  const overview = (await portal.send(`/admin/tenants/${host}`)).text;
  expect(overview).toContain('does not accept events');
  expect(overview).not.toContain('<i>CRM');
  const [delivery] = await hook.deliveries();
  const page = await portal.send(`/admin/tenants/${host}/webhooks/${webhookId}/deliveries/${delivery?.id}`);
  expect([page.status, page.text.includes('&lt;b&gt;answer 1'), page.text.includes('<b>answer')]).toEqual([
    200,
    true,
    false,
  ]);

  for (let round = 0; round < 2; round += 1) {
    for (let spent = 0; spent < webhook.giveUpAfter; spent += webhook.longestWait)
      await later(webhook.longestWait);
    expect(await attention()).toMatchObject([{ code: 'webhook_off', level: 'bad', webhookId }]);
    await operate('webhooks.enable', { webhookId });
    await service.webhooksTold();
  }
  expect((await read()).history).toHaveLength(webhook.attempts);
  status = 204;
  await later(webhook.longestWait);
  const { history, payload } = await read();
  expect(history[0]).toMatchObject({ result: 'status 204' });
  expect(membersIn([{ body: payload } as never])).toEqual(['ada']);
  expect(await attention()).toEqual([]);
  expect(await scrape()).toContain(`${counted}"delivered"} 1`);
  expect(await scrape()).toContain('memberdoor_webhook_oldest_waiting_seconds 0');

  service.clock.advance(eventMemory + 60_001);
  for (const sweep of forgottenByTime([], service.clock.now())) await sweepThrough(service.store, sweep);
  const left = await service.store.transaction((tx) =>
    tx.selectFrom('webhookAttempts').selectAll().execute(),
  );
  expect(left).toEqual([]);
  await happens('bo');
  await service.webhooksTold();
  await operate('webhooks.delete', { webhookId });
});
