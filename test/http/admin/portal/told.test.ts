import { describe, expect, it } from 'vitest';
import { eventTypes } from '../../../../src/core/events/event.ts';
import { sayIfKnown } from '../../../../src/text/portal.ts';
import { mainOf, portalOf } from '../../../support/operators/portal.ts';
import { webhooksOf } from '../../../support/outbound/webhooks.ts';
import { useFreshService } from '../../../support/use-service.ts';

it.each([...eventTypes, 'webhook.test'])('the list of deliveries has words for %s', (type) => {
  expect(sayIfKnown(`choice.type.${type}`)).toMatch(/^[A-Z]/);
});

describe('in the portal', () => {
  const service = useFreshService({ data: 'development' });
  const { operate, webhookAt, happens, tenant } = webhooksOf(service);
  const adminOfTenant = () => portalOf(service, tenant().host, 'tina@example.com', 'memberdoor-development');

  it('the rows of a webhook lead to what it was told, which names member and event, and is sent again as a new one', async () => {
    const hook = await webhookAt((_request, reply) => reply.writeHead(500).end('no'), { name: 'Our CRM' });
    await service.eventsNumbered();
    await service.webhooksTold();
    const made = { fullName: 'Ada Nilsen', email: 'ada.told@example.com' };
    const { id: memberId } = await operate<{ id: string }>('members.create', made);
    await happens(memberId);
    await service.webhooksTold();
    const admin = await adminOfTenant();
    const home = `/admin/tenants/${tenant().host}/webhooks/${hook.webhookId}`;
    const [newest] = await hook.deliveries();
    const one = `${home}/deliveries/${newest?.id}`;
    for (const path of [home, `${home}/deliveries`]) {
      const page = await admin.send(path);
      expect(page.text, path).toContain(`<a class="entry" href="${one}">`);
      expect(mainOf(page)).toMatch(/Password changed[\s\S]*Ada Nilsen[\s\S]*ada\.told@example\.com/);
    }
    const page = await admin.send(one);
    expect(mainOf(page)).toMatch(/<h1>(?:<bdi>)?Password changed/);
    for (const text of ['Our CRM', 'Ada Nilsen']) expect(mainOf(page)).toContain(text);

    expect(page.text).toContain(`href="/admin/tenants/${tenant().host}/members/${memberId}"`);
    expect(mainOf(page)).not.toContain('Member ID');

    const sent = await admin.submit(`${one}/+send-again`);
    expect([sent.status, sent.headers.location]).toEqual([303, `${home}/deliveries`]);
    const list = await admin.send(`${home}/deliveries`);
    expect(mainOf(list)).toContain('Sent again. The new delivery stands first.');
    const [again] = await hook.deliveries();
    expect(again?.id).toBeGreaterThan(newest?.id ?? 0);
    expect(list.text.indexOf(`/deliveries/${again?.id}"`)).toBeLessThan(list.text.indexOf(`href="${one}"`));
  });

  it('the page of moving in has the button that makes the secret, once an old system is named', async () => {
    const admin = await adminOfTenant();
    const home = `/admin/tenants/${tenant().host}`;
    const secret = `${home}/old-system/secret/+make-old-system-secret`;
    const page = async () => (await admin.send(`${home}/+change/moving-in`)).text;
    expect(await page()).not.toContain('Make a new secret');
    await operate('tenants.change', { oldSystemUrl: 'http://127.0.0.1:9/old' });
    expect(await page()).toContain(`href="${secret}"`);
    const made = await admin.submit(secret);
    expect(made.text).toContain('whsec_');
  });
});
