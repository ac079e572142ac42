// Keeps what is known of the clients of each tenant by what went over the wire.
import { type Card, cardOf } from '../../../core/rehearsal/card/card.ts';
import { remembered } from '../../../core/rehearsal/card/sighting.ts';
import {
  emptyTally,
  moved,
  putBack,
  type Tally,
  taken,
  without,
} from '../../../core/rehearsal/card/tally.ts';
import { wireKept } from '../../../core/rehearsal/limits.ts';
import type { OpenTenant } from '../../../operations/tenant/open-tenants.ts';
import type { CardSum } from '../../deps.ts';
import { roomUrl } from '../deeds.ts';

/** The pages: of all clients, and of one. */
export const cardsUrl = `${roomUrl}/card`;
export const cardUrl = (client: string) => `${cardsUrl}/${encodeURIComponent(client)}`;

export type Cards = ReturnType<typeof createCards>;

/** The report cards of each tenant, until a reset or the end of the process. */
export function createCards() {
  let tallies: ReadonlyMap<string, Tally> = new Map();
  const of = (tenantId: string): Tally => tallies.get(tenantId) ?? emptyTally;
  const set = (tenantId: string, tally: Tally): void => {
    // The tenant that nothing was asked of for longest is forgotten first.
    tallies = remembered(tallies, tenantId, tally, wireKept.tenants);
  };
  return {
    /** Takes in what went over the wire. */
    witness: (tenantId: string, entry: Parameters<typeof taken>[1]): void =>
      set(tenantId, taken(of(tenantId), entry)),
    /** The cards of the clients that were seen, the one that was seen last first. */
    seen: (tenantId: string): readonly Card[] =>
      [...of(tenantId).clients].map(([client, tally]) => cardOf(client, tally)).reverse(),
    /** The card of a client; null if nothing came of it. */
    of(tenantId: string, client: string): Card | null {
      const tally = of(tenantId).clients.get(client);
      return tally === undefined ? null : cardOf(client, tally);
    },
    /** Begins a client's card anew. */
    clear: (tenantId: string, client: string): void => set(tenantId, without(of(tenantId), client)),
    /** What the addresses of a tenant's endpoints bear since they were moved; null where they were not. */
    markOf: (tenantId: string): string | null => of(tenantId).addresses.mark,
    move: (tenantId: string, mark: string | null): void => set(tenantId, moved(of(tenantId), mark)),
    forget(): void {
      tallies = new Map();
    },
    /** Where the endpoints are belongs to a snapshot. @returns what puts that back with the data */
    keep() {
      const then = tallies;
      return () => {
        tallies = new Map(
          [...tallies].map(([id, tally]) => [id, putBack(tally, (then.get(id) ?? emptyTally).addresses)]),
        );
      };
    },
  };
}

/** The card of a client in short, for a page elsewhere. */
export function cardSumOf(
  cards: Pick<Cards, 'of'>,
  { id, issuer }: Pick<OpenTenant, 'id' | 'issuer'>,
  client: string,
): CardSum {
  const { rules, sum } = cards.of(id, client) ?? cardOf(client, null);
  return { kept: sum.kept, broken: sum.broken, all: rules.length, href: issuer + cardUrl(client) };
}
