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

export function createTvSet(rooms: Rooms, { clock }: Pick<Deps, 'clock'>) {
  const polling = new Set<string>();

  const endpointsOf = ({ tenant }: Seat) => rooms.of(tenant.id).endpoints;
  const tvOf = ({ tenant }: Seat) => rooms.of(tenant.id).tv;
  const keep = ({ tenant }: Seat, tv: Television | null) => rooms.change(tenant.id, { tv });

  const send = async (
    seat: Seat,
    tv: Television,
    fields: Readonly<Record<string, string>>,
    meeting?: Meeting,
  ) => {
    const path = endpointsOf(seat)?.token;
    if (path === undefined) return null;
    return call(seat.place, { path, form: { client_id: tv.clientId, ...fields } }, meeting);
  };

  /** One poll; the TV takes in its answer unless it was turned off or given another code meanwhile. */
  const poll = async (seat: Seat, meeting?: Meeting): Promise<void> => {
    const tv = tvOf(seat);
    if (tv === null) return;
    const fields = { grant_type: deviceGrant, device_code: tv.code.deviceCode };
    const answer = await send(seat, tv, fields, meeting);
    const now = tvOf(seat);
    if (now?.code !== tv.code) return;
    const heard = heardPoll(now, answer, clock());
    keep(seat, heard);
    if (heard.tokens !== null && heard.tokens !== now.tokens) await greet(seat, heard);
  };

  /** The TV asks whose it is. */
  const greet = async ({ tenant, place }: Seat, { tokens }: Television): Promise<void> => {
    const viewer = tokens === null ? null : await readProfile(place, tokens.accessToken);
    rooms.change(tenant.id, { viewer });
  };

  const refresh = async (seat: Seat, token: string | null | undefined, times = 1): Promise<void> => {
    const tv = tvOf(seat);
    if (tv === null || typeof token !== 'string') return;
    const fields = { grant_type: 'refresh_token', refresh_token: token };
    for (const answer of await sentTimes(times, (meeting) => send(seat, tv, fields, meeting))) {
      const now = tvOf(seat);
      if (now?.code === tv.code) keep(seat, heardRefresh(now, answer));
    }
  };

  return {
    /** Asks for a new code, whatever the TV showed. @returns whether it got one */
    async turnOn(seat: Seat, clientId: string): Promise<boolean> {
      const endpoints = await readEndpoints(seat.place, seat.tenant);
      const path = endpoints?.deviceAuthorization;
      if (typeof path !== 'string') return false;
      const form = { client_id: clientId, scope: 'openid offline_access', ...description };
      const answer = await call(seat.place, { path, form });
      const tv = answer === null ? null : turnedOn(clientId, answer, clock());
      const { tvClient: before, phone: shown } = rooms.of(seat.tenant.id);
      const phone = { address: null, opened: shown.opened + 1 };
      const tvClient = tv === null ? before : clientId;
      rooms.change(seat.tenant.id, { tvClient, tv, endpoints, viewer: null, phone });
      return tv !== null;
    },
    turnOff: ({ tenant }: Seat) => rooms.change(tenant.id, { tv: null, viewer: null }),
    poll: (seat: Seat) => poll(seat),
    pollTwice: async (seat: Seat) => {
      const both = meetingOf(2);
      await Promise.all([poll(seat, both), poll(seat, both)]);
    },
    /** Polls when it is time to: one poll at a time (contract, "Polling rules"). */
    async pollIfDue(seat: Seat): Promise<void> {
      const { tenant } = seat;
      const tv = tvOf(seat);
      if (tv?.phase !== 'asking' || clock() < tv.nextPollAt || polling.has(tenant.id)) return;
      polling.add(tenant.id);
      try {
        await poll(seat);
      } finally {
        polling.delete(tenant.id);
      }
    },
    refresh: (seat: Seat) => refresh(seat, tvOf(seat)?.tokens?.refreshToken),
    /** With the token before, as a thief would, or a client that forgot the new one. */
    replay: (seat: Seat) => refresh(seat, tvOf(seat)?.tokens?.oldRefreshToken),
    refreshTwice: (seat: Seat) => refresh(seat, tvOf(seat)?.tokens?.refreshToken, 2),
    async revoke(seat: Seat): Promise<void> {
      const tv = tvOf(seat);
      const path = endpointsOf(seat)?.revocation;
      const token = tv?.tokens?.refreshToken;
      if (tv === null || typeof path !== 'string' || typeof token !== 'string') return;
      await call(seat.place, {
        path,
        form: { client_id: tv.clientId, token, token_type_hint: 'refresh_token' },
      });
      keep(seat, { ...tv, phase: 'stopped', heard: 'revoked', tokens: null });
    },
    greet: async (seat: Seat) => {
      const tv = tvOf(seat);
      if (tv !== null) await greet(seat, tv);
    },
  };
}
