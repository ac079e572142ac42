import { describe, expect, it } from 'vitest';
import { webhook } from '../../../src/core/events/limits.ts';
import { linkIn } from '../../support/mails/outbox.ts';
import { run } from '../../support/operators/desk.ts';
import { makeAdmin, portalOf } from '../../support/operators/portal.ts';
import { webhooksOf } from '../../support/outbound/webhooks.ts';
import { useFreshService } from '../../support/use-service.ts';

const service = useFreshService({ data: 'development' });
const { webhookAt, happens, later, tenant } = webhooksOf(service);

describe('a webhook that is turned off since it takes nothing', () => {
  it('EV16: is told to the administrators of its tenant alone, once, and what it answered is a text', async () => {
    const { host, id: tenantId } = tenant();
    await makeAdmin(service, host, 'one@example.com');
    const second = await makeAdmin(service, host, 'two@example.com');
    await service.store.transaction((tx) =>
      tx.updateTable('members').set({ locale: 'de' }).where('id', '=', second).execute(),
    );
    const off = await makeAdmin(service, host, 'off@example.com');
    await run(service, 'members.disable', { tenant: host, memberId: off });
    await service.eventsNumbered();
    const hook = await webhookAt(
      (_request, reply) =>
        reply.writeHead(410).end(`<a href="https://x.test">\r\nBcc: x</a>${'y'.repeat(900)}`),
      { name: '<i>CRM</i>' },
    );
    await happens('ada', 'ada', 'bo', 'cy');
    await service.webhooksTold();
    await later(webhook.giveUpAfter);
    await service.delivered();
    const told = service.outbox.sent.filter(({ name }) => name === 'webhookOff');
    expect(told.map((mail) => [mail.to, mail.language, mail.tenantId]).toSorted()).toEqual([
      ['one@example.com', 'en', tenantId],
      ['sam@example.com', 'en', tenantId],
      ['tina@example.com', 'en', tenantId],
      ['two@example.com', 'de', tenantId],
    ]);
    const mail = service.outbox.last('one@example.com');
    expect(mail.text).toContain('Webhook name: <i>CRM</i>\n');
    expect(mail.text).toMatch(/Last answer: status 410: <a href="https:\/\/x\.test"> Bcc: x<\/a>y{1,200}\n/);
    expect(mail.text).toContain('Events waiting: 4\n');
    expect(mail.html).toContain('&lt;i&gt;CRM');
    expect(mail.html).not.toContain('<a href="https://x.test">');
    const { pathname } = new URL(linkIn(mail));
    expect(pathname).toContain(hook.webhookId);
    const admin = await portalOf(service, host, 'one@example.com');
    expect((await admin.send(pathname)).text).toContain('&lt;i&gt;CRM');
  });
});
