// One search over everything that a tenant has: members, clients, what was bought, and what was refused.

import { paymentReference } from '../../core/access/invoicing.ts';
import { isoTimeOrNull } from '../../core/access/iso-time.ts';
import { idIn } from '../../core/id.ts';
import { isGone, normaliseEmail, phoneWord, phoneWords } from '../../core/members/member.ts';
import { searchedMost } from '../../core/operators/limits.ts';
import { mayGrant, type Permission } from '../../core/operators/permission.ts';
import { findCheckout, listCheckoutsPaidAs } from '../../storage/access/checkout.ts';
import { findInvoice } from '../../storage/access/invoice.ts';
import { searchClients } from '../../storage/clients/client.ts';
import { findMember } from '../../storage/members/member.ts';
import { listMembers } from '../../storage/members/member-search.ts';
import { listAuditEvents } from '../../storage/operators/audit-list.ts';
import * as s from '../json-schema.ts';
import { checkoutAnswer, checkoutSchema } from './access/checkouts.ts';
import { invoiceAnswer, listedInvoiceSchema } from './access/invoices.ts';
import { subscriptionSchema, subscriptionShown } from './access/subscriptions.ts';
import { auditAnswers, auditEventSchema } from './audit.ts';
import { type OnTenant, onTenant } from './define.ts';
import { memberAnswer, memberIdField, memberSchema } from './members/member.ts';
import { memberNameFields, withMemberNames } from './names.ts';
import type { Operation, OperationContext } from './operation.ts';

const kinds = ['member', 'client', 'subscription', 'invoice', 'checkout', 'event'] as const;

const exactSchema = s.resource('ExactHit', 'Something that bears the very text as its name or number', {
  kind: s.oneOf('SearchKind', 'What it is', kinds),
  id: s.text('What names it: an id, a client_id, or a number', 'example-app'),
  memberId: { ...s.orNull(memberIdField), description: 'The member whose it is, or who it is' },
});

const clientSchema = s.resource('FoundClient', 'A client', {
  clientId: s.text('Its client_id', 'example-app'),
  name: s.text('What members read', 'Example'),
  disabledAt: s.timeOrNull('Since when it is disabled', null),
});

/** Beside what it says, a search names its owner. */
const ofMember = <Base>(schema: s.Schema<Base>, title: string) =>
  s.extended(schema, title, String(schema.description), memberNameFields);

const outputSchema = s.exactly('What was found: the first of each kind', {
  members: s.list('Members, the newest first', memberSchema),
  clients: s.list('Clients, unregistered ones among them', clientSchema),
  subscriptions: s.list('The subscription of this number', ofMember(subscriptionSchema, 'FoundSubscription')),
  invoices: s.list('The invoice of this number', listedInvoiceSchema),
  checkouts: s.list(
    'The checkout of this id, or those that were paid under this reference',
    ofMember(checkoutSchema, 'FoundCheckout'),
  ),
  events: s.list('What was refused under this reference', auditEventSchema),
  more: s.texts('The kinds with more than are shown', 'member'),
  exact: s.list('Those that bear the very text as name or number', exactSchema),
});

type Exact = { readonly kind: (typeof kinds)[number]; readonly id: string; readonly memberId: string | null };

const found = onTenant({
  name: 'search.find',
  summary:
    'Find members, clients, subscriptions, invoices, checkouts and refused requests by what they are called',
  permission: 'members:read',
  route: 'GET /search',
  fields: {
    search: {
      ...s.text(
        'A name, the beginning of an address or of a telephone number, an id, a number, or the reference of an error page',
        'ada',
      ),
      maxLength: 200,
    },
  },
  output: outputSchema,
  run: async (context, { search }) => {
    const text = search.trim();
    // What no keyboard types is in no name, and no text to a database.
    const isText = text !== '' && !/\p{Cc}/u.test(text);
    const parts = isText ? await partsFor(context, text) : nothing;
    return { ...parts, exact: exactIn(parts, text) };
  },
});

const nothingBought = { subscriptions: [], invoices: [], checkouts: [] };
const nothing = { members: [], clients: [], ...nothingBought, events: [], more: [] };

type Parts = Awaited<ReturnType<typeof partsFor>> | typeof nothing;

