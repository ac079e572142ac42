// What the parts of the room are made of, and who sits in it.
import type { FastifyRequest } from 'fastify';
import type { Client } from '../../../core/client.ts';
import { listClients } from '../../../storage/clients/client.ts';
import type { Deps } from '../../deps.ts';
import type { Cards } from '../card/cards.ts';
import type { RoomClock } from '../clock/clock.ts';
import type { Faults } from '../faults/faults.ts';
import type { Phones } from '../members/phone.ts';
import type { Seed } from '../seed/seed.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';
import type { WireLog } from '../wire/recorder.ts';
import { placeOf } from './call.ts';
import type { Rooms } from './memory.ts';
import type { Seat, TvSet } from './set.ts';
import type { WebClient } from './web/client.ts';

export interface Context {
  readonly deps: Deps;
  readonly cards: Cards;
  readonly clock: RoomClock;
  readonly wire: WireLog;
  readonly faults: Faults;
  readonly phones: Phones;
  readonly seed: Seed;
  readonly snapshots: Snapshots;
  readonly rooms: Rooms;
  readonly tvSet: TvSet;
  readonly webClient: WebClient;
}

/** Where the clients of the room send what they are asked to send. */
export const seatOf = (request: FastifyRequest): Seat => ({
  tenant: request.tenant,
  place: placeOf(request),
});

/** The clients of a tenant that a TV without a secret can be; the one of the development data first. */
export async function tvClientsOf(
  { tenant }: FastifyRequest,
  { deps: { store } }: Pick<Context, 'deps'>,
): Promise<readonly string[]> {
  const clients = await store.transaction((tx) => listClients(tx, tenant.id));
  const isTv = ({ type, deviceFlow, disabledAt }: Client) =>
    type === 'public' && deviceFlow && disabledAt === null;
  const ids = clients.filter(isTv).map(({ clientId }) => clientId);
  return [...ids.filter((id) => id === 'tv'), ...ids.filter((id) => id !== 'tv')];
}
