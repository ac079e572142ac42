/**
 * What is known of the clients of a tenant by what went over the wire: it is taken in entry by entry, and stays when the log
 * has let them go. Bounded, whatever is sent.
 */
import { cardKept } from '../limits.ts';
import type { WireEntry } from '../wire.ts';
import { type Addresses, judgeAddress, readAddresses } from './discovery.ts';
import { type Codes, judgePolls } from './polls.ts';
import type { Finding, RuleName } from './rules.ts';
import { remembered } from './sighting.ts';
import { broughtTokens, type Holdings, judgeTokens, nothingHeld } from './tokens.ts';
import { judgeWeb, nothingSent, type WebMemory } from './web.ts';

/** How often a rule was seen kept, or broken, and the last time of each. */
export interface Grade {
  readonly kept: { readonly count: number; readonly last: Finding } | null;
  readonly broken: { readonly count: number; readonly last: Finding } | null;
}

export interface ClientTally {
  /** Entries that were of it, and when the last one came (ms). */
  readonly entries: number;
  readonly lastAt: number;
  readonly codes: Codes;
  readonly holdings: Holdings;
  readonly web: WebMemory;
  readonly grades: ReadonlyMap<RuleName, Grade>;
}

export interface Tally {
  readonly addresses: Addresses;
  /** By the names of the clients: the one that nothing came of for longest first. */
  readonly clients: ReadonlyMap<string, ClientTally>;
}

export const emptyTally: Tally = { addresses: { mark: null, plainAt: null }, clients: new Map() };

const newClient: ClientTally = {
  entries: 0,
  lastAt: 0,
  codes: new Map(),
  holdings: nothingHeld,
  web: nothingSent,
  grades: new Map(),
};

/** Takes in an entry, in the order in which they are numbered. */
export function taken(tally: Tally, entry: WireEntry): Tally {
  const addresses = readAddresses(tally.addresses, entry);
  const name = clientOf(tally, entry);
  if (name === null) return addresses === tally.addresses ? tally : { ...tally, addresses };
  const before = tally.clients.get(name) ?? newClient;
  const polls = judgePolls(before.codes, entry);
  const tokens = judgeTokens(before.holdings, entry);
  const web = judgeWeb(before.web, entry);
  const findings = [polls, tokens, web].flatMap((judged) => judged.findings);
  const client = {
    entries: before.entries + 1,
    lastAt: entry.at,
    codes: polls.memory,
    holdings: tokens.memory,
    web: web.memory,
    grades: [...findings, ...judgeAddress(addresses, entry)].reduce(withFinding, before.grades),
  };
  return { addresses, clients: remembered(tally.clients, name, client, cardKept.clients) };
}

/**
 * The client that an entry is of: one that was found, one that is known here and named, or the one whose token it brings. Any
 * number of names may be made up: they push out none that is real.
 */
function clientOf({ clients }: Tally, entry: WireEntry): string | null {
  const { client, found } = entry;
  if (client !== null && (found || clients.has(client))) return client;
  const brought = broughtTokens(entry);
  if (client !== null || brought.length === 0) return null;
  const holds = ({ holdings: { tokens } }: ClientTally) => brought.some((mark) => tokens.has(mark));
  return [...clients].find(([, one]) => holds(one))?.[0] ?? null;
}

function withFinding(grades: ReadonlyMap<RuleName, Grade>, finding: Finding): ReadonlyMap<RuleName, Grade> {
  const { rule, verdict } = finding;
  const grade = grades.get(rule) ?? { kept: null, broken: null };
  const count = (grade[verdict]?.count ?? 0) + 1;
  return new Map([...grades, [rule, { ...grade, [verdict]: { count, last: finding } }]]);
}

/**
 * The data of the tenant were put back: codes and tokens may be good once more, and the same be made again. What clients were
 * seen to do before stays.
 */
export const putBack = ({ clients }: Tally, addresses: Addresses): Tally => ({
  addresses,
  clients: new Map(
    [...clients].map(([name, { entries, lastAt, grades }]) => [
      name,
      { ...newClient, entries, lastAt, grades },
    ]),
  ),
});

/** Forgets one client. */
export const without = (tally: Tally, client: string): Tally => ({
  ...tally,
  clients: new Map([...tally.clients].filter(([name]) => name !== client)),
});

/** The endpoints are moved, or back where they were. @param mark null for that */
export const moved = (tally: Tally, mark: string | null): Tally => ({
  ...tally,
  addresses: { ...tally.addresses, mark },
});
