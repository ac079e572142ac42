// The operations on clients that no operator registered, and on what is banned.

import { isoTime, isoTimeOrNull } from '../../../core/access/iso-time.ts';
import { hostNameLength } from '../../../core/limits.ts';
import { clientAddressLength } from '../../../core/registration/limits.ts';
import { deleteClientBan, listClientBans } from '../../../storage/registration/client-ban.ts';
import {
  findUnverifiedClient,
  listUnverifiedClients,
  type UnverifiedClient,
} from '../../../storage/registration/unverified-client.ts';
import * as s from '../../json-schema.ts';
import { unknown } from '../../refusal.ts';
import { ban, banClient } from '../../registration/unverified-client.ts';
import { onTenant } from '../define.ts';
import { keyedList } from '../list.ts';
import type { Operation } from '../operation.ts';
import { isNotYet } from '../portal-face.ts';

const clientIdField = s.named(
  'UnverifiedClientId',
  s.held(
    s.text(
      'The client_id: one that was given, or the address of a document',
      'https://app.example.com/client',
    ),
    {
      maxLength: clientAddressLength,
    },
  ),
);

const unverifiedSchema = s.resource('UnverifiedClient', 'A client that no operator registered', {
  clientId: clientIdField,
  origin: s.oneOf(
    'UnverifiedClientOrigin',
    'How it came: it registered itself, or its client_id is a document',
    ['registered', 'document'],
  ),
  host: s.text('The host behind it, which members read', 'app.example.com'),
  claimedName: s.textOrNull('What it calls itself, which nothing proves', 'Example app'),
  redirectUris: s.list('Where sign-ins lead', s.text('One of them', 'https://app.example.com/callback')),
  createdAt: s.time('When it came'),
  lastUsedAt: s.timeOrNull('When a member last signed in to it', null),
  disabledAt: s.timeOrNull('From when on it is banned', null),
});

function answerOf({ client, createdAt, lastUsedAt }: UnverifiedClient) {
  const { clientId, origin, name: host, claimedName, redirectUris, disabledAt } = client;
  return s.pick(unverifiedSchema, {
    clientId,
    origin: origin === 'document' ? origin : 'registered',
    host,
    claimedName,
    redirectUris,
    createdAt: isoTime(createdAt),
    lastUsedAt: isoTimeOrNull(lastUsedAt),
    disabledAt: isoTimeOrNull(disabledAt),
  });
}

const listed = onTenant(
  keyedList({
    name: 'unverifiedClients.list',
    summary: 'List the clients of a tenant that no operator registered',
    permission: 'clients:read',
    route: 'GET /unverified-clients',
    title: 'Unverified clients',
    lead: 'Clients that registered themselves, or that a document describes. Members read the host, and are always asked.',
    columns: ['host', 'clientId', 'claimedName', 'lastUsedAt', 'disabledAt'],
    entry: { field: 'clientId', key: 'clientId' },
    bulk: ['unverifiedClients.ban'],
    of: 'unverifiedClients',
    page: 'A page of unverified clients, by client_id',
    schema: unverifiedSchema,
    read: async ({ tx, tenant }, page) => (await listUnverifiedClients(tx, tenant.id, page)).map(answerOf),
  }),
);

const clientBanned = onTenant({
  name: 'unverifiedClients.ban',
  summary: 'Ban an unverified client with its hosts: its sign-ins end, and it cannot come back',
  portal: {
    page: 'unverifiedClients.list',
    reads: 'unverifiedClients.list',
    ends: 'forGood',
    fits: isNotYet('disabledAt'),
  },
  permission: 'clients:write',
  route: 'POST /unverified-clients/{clientId}/ban',
  fields: { clientId: clientIdField },
  output: unverifiedSchema,
  run: async ({ tx, tenant, now, isTrial }, { clientId }) => {
    const found = await findUnverifiedClient(tx, tenant.id, clientId);
    if (found === null) throw unknown('client');
    await banClient(tx, found, { now, isTrial });
    return answerOf((await findUnverifiedClient(tx, tenant.id, clientId)) ?? found);
  },
});

const bannedField = s.named(
  'BannedClient',
  s.held(s.text('A host, or a client_id', 'app.example.com'), {
    minLength: 1,
    maxLength: Math.max(clientAddressLength, hostNameLength),
  }),
);

const banSchema = s.resource('ClientBan', 'A ban', {
  banned: bannedField,
  bannedAt: s.time('When it was banned'),
});

const bansListed = onTenant(
  keyedList({
    name: 'clientBans.list',
    summary: 'List the hosts and client_ids that may not come back as unverified clients',
    permission: 'clients:read',
    route: 'GET /client-bans',
    title: 'Banned clients',
    lead: 'A banned client cannot register itself, and no document of it is a client.',
    columns: ['banned', 'bannedAt'],
    entry: { field: 'banned', key: 'banned' },
    bulk: ['clientBans.delete'],
    of: 'clientBans',
    page: 'A page of bans',
    schema: banSchema,
    read: async ({ tx, tenant }, page) =>
      (await listClientBans(tx, tenant.id, page)).map(({ banned, bannedAt }) => ({
        banned,
        bannedAt: isoTime(bannedAt),
      })),
  }),
);

const banMade = onTenant({
  name: 'clientBans.create',
  summary: 'Ban a host or a client_id: every unverified client of it ends, and none comes back',
  portal: { page: 'clientBans.list' },
  permission: 'clients:write',
  route: 'POST /client-bans',
  fields: { banned: bannedField },
  output: banSchema,
  made: 'banned',
  run: async ({ tx, tenant, now, isTrial }, { banned }) => {
    const name = /^[a-z]+:/i.test(banned) ? banned.trim() : banned.trim().toLowerCase();
    await ban(tx, tenant.id, [name], { now, isTrial });
    return { banned: name, bannedAt: isoTime(now) };
  },
});

const banLifted = onTenant({
  name: 'clientBans.delete',
  summary: 'Lift a ban: such clients may come again, with nothing that they had',
  portal: { page: 'clientBans.list', reads: 'clientBans.list' },
  permission: 'clients:write',
  route: 'DELETE /client-bans/{banned}',
  fields: { banned: bannedField },
  output: s.resource('LiftedClientBan', 'The ban that was lifted', { banned: bannedField }),
  run: async ({ tx, tenant }, { banned }) => {
    if (!(await deleteClientBan(tx, tenant.id, banned))) throw unknown('ban');
    return { banned };
  },
});

export const unverifiedClientOperations: readonly Operation[] = [
  listed,
  clientBanned,
  bansListed,
  banMade,
  banLifted,
];
