import type { FastifyReply } from 'fastify';
import { listPage } from '../../../../core/limits.ts';
import type { Operation } from '../../../../operations/admin/operation.ts';
import { type Facts, operationNamed } from '../addresses.ts';
import { labelOf } from '../labels.ts';
import { overviewOf } from '../menu.ts';
import { sendPortalPage } from '../page.ts';
import { withLinks } from '../show/links.ts';
import { countText } from '../show/texts.ts';
import { itemSchema, listIn, tableOf } from '../show/values.ts';
import { callIfMay, type Visit } from '../visit.ts';
import { detailPage } from './detail.ts';

const day = 24 * 60 * 60 * 1_000;

/** GET /admin/tenants/{tenant}: what needs attention, what happened last, and what the tenant sets for itself. */
export function showOverview(visit: Visit, operation: Operation): Promise<FastifyReply> {
  return detailPage(visit, operation, async ({ answer, ...detail }) => {
    const host = String(answer.host);
    const tenant = { tenant: host };
    const found = {
      clients: await entriesOf(visit, 'clients.list', { ...tenant, limit: listPage.most }),
      packages: await entriesOf(visit, 'packages.list', { ...tenant, limit: 1 }),
      channels: await entriesOf(visit, 'channels.list', { ...tenant, limit: 1 }),
      members: await entriesOf(visit, 'members.list', { ...tenant, limit: 5 }),
      invoices: await entriesOf(visit, 'invoices.list', { ...tenant, paid: false, limit: listPage.most }),
      refused: await entriesOf(visit, 'audit.list', { ...tenant, result: 'refused', limit: 8 }),
    };
    return sendPortalPage(visit.reply, {
      template: 'overview',
      title: String(answer.name),
      visit,
      data: {
        ...detail,
        issuer: answer.issuer,
        counts: (['clients', 'packages', 'channels'] as const).map((noun) => ({
          label: labelOf(noun),
          count: found[noun].length,
          href: `${overviewOf(host)}/${noun}`,
        })),
        attention: attentionOf(answer, found, visit.deps.clock()),
        refused: smallTable(visit, 'audit.list', found.refused, host, ['at', 'event', 'clientId', 'reason']),
        members: smallTable(visit, 'members.list', found.members, host, ['email', 'fullName', 'createdAt']),
        memberPages: found.members.map(({ id }) => `${overviewOf(host)}/members/${String(id)}`),
      },
    });
  });
}

async function entriesOf(visit: Visit, name: string, input: Facts): Promise<readonly Facts[]> {
  const answer = await callIfMay(visit, name, input);
  const output = operationNamed(visit, name)?.output ?? {};
  return answer === null ? [] : (listIn(answer, output)?.items ?? []);
}

function smallTable(
  visit: Visit,
  name: string,
  entries: readonly Facts[],
  host: string,
  columns: readonly string[],
) {
  const schema = itemSchema(operationNamed(visit, name)?.output ?? {});
  return withLinks(visit, tableOf(entries, schema, columns), host);
}

/** One thing that an administrator should look at. */
interface Attention {
  readonly text: string;
  readonly href: string;
}

/** What is unfinished, over, or against the grain on a tenant. */
function attentionOf(
  tenant: Facts,
  found: Readonly<Record<'clients' | 'invoices' | 'refused', readonly Facts[]>>,
  now: number,
): readonly Attention[] {
  const base = overviewOf(String(tenant.host));
  const overdue = found.invoices.filter(({ dueAt }) => Date.parse(String(dueAt)) <= now);
  const recent = found.refused.filter(({ at }) => Date.parse(String(at)) > now - day);
  const clientAt = (client: Facts) => `${base}/clients/${String(client.clientId)}`;
  return [
    ...(tenant.disabledAt === null
      ? []
      : [{ text: 'This tenant is disabled: members get no answer.', href: base }]),
    ...(found.clients.length > 0
      ? []
      : [
          {
            text: 'No client is registered yet: nobody can sign in to anything.',
            href: `${base}/clients/+create`,
          },
        ]),
    ...found.clients.filter(hasTwoSecrets).map((client) => ({
      text: `${String(client.name)} has two live secrets: remove the old one once the new one is in use.`,
      href: clientAt(client),
    })),
    ...found.clients.filter(isUnreachable).map((client) => ({
      text: `${String(client.name)} has neither a redirect URI nor the device flow: nobody can sign in to it.`,
      href: clientAt(client),
    })),
    ...(overdue.length === 0
      ? []
      : [{ text: `${countText(overdue.length, 'invoice')} overdue.`, href: `${base}/invoices?paid=false` }]),
    ...(recent.length === 0
      ? []
      : [
          {
            text: `${countText(recent.length, 'request')} refused in the last 24 hours.`,
            href: `${base}/audit?result=refused`,
          },
        ]),
  ];
}

const lengthOf = (value: unknown) => (Array.isArray(value) ? value.length : 0);
const hasTwoSecrets = ({ secrets }: Facts) => lengthOf(secrets) > 1;
const isUnreachable = ({ redirectUris, deviceFlow, disabledAt }: Facts) =>
  lengthOf(redirectUris) === 0 && deviceFlow !== true && disabledAt === null;
