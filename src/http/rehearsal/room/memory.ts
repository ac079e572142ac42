// What the room remembers of each tenant: its TV, its phone, its web client, and who looks on.
import type { Television } from '../../../core/rehearsal/television.ts';
import type { Endpoints, Profile } from './call.ts';
import type { WebRun } from './web/run.ts';

/** What stands in a tenant's room. */
export interface Room {
  /** The client that the TV is; null for the first that may be one. */
  readonly tvClient: string | null;
  readonly tv: Television | null;
  /** Where the TV sends what it asks: read when it is turned on, as the contract asks. */
  readonly endpoints: Endpoints | null;
  /** Whose the TV is, once it has asked. */
  readonly viewer: Profile | null;
  /** What the phone shows, and how often it was told to open something. */
  readonly phone: { readonly address: string | null; readonly opened: number };
  readonly web: WebRun | null;
  /** What the last button has to say, beside what the log shows. */
  readonly notice: string | null;
}

const empty: Room = {
  tvClient: null,
  tv: null,
  endpoints: null,
  viewer: null,
  phone: { address: null, opened: 0 },
  web: null,
  notice: null,
};

type Listener = () => void;

export type Rooms = ReturnType<typeof createRooms>;

/** The rooms of development tenants, until the end of the process. */
export function createRooms() {
  let rooms = new Map<string, Room>();
  const listeners = new Map<string, Set<Listener>>();
  const tell = (tenantId: string) => {
    for (const listener of listeners.get(tenantId) ?? []) listener();
  };
  return {
    of: (tenantId: string): Room => rooms.get(tenantId) ?? empty,
    change(tenantId: string, changed: Partial<Room>): void {
      rooms.set(tenantId, { ...(rooms.get(tenantId) ?? empty), ...changed });
      tell(tenantId);
    },
    /** Calls back whenever something in the room of a tenant is another. @returns what ends that */
    subscribe(tenantId: string, listener: Listener): () => void {
      const own = listeners.get(tenantId) ?? new Set();
      listeners.set(tenantId, own.add(listener));
      return () => own.delete(listener);
    },
    /** Tells all who look on that something is another, such as the clock. */
    tellAll(): void {
      for (const tenantId of listeners.keys()) tell(tenantId);
    },
    /** @returns what puts everything back as it is now, in the rooms of all tenants */
    keep(): () => void {
      const kept = new Map(rooms);
      return () => {
        rooms = new Map(kept);
      };
    },
  };
}