/** What a text finds, as far as the actor may read it. */
async function partsFor(context: OnTenant<OperationContext>, text: string) {
  const { tx, tenant, actor } = context;
  const may = (permission: Permission) => mayGrant(actor, [permission]);
  const members = await membersFound(context, text);
  const clients = may('clients:read') ? await searchClients(tx, tenant.id, text, searchedMost + 1) : [];
  const reference = text.toLowerCase().replaceAll(/[\s-]/g, '');
  const refused = may('audit:read')
    ? await listAuditEvents(tx, { tenantId: tenant.id, reference }, searchedMost)
    : [];
  return {
    members: members.slice(0, searchedMost).map(memberAnswer),
    clients: clients
      .slice(0, searchedMost)
      .map(({ disabledAt, ...client }) => ({ ...client, disabledAt: isoTimeOrNull(disabledAt) })),
    ...(may('subscriptions:read') ? await boughtFound(context, text) : nothingBought),
    events: await auditAnswers(tx, refused, actor),
    more: [
      ...(members.length > searchedMost ? ['member'] : []),
      ...(clients.length > searchedMost ? ['client'] : []),
    ],
  };
}

/** The member with this id, or the members whom the text finds. */
async function membersFound({ tx, tenant, now }: OnTenant<OperationContext>, text: string) {
  const id = idIn(text);
  if (id === null) return listMembers(tx, tenant.id, { search: text }, searchedMost + 1, now);
  const member = await findMember(tx, tenant.id, id);
  return member === null || isGone(member, now) ? [] : [member];
}

/** What was bought under a number, an id, or the reference of a payment. */
async function boughtFound(context: OnTenant<OperationContext>, text: string) {
  const { tx, tenant, now } = context;
  const number = /^#?(\d{1,15})$/.exec(text)?.[1];
  const invoiceNumber = number === undefined ? numberPaidFor(text) : Number(number);
  const byId = await findCheckout(tx, tenant.id, idIn(text) ?? text);
  const checkouts = byId === null ? await listCheckoutsPaidAs(tx, tenant.id, text, searchedMost) : [byId];
  const invoice = invoiceNumber === null ? null : await findInvoice(tx, tenant.id, invoiceNumber);
  const subscription =
    number === undefined ? null : await subscriptionShown({ tx, tenant, now }, Number(number));
  return {
    subscriptions: await withMemberNames(subscription === null ? [] : [subscription], context),
    invoices: await withMemberNames(invoice === null ? [] : [invoiceAnswer(invoice)], context),
    checkouts: await withMemberNames(
      checkouts.map((checkout) => checkoutAnswer(checkout, now)),
      context,
    ),
  };
}

/** The number of the invoice whose payment names this reference (ISO 11649), however it is spaced; or null. */
function numberPaidFor(text: string): number | null {
  const [reference, digits] = /^RF\d\d(\d{1,15})$/.exec(text.toUpperCase().replaceAll(/\s/g, '')) ?? [];
  return reference !== undefined && paymentReference(Number(digits)) === reference ? Number(digits) : null;
}

/** What has exactly this text as a name. */
function exactIn({ members, clients, subscriptions, invoices, checkouts, events }: Parts, text: string) {
  const email = normaliseEmail(text);
  const phone = phoneWord(text);
  const isCalled = (...names: readonly (string | number)[]) => names.some((name) => String(name) === text);
  const exact: readonly Exact[] = [
    ...members
      .filter(
        (member) =>
          normaliseEmail(member.email) === email ||
          member.id === text.toLowerCase() ||
          isCalled(member.userId, member.memberNumber) ||
          (phone !== null && phoneWords(member.phone).includes(phone)),
      )
      .map(({ id }): Exact => ({ kind: 'member', id, memberId: id })),
    ...clients
      .filter(({ clientId }) => clientId === text)
      .map(({ clientId }): Exact => ({ kind: 'client', id: clientId, memberId: null })),
    ...subscriptions.map(({ subscriptionId, memberId }) => bought('subscription', subscriptionId, memberId)),
    ...invoices.map(({ number, memberId }) => bought('invoice', number, memberId)),
    ...checkouts.map(({ id, memberId }) => bought('checkout', id, memberId)),
    ...events.map(({ id, target, memberId }) => bought('event', id, memberId ?? target)),
  ];
  return exact;
}

const bought = (kind: Exact['kind'], id: string | number, memberId: string | null): Exact => ({
  kind,
  id: String(id),
  memberId,
});

export const searchOperations: readonly Operation[] = [found];
