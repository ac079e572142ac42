// The first page of a tenant: what needs attention, what happened last, and what the tenant sets for itself.

import type { FastifyReply } from 'fastify';
import { listPage } from '../../../../core/limits.ts';
import { say } from '../../../../text/portal.ts';
import { operationNamed } from '../addresses.ts';
import { labelOf } from '../labels.ts';
import { overviewOf } from '../menu.ts';
import { listIn, tableOf, withLinks } from '../values.ts';
import { callIfMay } from '../visit.ts';
import type { Facts, OperationVisit } from '../visitor.ts';
import { detailPage } from './detail.ts';

const day = 24 * 60 * 60 * 1_000;

/** GET /admin/tenants/{tenant} */
export function showOverview(visit: OperationVisit): Promise<FastifyReply> {
  return detailPage(visit, async (tenant) => {
    const host = String(tenant.host);
    const read = async (noun: string, input: Facts) => {
      const name = `${noun}.list`;
      const answer = await callIfMay(visit, name, { tenant: host, ...input });
      return listIn(answer ?? {}, operationNamed(visit, name)?.output ?? {});
    };
    const table = ({ items, schema }: Found, ...columns: readonly string[]) =>
      withLinks(visit, tableOf(items, schema, columns));
    const clients = await read('clients', { limit: listPage.most });
    const packages = await read('packages', { limit: 1 });
    const channels = await read('channels', { limit: 1 });
    const members = await read('members', { limit: 5 });
    const invoices = await read('invoices', { paid: false, limit: listPage.most });
    const refused = await read('audit', { result: 'refused', limit: 8 });
    return {
      template: 'overview',
      title: String(tenant.name),
      data: {
        issuer: tenant.issuer,
        counts: Object.entries({ clients, packages, channels }).map(([noun, { items }]) => ({
          label: labelOf(noun),
          count: items.length,
          href: `${overviewOf(host)}/${noun}`,
        })),
        attention: attentionOf(tenant, { clients, invoices, refused }, visit.deps.clock()),
        refused: table(refused, 'at', 'event', 'clientId', 'reason'),
        members: table(members, 'email', 'fullName', 'createdAt'),
        memberPages: members.items.map(({ id }) => `${overviewOf(host)}/members/${String(id)}`),
      },
    };
  });
}

type Found = ReturnType<typeof listIn>;

/** What is unfinished, over, or against the grain on a tenant. */
function attentionOf(
  tenant: Facts,
  { clients, invoices, refused }: Readonly<Record<'clients' | 'invoices' | 'refused', Found>>,
  now: number,
): readonly { readonly text: string; readonly href: string }[] {
  const base = overviewOf(String(tenant.host));
  const overdue = invoices.items.filter(({ dueAt }) => Date.parse(String(dueAt)) <= now).length;
  const recent = refused.items.filter(({ at }) => Date.parse(String(at)) > now - day).length;
  const when = (isSo: boolean, text: string, href: string) => (isSo ? [{ text, href }] : []);
  const ofClients = (isMeant: (client: Facts) => boolean, key: string) =>
    clients.items.filter(isMeant).map((client) => ({
      text: say(key, { client: String(client.name) }),
      href: `${base}/clients/${String(client.clientId)}`,
    }));
  return [
    when(tenant.disabledAt !== null, say('attention.disabled'), base),
    when(clients.items.length === 0, say('attention.noClient'), `${base}/clients/+create`),
    ofClients(hasTwoSecrets, 'attention.twoSecrets'),
    ofClients(isUnreachable, 'attention.unreachable'),
    when(overdue > 0, say('attention.overdue', { count: overdue }), `${base}/invoices?paid=false`),
    when(recent > 0, say('attention.refused', { count: recent }), `${base}/audit?result=refused`),
  ].flat();
}

const lengthOf = (value: unknown) => (Array.isArray(value) ? value.length : 0);
const hasTwoSecrets = ({ secrets }: Facts) => lengthOf(secrets) > 1;
const isUnreachable = ({ redirectUris, deviceFlow, disabledAt }: Facts) =>
  lengthOf(redirectUris) === 0 && deviceFlow !== true && disabledAt === null;
