// What the pages of the room show: the TV flow, and what both flows have beside it.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isoTime } from '../../../core/access/iso-time.ts';
import { pollTolerance } from '../../../core/limits.ts';
import type { Card } from '../../../core/rehearsal/card/card.ts';
import type { Television } from '../../../core/rehearsal/television.ts';
import { loadTotp } from '../../../secrets/totp.ts';
import { listMembers } from '../../../storage/members/member-search.ts';
import { pageQuery } from '../../form.ts';
import { cardsUrl, cardUrl } from '../card/cards.ts';
import { roomUrl } from '../deeds.ts';
import { type Context, tvClientsOf } from './context.ts';
import { tvLives } from './lives.ts';
import type { Room } from './memory.ts';
import { sendRoomPage } from './page.ts';
import { shownLog, timeOf } from './shown.ts';
import { webUrl } from './web/run.ts';
import { word } from './words.ts';

/** GET /rehearsal: the TV, the phone, the wire between them, and the life of their sign-in. */
export async function sendTvPage(reply: FastifyReply, context: Context): Promise<FastifyReply> {
  const { request } = reply;
  const { tenant } = request;
  const room = context.rooms.of(tenant.id);
  const tvClients = await tvClientsOf(request, context);
  const now = context.deps.clock();
  const { tv } = room;
  return sendRoomPage(reply, {
    template: 'room/tv',
    title: 'title',
    data: {
      ...sharedData(request, context, roomUrl),
      lives: await tvLives(tenant, context),
      tv: tv === null ? null : await shownTv(tv, room),
      tvClients,
      tvClient: room.tvClient ?? tvClients[0] ?? null,
      tvActs: actsOf(tv, tvClients.length > 0, now),
      phone: shownPhone(room, tenant.host),
      members: await holdersOf(request, context),
      answering: context.phones.of(tenant.id)?.answer ?? null,
      expected: tv?.phase === 'asking' ? timeOf(tv.nextPollAt) : null,
    },
  });
}

/** What every page of the room shows. */
export function sharedData(request: FastifyRequest, context: Context, url: string) {
  const { cards, clock, faults, rooms, seed, snapshots, wire } = context;
  const { tenant } = request;
  const entries = wire.entries(tenant.id);
  const { client: asked, before: behind = '' } = pageQuery(request, ['client', 'before']);
  const before = /^\d{1,15}$/.test(behind) ? Number(behind) : null;
  const told = clock.told();
  const clients = [...new Set(entries.flatMap(({ client }) => client ?? []))].sort();
  const client = asked !== undefined && clients.includes(asked) ? asked : null;
  const { log, older } = shownLog(entries, client, before);
  const card = cards.seen(tenant.id).find((one) => client === null || one.client === client) ?? null;
  return {
    url,
    places: placesOf(url),
    notice: rooms.of(tenant.id).notice,
    clock: {
      now: told.now,
      iso: isoTime(told.now),
      time: timeOf(told.now),
      frozen: told.frozen,
      ahead: told.ahead === 0 || told.frozen ? null : aheadOf(told.ahead),
    },
    seed: seed.told().seed,
    snapshots: context.deps.store.isShared
      ? null
      : snapshots.list().map(({ name, at }) => ({ name, time: timeOf(at) })),
    log,
    older: older === null ? null : logUrl(url, client, older),
    newest: before === null ? null : logUrl(url, client),
    wireClients: [null, ...clients].map((one) => ({
      href: logUrl(url, one),
      label: one ?? word('wire.everyone'),
      isHere: one === client,
    })),
    expected: null,
    card: card === null ? null : chipOf(card),
    faults: faults.of(tenant.id).map(({ kind, client: whose, times }) => ({
      label: [word(`faults.${kind}`), whose ?? '', times === null ? '∞' : times > 1 ? `×${times}` : '']
        .filter((part) => part !== '')
        .join(' '),
    })),
  };
}

