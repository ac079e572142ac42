// Tells how clients keep the contract's rules, to people and to programs.
import type { FastifyRequest } from 'fastify';
import { type Card, cardOf } from '../../../core/rehearsal/card/card.ts';
import { exactly, someOf, text } from '../../../operations/json-schema.ts';
import { findClient } from '../../../storage/clients/client.ts';
import { transactionOf } from '../../audit.ts';
import { sendProblem } from '../../pages/problem.ts';
import { type Deed, DeedRefused, deed } from '../deeds.ts';
import type { Context } from '../room/context.ts';
import { sendCard, sendCards } from './pages.ts';

const ofClient = exactly('A client', { client: text('Its client_id', 'tv') });
const nothing = someOf('Nothing', {});

/** GET /rehearsal/card and /rehearsal/card/:client, which are JSON where they end in .json, and what begins a card anew. */
export function cardDeeds(context: Context): readonly Deed[] {
  const { cards, deps } = context;
  /** A client that nothing came of has a card too. @returns null where there is no such client */
  const find = async (request: FastifyRequest, client: string): Promise<Card | null> => {
    const { id } = request.tenant;
    const seen = cards.of(id, client);
    if (seen !== null) return seen;
    const known = await transactionOf(request, deps, (tx) => findClient(tx, id, client));
    return known === null ? null : cardOf(client, null);
  };
  const clear = ({ client }: { readonly client: string }, { tenant }: FastifyRequest) => {
    cards.clear(tenant.id, client);
    return cardOf(client, null);
  };
  return [
    deed({
      method: 'GET',
      path: '/card',
      fields: nothing,
      run: (_input, _request, reply) => sendCards(reply, context),
    }),
    deed({
      method: 'GET',
      path: '/card.json',
      fields: nothing,
      run: (_input, { tenant }) => ({
        clients: cards.seen(tenant.id).map(({ client, passed, sum }) => ({ client, passed, sum })),
      }),
    }),
    deed({
      method: 'GET',
      path: '/card/:client',
      fields: ofClient,
      async run({ client }, request, reply) {
        // The name of a client may end so too.
        const whole = await find(request, client);
        if (whole !== null) return sendCard(reply, whole, context);
        const [, named] = /^(.*)\.json$/s.exec(client) ?? [];
        if (named === undefined) return sendProblem(reply, 'notFound');
        const card = await find(request, named);
        if (card === null) throw new DeedRefused('there is no such client', 404);
        return card;
      },
    }),
    deed({ method: 'DELETE', path: '/card/:client', fields: ofClient, run: clear }),
    deed({ method: 'POST', path: '/card/:client/clear', fields: ofClient, run: clear }),
  ];
}
