// The pages of report cards: all clients that were seen, and one with its rules.
import type { FastifyReply } from 'fastify';
import type { Card, GradedRule } from '../../../core/rehearsal/card/card.ts';
import type { RuleName } from '../../../core/rehearsal/card/rules.ts';
import type { Sighting } from '../../../core/rehearsal/card/sighting.ts';
import { roomUrl } from '../deeds.ts';
import type { Context } from '../room/context.ts';
import { sendRoomPage } from '../room/page.ts';
import { sharedData } from '../room/pages.ts';
import { timeOf } from '../room/shown.ts';
import { word } from '../room/words.ts';
import { cardsUrl, cardUrl } from './cards.ts';

/** GET /rehearsal/card. */
export function sendCards(reply: FastifyReply, context: Context): Promise<FastifyReply> {
  const { request } = reply;
  const cards = context.cards.seen(request.tenant.id);
  return sendRoomPage(reply, {
    template: 'card/list',
    title: 'title',
    data: {
      ...sharedData(request, context, cardsUrl),
      title: titleOf(word('card.title'), request.tenant),
      cards: cards.map((card) => ({ ...sumOf(card), href: cardUrl(card.client) })),
    },
  });
}

/** GET /rehearsal/card/:client. */
export function sendCard(reply: FastifyReply, card: Card, context: Context): Promise<FastifyReply> {
  const { request } = reply;
  const shared = sharedData(request, context, cardUrl(card.client));
  const isShown = new Set(shared.log.map(({ id }) => id));
  const parts = [...new Set(card.rules.map(({ part }) => part))];
  const isMoved = context.cards.markOf(request.tenant.id) !== null;
  return sendRoomPage(reply, {
    template: 'card/card',
    title: 'title',
    data: {
      isOfRoom: context.rooms.of(reply.request.tenant.id).tvClient === card.client,
      ...shared,
      title: titleOf(`${word('card.of')} ${card.client}`, request.tenant),
      card: sumOf(card),
      parts: parts.map((part) => ({
        part,
        rules: card.rules
          .filter((rule) => rule.part === part)
          .map((rule) => ({
            ...rule,
            entries: rule.entries.map((entry) => shownEntry(entry, isShown)),
            act: actOf(rule, card.client, isMoved),
          })),
      })),
    },
  });
}

const titleOf = (page: string, { name }: { readonly name: string }) => `${page} – ${name}`;

function sumOf({ client, passed, sum }: Card) {
  const state = passed ? 'passed' : sum.broken > 0 ? 'failed' : 'unseen-yet';
  return { client, sum, state };
}

/** An entry in a line; it leads to the log while it stands on the room's page. */
function shownEntry(entry: Sighting, isShown: ReadonlySet<number>) {
  const { id, at, method, path, status, error, lost } = entry;
  return {
    time: timeOf(at),
    href: isShown.has(id) ? `${roomUrl}#wire-${id}` : null,
    asked: `${method} ${path}`,
    heard: lost ? word('wire.lost') : [String(status), error ?? ''].join(' ').trim(),
    isGood: !lost && status < 400,
  };
}

/** What the room can do so that a rule is seen: fields of a form, and where it goes. */
const acts: Readonly<Partial<Record<RuleName, (client: string) => Act>>> = {
  slow_down: (client) => ['faults', { kind: 'slow_down', client }],
  back_off: (client) => ['faults', { kind: '500', endpoint: 'token', client }],
  stop: () => ['phone', { answer: 'reject' }],
  one_refresh: () => ['clock', { advance: '4h' }],
  state: (client) => ['faults', { kind: 'wrong_state', client }],
};
type Act = readonly [deed: string, fields: Readonly<Record<string, string>>];

function actOf({ rule, verdict }: GradedRule, client: string, isMoved: boolean) {
  const act = ([path, fields]: Act, name: string) => ({
    name,
    action: `${roomUrl}/${path}`,
    fields: Object.entries(fields),
  });
  if (rule === 'discovery') {
    return act(['endpoints', { moved: String(!isMoved) }], isMoved ? 'moved' : 'discovery');
  }
  const known = acts[rule];
  return verdict !== 'not_seen' || known === undefined ? null : act(known(client), rule);
}
