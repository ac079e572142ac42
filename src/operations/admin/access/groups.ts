// The operations on subscriptions with seats.
import { mostSeats, seatDomains, seatNetworks } from '../../../core/access/limits.ts';
import { listPage } from '../../../core/limits.ts';
import { listSeats } from '../../../storage/access/seat.ts';
import { listSeatGroups } from '../../../storage/access/seat-group.ts';
import {
  addSeats,
  changeSeatDomains,
  changeSeatNetworks,
  changeSeatNumber,
} from '../../access/seat-groups.ts';
import { type OpenedGroup, openGroup } from '../../access/seats.ts';
import * as s from '../../json-schema.ts';
import { unknown } from '../../refusal.ts';
import { onTenant } from '../define.ts';
import { keyedList } from '../list.ts';
import { memberIdField } from '../members/member.ts';
import { memberNameFields, withMemberNames } from '../names.ts';
import type { Operation } from '../operation.ts';
import { packageIdField } from './packages.ts';
import { groupFor, namedSeatSchema, seatAnswer } from './seats.ts';
import { subscriptionIdField } from './subscriptions.ts';

const seatsField = {
  ...s.wholeNumber('How many members it gives access to beside its holder', 25),
  minimum: 1,
  maximum: mostSeats,
};
const domainsField: s.Schema<readonly string[]> = {
  ...s.list(
    'Who has a proven address at one of these domains may take a seat',
    s.text('A domain', 'school.example'),
  ),
  uniqueItems: true,
  examples: [['school.example']],
};

const networksField = s.texts(
  'Who has a proven address and comes from one of these IP addresses may take a seat: each one, or a range in CIDR notation',
  '198.51.100.0/24',
  '2001:db8::/32',
);

const groupSchema = s.resource('Group', 'A subscription with seats', {
  subscriptionId: subscriptionIdField,
  memberId: { ...memberIdField, description: 'Who holds the subscription' },
  packageId: packageIdField,
  packageName: s.text('The name of the package', 'Everything'),
  seats: seatsField,
  taken: s.wholeNumber('How many seats are taken', 17),
  invited: s.wholeNumber('How many seats are kept for open invitations', 3),
  domains: domainsField,
  networks: networksField,
  givesAccess: s.flag('Whether the subscription gives access now, and its seats with it'),
});

/** Beside what a subscription says, a list and its page say who holds it. */
const namedGroupSchema = s.extended(
  groupSchema,
  'ListedGroup',
  'A subscription with seats in a list',
  memberNameFields,
);

function groupAnswer({ group, subscription, count, isActive }: OpenedGroup) {
  const { memberId, packageId, packageName } = subscription;
  const { taken, invited } = count;
  const facts = { ...group, memberId, packageId, packageName, taken, invited, givesAccess: isActive };
  return s.pick(groupSchema, facts);
}

const fields = { subscriptionId: subscriptionIdField };
const ofGroup = { page: 'groups.read', reads: 'groups.read' } as const;

const listed = onTenant(
  keyedList({
    name: 'groups.list',
    summary: 'List the subscriptions with seats',
    permission: 'subscriptions:read',
    route: 'GET /groups',
    title: 'Groups',
    lead: 'Subscriptions that give access to more members than their holder, such as those of schools and firms.',
    columns: ['subscriptionId', 'packageName', 'memberId', 'seats', 'taken', 'invited', 'domains'],
    entry: { field: 'subscriptionId', key: 'subscriptionId' },
    opens: 'groups.read',
    of: 'groups',
    page: 'A page of subscriptions with seats, oldest first',
    schema: namedGroupSchema,
    read: async (context, page) => {
      const groups = await listSeatGroups(context.tx, context.tenant.id, page);
      const answers: ReturnType<typeof groupAnswer>[] = [];
      for (const group of groups) {
        answers.push(groupAnswer(await openGroup(context.tx, group, context.now)));
      }
      return withMemberNames(answers, context);
    },
  }),
);

const read = onTenant({
  name: 'groups.read',
  summary: 'Show a subscription with seats, and who has them',
  portal: { parts: { members: { list: 'seats.list' } } },
  permission: 'subscriptions:read',
  route: 'GET /groups/{subscriptionId}',
  fields,
  output: s.extended(groupSchema, 'GroupDetails', 'The subscription', {
    ...memberNameFields,
    members: s.list('Its first seats', namedSeatSchema),
  }),
  run: async (context, { subscriptionId }) => {
    const opened = await groupFor(context, subscriptionId);
    const seats = await listSeats(context.tx, subscriptionId, { limit: listPage.default });
    const [group] = await withMemberNames([groupAnswer(opened)], context);
    if (group === undefined) throw unknown('group');
    const answers = seats.map((seat) => seatAnswer(seat, context.now));
    return { ...group, members: await withMemberNames(answers, context) };
  },
});

const created = onTenant({
  name: 'groups.create',
  summary: 'Give seats to a subscription that was ordered without',
  portal: { page: ['members.read', 'subscriptions.list'], reads: 'subscriptions.list', lands: 'groups.read' },
  permission: 'subscriptions:write',
  route: 'POST /subscriptions/{subscriptionId}/group',
  fields: { ...fields, seats: seatsField },
  output: groupSchema,
  made: 'subscriptionId',
  run: async (context, { subscriptionId, seats }) => {
    const { tx, tenant, now } = context;
    await addSeats(tx, tenant.id, subscriptionId, seats, now);
    return groupAnswer(await groupFor(context, subscriptionId));
  },
});

const changed = onTenant({
  name: 'groups.change',
  summary:
    'Change how many seats a subscription has, and at which domains and from which networks they may be taken',
  portal: ofGroup,
  permission: 'subscriptions:write',
  route: 'PATCH /groups/{subscriptionId}',
  fields,
  optional: {
    seats: seatsField,
    domains: { ...domainsField, maxItems: seatDomains },
    networks: { ...networksField, maxItems: seatNetworks },
  },
  output: groupSchema,
  run: async (context, { subscriptionId, seats, domains, networks }) => {
    const { tx, tenant } = context;
    const opened = await groupFor(context, subscriptionId);
    if (seats !== undefined) await changeSeatNumber(tx, opened, seats);
    if (domains !== undefined) await changeSeatDomains(tx, opened.group, domains);
    if (networks !== undefined) await changeSeatNetworks(tx, opened.group, networks, tenant.development);
    return groupAnswer(await groupFor(context, subscriptionId));
  },
});

export const groupOperations: readonly Operation[] = [listed, read, created, changed];
