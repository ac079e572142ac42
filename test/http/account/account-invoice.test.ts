import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Invoice } from '../../../src/core/access/invoice.ts';
import { insertInvoice } from '../../../src/storage/access/invoice.ts';
import { textOf } from '../../support/device.ts';
import { expectErrorPage } from '../../support/expected/expectations.ts';
import { hosts } from '../../support/fixtures.ts';
import { type AccountVisitor, accountOf } from '../../support/members/account.ts';
import { invoiceRecord } from '../../support/records/access-records.ts';
import { day } from '../../support/records/records.ts';
import { useService } from '../../support/use-service.ts';
import { visitor } from '../../support/visitor.ts';

const service = useService({ data: 'security' });
let browser: AccountVisitor;
let owner: { readonly tenantId: string; readonly memberId: string; readonly subscriptionId: number };
let made = 100;

beforeAll(async () => {
  browser = await accountOf(service, hosts.a);
  owner = await service.store.transaction((tx) =>
    tx
      .selectFrom('subscriptions')
      .innerJoin('members', 'members.id', 'memberId')
      .innerJoin('tenants', 'tenants.id', 'members.tenantId')
      .select(['members.tenantId', 'memberId', 'subscriptions.id as subscriptionId'])
      .where('email', '=', 'u1@example.test')
      .where('host', '=', hosts.a)
      .executeTakeFirstOrThrow(),
  );
});

beforeEach(() => service.store.transaction((tx) => tx.deleteFrom('invoices').execute()));

/** An invoice of the member, due in two weeks. @returns its page */
async function invoice(changes: Partial<Invoice> = {}): Promise<string> {
  made += 1;
  const dueAt = service.clock.now() + 14 * day;
  const record = invoiceRecord({
    ...owner,
    id: `invoice-${made}`,
    number: made,
    dueAt,
    paidAt: null,
    ...changes,
  });
  await service.store.transaction((tx) => insertInvoice(tx, record));
  return `/account/invoices/${record.number}`;
}

const shown = async (path: string) => {
  const page = await browser.send(path);
  expect(page.status, page.text).toBe(200);
  return textOf(page).replaceAll('\u00a0', ' ');
};

describe('the page of an invoice', () => {
  it('says who owes what to whom, what of it is tax, and how it is paid', async () => {
    const payTo = {
      payee: 'Gold AS',
      account: 'NO9386011117947',
      bic: 'DNBANOKK',
      note: 'Storgata 1\nVAT 12',
    };
    const text = await shown(await invoice({ number: 539_007_547_034, taxName: '', taxPercent: 8.1, payTo }));
    expect(text).toContain('Invoice 539007547034');
    expect(text).toMatch(/From Gold AS Storgata 1 VAT 12 Billed to A\. Berg .*Issued January 15, 2026/);
    expect(text).toMatch(/Gold 25 seats NOK 199\.00 VAT 8\.1% included NOK 14\.91 Total NOK 199\.00/);
    expect(text).toContain(
      'How to pay Amount NOK 199.00 Due date January 29, 2026 Account number NO93 8601 1117 947 BIC DNBANOKK ' +
        'Payee Gold AS Reference RF18 5390 0754 7034',
    );
  });

  it('without a tax names none, and shows no decimals in a currency that has none', async () => {
    const price = { amount: 1_200, currency: 'ISK' };
    const text = await shown(await invoice({ taxPercent: null, price }));
    expect(text).toContain('Gold 25 seats ISK 1,200 Total ISK 1,200');
    expect(await shown(await invoice({ taxName: 'GST', taxPercent: 15, price }))).toContain(
      'GST 15% included ISK 157 Total ISK 1,200',
    );
  });

  it.each([null, { payee: '', account: null, bic: 'DNBANOKK', note: '' }])(
    'without an account (%j) names the reference alone, and that the tenant tells the rest',
    async (payTo) => {
      const text = await shown(await invoice({ payTo }));
      expect(text).toMatch(
        /Due date January 29, 2026 Reference RF\d\d \d+ Tenant A will tell you how to pay\./,
      );
      expect(text).not.toContain('BIC');
    },
  );

  it('says when it was paid, and then asks for nothing more; a late one says that it is late', async () => {
    const paid = await shown(await invoice({ paidAt: service.clock.now() }));
    expect(paid).toContain('Paid on January 15, 2026');
    expect(paid).not.toContain('How to pay');
    expect(await shown(await invoice({ dueAt: service.clock.now() }))).toContain(
      'Overdue since January 15, 2026',
    );
  });

  it('shows as text what others wrote in it', async () => {
    const payTo = { payee: '<b>A</b>', account: null, bic: null, note: '"><script>alert(1)</script>' };
    const path = await invoice({ packageName: '<img src=x>', taxName: '<i>x</i>', payTo });
    expect((await browser.send(path)).text).not.toMatch(/<b>A|<script>|<img src=x|<i>x/);
  });
});

