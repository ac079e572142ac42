// The TV of the room: it is turned on, polls by the contract's rules while a page looks on, and does wrong on demand.
import { deviceGrant } from '../../../core/rehearsal/explain/device.ts';
import { heardPoll, heardRefresh, type Television, turnedOn } from '../../../core/rehearsal/television.ts';
import type { OpenTenant } from '../../../operations/tenant/open-tenants.ts';
import type { Deps } from '../../deps.ts';
import { call, type Meeting, meetingOf, type Place, readEndpoints, readProfile, sentTimes } from './call.ts';
import type { Rooms } from './memory.ts';

/** The TV of a tenant, and where it sends its requests. */
export interface Seat {
  readonly tenant: OpenTenant;
  readonly place: Place;
}

export type TvSet = ReturnType<typeof createTvSet>;

/** What the TV tells of itself. */
const description = { device_name: 'Living room', device_model: 'Rehearsal TV' } as const;

/** Where the TVs of all tenants stand, and what they know the time by. */
interface Sets {
  readonly rooms: Rooms;
  readonly clock: Deps['clock'];
}

export function createTvSet(rooms: Rooms, { clock }: Pick<Deps, 'clock'>) {
  const sets = { rooms, clock };
  const polling = new Set<string>();
  const tokensOf = (seat: Seat) => tvOf(sets, seat)?.tokens;

  return {
    /** Asks for a new code, whatever the TV showed. @returns whether it got one */
    turnOn: (seat: Seat, clientId: string) => turnOn(sets, seat, clientId),
    turnOff: ({ tenant }: Seat) => rooms.change(tenant.id, { tv: null, viewer: null }),
    poll: (seat: Seat) => poll(sets, seat),
    pollTwice: async (seat: Seat) => {
      const both = meetingOf(2);
      await Promise.all([poll(sets, seat, both), poll(sets, seat, both)]);
    },
    /** Polls when it is time to: one poll at a time (contract, "Polling rules"). */
    async pollIfDue(seat: Seat): Promise<void> {
      const { tenant } = seat;
      const tv = tvOf(sets, seat);
      if (tv?.phase !== 'asking' || clock() < tv.nextPollAt || polling.has(tenant.id)) return;
      polling.add(tenant.id);
      try {
        await poll(sets, seat);
      } finally {
        polling.delete(tenant.id);
      }
    },
    refresh: (seat: Seat) => refresh(sets, seat, tokensOf(seat)?.refreshToken),
    /** With the token before, as a thief would, or a client that forgot the new one. */
    replay: (seat: Seat) => refresh(sets, seat, tokensOf(seat)?.oldRefreshToken),
    refreshTwice: (seat: Seat) => refresh(sets, seat, tokensOf(seat)?.refreshToken, 2),
    revoke: (seat: Seat) => revoke(sets, seat),
    greet: async (seat: Seat) => {
      const tv = tvOf(sets, seat);
      if (tv !== null) await greet(sets, seat, tv);
    },
  };
}

const endpointsOf = ({ rooms }: Sets, { tenant }: Seat) => rooms.of(tenant.id).endpoints;
const tvOf = ({ rooms }: Sets, { tenant }: Seat) => rooms.of(tenant.id).tv;
const keep = ({ rooms }: Sets, { tenant }: Seat, tv: Television) => rooms.change(tenant.id, { tv });

async function turnOn({ rooms, clock }: Sets, { place, tenant }: Seat, clientId: string): Promise<boolean> {
  const endpoints = await readEndpoints(place, tenant);
  const path = endpoints?.deviceAuthorization;
  if (typeof path !== 'string') return false;
  const form = { client_id: clientId, scope: 'openid offline_access', ...description };
  const answer = await call(place, { path, form });
  const tv = answer === null ? null : turnedOn(clientId, answer, clock());
  const { tvClient: before, phone: shown } = rooms.of(tenant.id);
  const phone = { address: null, opened: shown.opened + 1 };
  const tvClient = tv === null ? before : clientId;
  rooms.change(tenant.id, { tvClient, tv, endpoints, viewer: null, phone });
  return tv !== null;
}

/** Sends a form to the token endpoint; null where no answer comes. */
async function ask(
  sets: Sets,
  seat: Seat,
  { clientId }: Television,
  fields: Readonly<Record<string, string>>,
  meeting?: Meeting,
) {
  const path = endpointsOf(sets, seat)?.token;
  if (path === undefined) return null;
  return call(seat.place, { path, form: { client_id: clientId, ...fields } }, meeting);
}

/** One poll; the TV takes in its answer unless it was turned off or given another code meanwhile. */
async function poll(sets: Sets, seat: Seat, meeting?: Meeting): Promise<void> {
  const tv = tvOf(sets, seat);
  if (tv === null) return;
  const fields = { grant_type: deviceGrant, device_code: tv.code.deviceCode };
  const answer = await ask(sets, seat, tv, fields, meeting);
  const now = tvOf(sets, seat);
  if (now?.code !== tv.code) return;
  const heard = heardPoll(now, answer, sets.clock());
  keep(sets, seat, heard);
  if (heard.tokens !== null && heard.tokens !== now.tokens) await greet(sets, seat, heard);
}

/** The TV asks who watches it. */
async function greet({ rooms }: Sets, { tenant, place }: Seat, { tokens }: Television): Promise<void> {
  const viewer = tokens === null ? null : await readProfile(place, tokens.accessToken);
  rooms.change(tenant.id, { viewer });
}

async function refresh(sets: Sets, seat: Seat, token: string | null | undefined, times = 1): Promise<void> {
  const tv = tvOf(sets, seat);
  if (tv === null || typeof token !== 'string') return;
  const fields = { grant_type: 'refresh_token', refresh_token: token };
  for (const answer of await sentTimes(times, (meeting) => ask(sets, seat, tv, fields, meeting))) {
    const now = tvOf(sets, seat);
    if (now?.code === tv.code) keep(sets, seat, heardRefresh(now, answer));
  }
}

async function revoke(sets: Sets, seat: Seat): Promise<void> {
  const tv = tvOf(sets, seat);
  const path = endpointsOf(sets, seat)?.revocation;
  const token = tv?.tokens?.refreshToken;
  if (tv === null || typeof path !== 'string' || typeof token !== 'string') return;
  const form = { client_id: tv.clientId, token, token_type_hint: 'refresh_token' };
  await call(seat.place, { path, form });
  keep(sets, seat, { ...tv, phase: 'stopped', heard: 'revoked', tokens: null });
}
