// Tells what the TV shows, and does what its buttons and programs ask for: GET and POST /rehearsal/tv.
import type { FastifyRequest } from 'fastify';
import { sha256 } from '../../../core/hash.ts';
import { oneOf, type Schema, someOf, text } from '../../../operations/json-schema.ts';
import { findDeviceCode } from '../../../storage/grants/device-code.ts';
import { expireDeviceCode } from '../../../storage/rehearsal/device-code.ts';
import { transactionOf } from '../../audit.ts';
import { type Deed, DeedRefused, deed } from '../deeds.ts';
import { type Context, seatOf, tvClientsOf } from './context.ts';
import type { Room } from './memory.ts';

const acts = [
  'again',
  'expire',
  'lose',
  'off',
  'on',
  'poll',
  'pollTwice',
  'refresh',
  'refreshTwice',
  'replay',
  'revoke',
] as const;
type Act = (typeof acts)[number];

const fields: Schema<{ readonly do: Act; readonly client?: string }> = {
  ...someOf('What the TV does', {
    do: oneOf('TvAct', 'One of these', acts),
    client: text('The client that it is, when it is turned on', 'tv'),
  }),
  required: ['do'],
} as never;

export const tvDeeds = (context: Context): readonly Deed[] => [
  deed({
    method: 'GET',
    path: '/tv',
    fields: someOf('Nothing', {}),
    run: (_input, { tenant }) => toldTv(context.rooms.of(tenant.id)),
  }),
  deed({
    method: 'POST',
    path: '/tv',
    fields,
    async run({ do: act, client }, request) {
      if (act === 'on') await turnOn(context, request, client);
      else await doWith(context, request, act);
      return toldTv(context.rooms.of(request.tenant.id));
    },
  }),
];

async function turnOn(context: Context, request: FastifyRequest, asked: string | undefined): Promise<void> {
  const { rooms, tvSet } = context;
  const { id } = request.tenant;
  const known = await tvClientsOf(request, context);
  const client = asked ?? rooms.of(id).tvClient ?? known[0];
  if (client === undefined) throw new DeedRefused('no public client of this tenant has the device flow on');
  const isOn = await tvSet.turnOn(seatOf(request), client);
  if (!isOn) throw new DeedRefused('the TV got no code: the log says why');
}

function doWith(context: Context, request: FastifyRequest, act: Exclude<Act, 'on'>): Promise<void> | void {
  const { faults, rooms, tvSet } = context;
  const seat = seatOf(request);
  const { tv } = rooms.of(request.tenant.id);
  if (act === 'off') return tvSet.turnOff(seat);
  if (tv === null) throw new DeedRefused('the TV is off');
  switch (act) {
    case 'lose':
      faults.add(request.tenant.id, {
        kind: 'drop',
        endpoint: 'token',
        client: tv.clientId,
        memberId: null,
        times: 1,
        seconds: null,
      });
      return tvSet.poll(seat);
    case 'expire':
      return expire(context, request, tv.code.deviceCode);
    case 'again':
    case 'poll':
      return tvSet.poll(seat);
    case 'pollTwice':
    case 'refresh':
    case 'refreshTwice':
    case 'replay':
    case 'revoke':
      return tvSet[act](seat);
  }
}

/** Lets the code of the TV run out, without moving the clock of all else. */
async function expire({ deps, tvSet }: Context, request: FastifyRequest, deviceCode: string): Promise<void> {
  await transactionOf(request, deps, async (tx) => {
    const code = await findDeviceCode(tx, request.tenant.id, sha256(deviceCode));
    if (code !== null) await expireDeviceCode(tx, code, deps.clock());
  });
  await tvSet.poll(seatOf(request));
}

/** The TV, as a program reads it. */
function toldTv({ tv, viewer }: Room): object {
  if (tv === null) return { phase: 'off' };
  const { clientId, phase, code, heard, interval } = tv;
  return {
    phase,
    client: clientId,
    user_code: code.userCode,
    verification_uri_complete: code.completeAddress,
    heard,
    interval: interval / 1_000,
    member: viewer?.email ?? null,
  };
}