describe('who may see an invoice', () => {
  it('K10: no other member, of this tenant or another, whatever its number', async () => {
    const path = await invoice();
    for (const [host, email] of [
      [hosts.a, 'u2@example.test'],
      [hosts.b, 'u1@example.test'],
    ] as const) {
      expectErrorPage(await (await accountOf(service, host, email)).send(path), 404);
    }
  });

  it.each(['0', '-1', '999999', '1e3', '1.0', '0101', '9'.repeat(40), 'x'])(
    'none has the number %s',
    async (number) => {
      await invoice();
      expectErrorPage(await browser.send(`/account/invoices/${number}`), 404);
    },
  );

  it('F4: a visitor who is not signed in signs in first, and comes back to it', async () => {
    const path = await invoice();
    const stranger = visitor(service, hosts.a);
    const answer = await stranger.send(path);
    expect(answer.headers.location).toMatch(/^\/sign-in\?flow=/);
    const form = await stranger.send(String(answer.headers.location));
    expect((await stranger.signIn(form, 'u1@example.test')).headers.location).toBe(path);
  });
});

describe('the open invoices of a member', () => {
  it('are listed with number, amount and the day they are due, and the paid ones are not', async () => {
    const now = service.clock.now();
    await invoice({ id: 'i1', number: 1001, dueAt: now + 14 * day, paidAt: null });
    await invoice({ id: 'i2', number: 1002, dueAt: now + 14 * day, paidAt: now });
    const price = { amount: 1_200, currency: 'ISK' };
    await invoice({ id: 'i3', number: 1003, price, dueAt: now - day, paidAt: null });
    const page = await browser.send('/account/subscriptions');
    const text = textOf(page);
    expect(page.text).toContain('href="/account/invoices/1001"');
    expect(text).toMatch(/Open invoices Invoice 1001 NOK 199.00 · Due on \w+ \d+, 2026 Open the invoice/);
    expect(text).toMatch(/Invoice 1003 ISK 1,200 · Overdue since \w+ \d+, 2026/);
    expect(text).not.toContain('Invoice 1002');
    expect(textOf(await browser.send('/account'))).toMatch(/Invoice 1003 ISK 1,200 · Overdue since/);
  });

  it('X1: are those of the member alone', async () => {
    const { id: memberId } = await service.store.transaction((tx) =>
      tx
        .selectFrom('members')
        .select('id')
        .where('tenantId', '=', owner.tenantId)
        .where('email', '=', 'u2@example.test')
        .executeTakeFirstOrThrow(),
    );
    await invoice({ id: 'i4', number: 1004, memberId });
    expect(textOf(await browser.send('/account/subscriptions'))).not.toContain('invoice');
    const other = await accountOf(service, hosts.a, 'u2@example.test');
    expect(textOf(await other.send('/account/subscriptions'))).toContain('Invoice 1004');
  });
});
