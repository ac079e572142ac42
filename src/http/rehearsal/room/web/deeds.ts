// What the buttons of the web flow do: POST /rehearsal/web/do.
import { exactly, oneOf } from '../../../../operations/json-schema.ts';
import { type Deed, DeedRefused, deed } from '../../deeds.ts';
import { type Context, seatOf } from '../context.ts';

const acts = [
  'ask',
  'begin',
  'exchange',
  'exchangeWrong',
  'refresh',
  'refreshTwice',
  'replay',
  'revoke',
] as const;

export const webDeeds = ({ rooms, webClient }: Context): readonly Deed[] => [
  deed({
    method: 'POST',
    path: '/web/do',
    fields: exactly('What the web client does', { do: oneOf('WebAct', 'One of these', acts) }),
    async run({ do: act }, request) {
      const seat = seatOf(request);
      if (act === 'begin') {
        if ((await webClient.begin(seat, request)) === null) {
          throw new DeedRefused('a client named rehearsal is there already, and is not ours');
        }
      } else await webClient[act](seat);
      const run = rooms.of(request.tenant.id).web;
      return { signed_in: run?.tokens !== null && run !== null, ended: run?.ended ?? null };
    },
  }),
];