/** Where a page shows the log of one client or of all, and of its entries those before one. */
function logUrl(url: string, client: string | null, before: number | null = null): string {
  const query = new URLSearchParams({
    ...(client === null ? {} : { client }),
    ...(before === null ? {} : { before: String(before) }),
  });
  return query.size === 0 ? url : `${url}?${query}`;
}

const placesOf = (url: string) =>
  (
    [
      [roomUrl, 'tv'],
      [webUrl, 'web'],
      [cardsUrl, 'cards'],
      ['/outbox', 'mails'],
    ] as const
  ).map(([href, name]) => ({
    href,
    label: word(`place.${name}`),
    isHere: href === url || isCardOf(href, url),
  }));

/** A client's card stands among all of them. */
const isCardOf = (place: string, url: string) => place === cardsUrl && url.startsWith(`${cardsUrl}/`);

const chipOf = ({ client, sum, rules }: Card) => ({
  href: cardUrl(client),
  label: word('card.chip', { client, kept: sum.kept, all: rules.length }),
});

function aheadOf(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 120) return `+${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 72 ? `+${hours} h` : `+${Math.round(hours / 24)} d`;
}

async function shownTv(tv: Television, { viewer }: Room) {
  const { code, phase, heard, nextPollAt } = tv;
  const { pictureOf } = await loadTotp();
  const known = ['access_denied', 'expired_token'];
  return {
    phase,
    address: code.address.replace(/^https?:\/\//, ''),
    userCode: code.userCode,
    // As it came: no other scheme, no shorter address (contract, "POST /api/oidc/device/auth (device flow step 1)").
    qr: pictureOf(code.completeAddress),
    expiresAt: code.expiresAt,
    expires: timeOf(code.expiresAt),
    nextPollAt,
    polls: timeOf(nextPollAt),
    name: viewer === null ? word('tv.someone') : viewer.name,
    plan: viewer === null ? null : planOf(viewer.packages),
    stop: heard !== null && known.includes(heard) ? heard : 'other',
  };
}

const planOf = (packages: readonly string[]) =>
  packages.length === 0 ? word('tv.noPlan') : packages.join(' · ');

/** The buttons of the TV, as it is: the one that a newcomer needs stands out. */
function actsOf(tv: Television | null, mayBeOn: boolean, now: number) {
  const act = (name: string, label = name, isMain = false) => ({
    name,
    label: word(`tv.do.${label}`),
    isMain,
  });
  if (!mayBeOn) return [];
  if (tv === null) return [act('on', 'start', true)];
  switch (tv.phase) {
    case 'asking':
      return [
        act('poll', now < tv.nextPollAt - pollTolerance ? 'pollEarly' : 'poll'),
        act('pollTwice'),
        act('lose'),
        act('expire'),
        act('on'),
        act('off'),
      ];
    case 'signed-in':
      return [
        act('refresh'),
        ...(tv.tokens?.oldRefreshToken === null ? [] : [act('replay')]),
        act('refreshTwice'),
        act('again'),
        act('revoke'),
        act('on'),
      ];
    case 'stopped':
      return [act('on', 'on', true), act('again', 'stopped'), act('off')];
  }
}

function shownPhone({ tv, phone }: Room, host: string) {
  const { address, opened } = phone;
  return {
    src: address,
    opened,
    address: address === null ? host : `${host}${address.replace(/\?.*$/, '')}`,
    isAwaited: tv?.phase === 'asking' && address === null,
  };
}

/** The members who can take the phone by a click: two, those that the documents name before others. */
async function holdersOf({ tenant }: FastifyRequest, { deps }: Context) {
  const search = { status: 'active', sort: 'createdAt' } as const;
  const members = await deps.store.transaction((tx) => listMembers(tx, tenant.id, search, 50, deps.clock()));
  const named = ['cy@example.com', 'ada@example.com'];
  const byName = [...members].sort((a, b) => named.indexOf(b.email) - named.indexOf(a.email));
  return byName.slice(0, 2).map(({ email, fullName }) => ({ email, name: fullName.split(' ')[0] ?? email }));
}
