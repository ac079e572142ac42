// Words what needs attention on a tenant, with the button that mends it.

import type { AttentionCode, attentionLevels } from '../../../../../operations/attention/attention.ts';
import { say, sayIfKnown } from '../../../../../text/portal.ts';
import { mayCall } from '../../../call.ts';
import { addressOf, operationNamed, queryText } from '../../addresses.ts';
import type { Facts, Visit } from '../../visitor.ts';
import { moneyText } from '../../words/amounts.ts';

/** What `overview.read` answers of it. */
export interface AttentionAnswer {
  readonly code: AttentionCode;
  readonly level: (typeof attentionLevels)[number];
  readonly count: number | null;
  readonly amounts: readonly { readonly amount: number; readonly currency: string }[];
  readonly names: readonly string[];
  readonly clientId: string | null;
  readonly webhookId: string | null;
  readonly at: string | null;
  readonly detail: string | null;
}

/** The operation whose page mends it, and what is asked of a list there. */
const mending: Readonly<
  Record<AttentionCode, { readonly operation: string; readonly query?: Facts } | null>
> = {
  tenant_disabled: { operation: 'tenants.enable' },
  no_client: { operation: 'clients.create' },
  key_overdue: { operation: 'keys.rotate' },
  invoices_overdue: { operation: 'invoices.list', query: { paid: false } },
  mails_refused: { operation: 'mails.retry' },
  webhook_off: { operation: 'webhooks.read' },
  webhook_failing: { operation: 'webhooks.read' },
  old_system_fails: { operation: 'tenants.read' },
  old_system_unsigned: { operation: 'tenants.makeOldSystemSecret' },
  client_unreachable: { operation: 'clients.read' },
  client_two_secrets: { operation: 'clients.read' },
  client_polls_fast: { operation: 'clients.read' },
  requests_refused: { operation: 'audit.list', query: { result: 'refused' } },
  backup_missing: null,
  backup_old: null,
  backup_made: null,
};

/** One line: what it is, more of it in a sentence, and a button. @param now ms */
export function attentionLine(visit: Visit, tenant: string, item: AttentionAnswer, now: number) {
  const { code, level, count, names, amounts, detail, at, clientId, webhookId } = item;
  const more = (count ?? 0) - names.length;
  const values = {
    count: count ?? 0,
    client: names[0] ?? clientId ?? '',
    webhook: names[0] ?? '',
    who:
      names.length === 0
        ? ''
        : names.join(', ') + (more > 0 ? say('attention.andMore', { count: more }) : ''),
    named: names.length === 0 ? 'no' : 'yes',
    money: amounts.map(({ amount, currency }) => moneyText(amount, currency)).join(' + '),
    detail: detail ?? '',
    said: detail === null ? 'no' : 'yes',
    hours: at === null ? 0 : Math.floor((now - Date.parse(at)) / 3_600_000),
    days: at === null ? 0 : Math.floor((now - Date.parse(at)) / 86_400_000),
  };
  return {
    level,
    title: say(`attention.${code}`, values),
    text: sayIfKnown(`attention.${code}.more`, values) ?? '',
    button: buttonOf(visit, code, { tenant, clientId, webhookId }),
  };
}

function buttonOf(visit: Visit, code: AttentionCode, known: Facts) {
  const way = mending[code];
  const operation = way === null ? null : operationNamed(visit, way.operation);
  if (way === null || operation === null || !mayCall(visit, operation)) return null;
  const href = addressOf(operation, known);
  return href === null
    ? null
    : { href: `${href}${queryText(way.query ?? {})}`, label: say(`attention.${code}.do`) };
}
