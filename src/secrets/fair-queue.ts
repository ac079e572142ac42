/** The tenant and address that work is done for: the flood of one may not displace others (security, promise 7). */
export interface Share {
  readonly tenant: string;
  readonly address: string;
}

/** The service's own work, and what no tenant's members ask for. */
export const ownShare: Share = { tenant: '', address: '' };

interface Piece extends Share {
  readonly start: () => void;
  readonly refuse: () => void;
}

/**
 * Runs at most `inFlight` pieces of work at once; at most `waiting` wait. Tenants take turns, and in each
 * tenant its addresses: a flood waits behind itself. Where all places are taken, a newcomer gets one
 * from the holder of most of them, if that is fairer; else it is refused.
 *
 * @param busy makes the error of what is refused
 */
export function fairQueue(inFlight: number, waiting: number, busy: () => Error) {
  let queue: readonly Piece[] = [];
  let running = 0;
  const tenants = rotation();
  const addresses = new Map<string, Rotation>();

  const enter = (piece: Piece) => {
    if (!addresses.has(piece.tenant)) addresses.set(piece.tenant, rotation());
    queue = [...queue, piece];
  };
  const leave = (piece: Piece) => {
    queue = queue.filter((other) => other !== piece);
    if (queue.length === 0) addresses.clear();
  };
  /** The next in turn leaves the queue, and counts as served. */
  const next = (): Piece | undefined => {
    const tenant = tenants.first(queue.map((piece) => piece.tenant));
    const own = queue.filter((piece) => piece.tenant === tenant);
    const address = addresses.get(tenant ?? '')?.first(own.map((piece) => piece.address));
    const piece = own.find((candidate) => candidate.address === address);
    if (piece === undefined) return undefined;
    tenants.serve(piece.tenant);
    addresses.get(piece.tenant)?.serve(piece.address);
    leave(piece);
    return piece;
  };

  return async <T>(work: () => Promise<T>, share: Share): Promise<T> => {
    if (running < inFlight) running += 1;
    else {
      if (queue.length >= waiting) {
        const displaced = unfairest(queue, share);
        if (displaced === undefined) throw busy();
        leave(displaced);
        displaced.refuse();
      }
      await new Promise<void>((start, reject) => enter({ ...share, start, refuse: () => reject(busy()) }));
    }
    try {
      return await work();
    } finally {
      // The place goes straight to the next in turn, so no other piece can slip in between.
      const piece = next();
      if (piece === undefined) running -= 1;
      else piece.start();
    }
  };
}

/** The piece whose place a newcomer takes: the last of a holder with at least two more than the newcomer, if any. */
function unfairest(queue: readonly Piece[], { tenant, address }: Share): Piece | undefined {
  const heaviest = heaviestOf(queue, (piece) => piece.tenant, tenant);
  const own = queue.filter((piece) => piece.tenant === (heaviest ?? tenant));
  if (heaviest !== null) {
    const most = heaviestOf(own, (piece) => piece.address, null);
    return own.findLast((piece) => piece.address === most);
  }
  const most = heaviestOf(own, (piece) => piece.address, address);
  return own.findLast((piece) => piece.address === most);
}

/** The key that most pieces have, if it has at least two more than `own` has; null if none has. */
function heaviestOf(
  queue: readonly Piece[],
  keyOf: (piece: Piece) => string,
  own: string | null,
): string | null {
  const counts = new Map<string, number>();
  for (const piece of queue) counts.set(keyOf(piece), (counts.get(keyOf(piece)) ?? 0) + 1);
  // Of several the one that came last.
  const [heaviest] = [...counts].reverse().sort(([, one], [, other]) => other - one);
  if (heaviest === undefined) return null;
  const [key, count] = heaviest;
  return own === null || count >= (counts.get(own) ?? 0) + 2 ? key : null;
}

type Rotation = ReturnType<typeof rotation>;

/**
 * Whose turn it is among keys that come and go (start-time fair queueing, Goyal, Vin and Cheng 1996). A key that was
 * away begins at the present turn, neither ahead of those who waited nor behind them.
 */
function rotation() {
  const turns = new Map<string, number>();
  let present = 0;
  const turnOf = (key: string) => Math.max(turns.get(key) ?? present, present);
  return {
    serve(key: string): void {
      present = turnOf(key);
      // Whose turn has come needs no entry: the memory holds those alone who were served just now.
      for (const [other, turn] of turns) if (turn <= present) turns.delete(other);
      turns.set(key, present + 1);
    },
    /** The one of these keys whose turn it is; the first of them where there are several. */
    first(keys: readonly string[]): string | undefined {
      return keys.toSorted((one, other) => turnOf(one) - turnOf(other))[0];
    },
  };
}
