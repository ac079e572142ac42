// Puts the states of a chart on levels, the way down being the way of a life, and orders what stands on each.
import type { Arrow, Graph } from './graph.ts';

/** What stands on a level: a state, the words of an arrow, or a place where an arrow passes. */
export interface Place {
  readonly kind: 'state' | 'words' | 'pass';
  /** Of a state its name; of the others the arrow's place in the list. */
  readonly of: string | number;
  readonly level: number;
}

/** An arrow, by the places that it leads along from the upper state to the lower one. */
export interface Chain {
  readonly arrow: Arrow;
  /** Whether it leads up: back to a state from which its own one was reached. */
  readonly isUp: boolean;
  readonly places: readonly Place[];
}

export interface Levels {
  /** From the top down; on every second level stand the words of arrows. */
  readonly levels: readonly (readonly Place[])[];
  readonly chains: readonly Chain[];
}

/** So many times the levels are ordered by their neighbours: these graphs are small. */
const sweeps = 24;

export function levelsOf(graph: Graph): Levels {
  const upward = upwardArrows(graph);
  const depths = depthsOf(graph, upward);
  const states = graph.states.map(
    ({ name }): Place => ({ kind: 'state', of: name, level: 2 * (depths.get(name) ?? 0) }),
  );
  const placeOf = new Map(states.map((place) => [place.of, place]));
  const chains = graph.arrows.flatMap((arrow, index) => {
    const isUp = upward.has(arrow);
    const [upper, lower] = [arrow.from, arrow.to].map((name) => placeOf.get(name));
    if (upper === undefined || lower === undefined) return [];
    const places = isUp ? between(lower, upper, index) : between(upper, lower, index);
    return [{ arrow, isUp, places }];
  });
  const all = new Set([...states, ...chains.flatMap(({ places }) => places)]);
  const levels = Map.groupBy(all, ({ level }) => level);
  const fromTop = [...levels.keys()].sort((a, b) => a - b).map((level) => levels.get(level) ?? []);
  return { levels: ordered(fromTop, chains), chains };
}

/** The arrows that close a circle, found on the way from the first state. */
function upwardArrows({ states, arrows }: Graph): ReadonlySet<Arrow> {
  const upward = new Set<Arrow>();
  const seen = new Set<string>();
  const visit = (name: string, above: ReadonlySet<string>) => {
    seen.add(name);
    const way = new Set([...above, name]);
    for (const arrow of arrows.filter(({ from }) => from === name)) {
      if (way.has(arrow.to)) upward.add(arrow);
      else if (!seen.has(arrow.to)) visit(arrow.to, way);
    }
  };
  for (const { name } of states) if (!seen.has(name)) visit(name, new Set());
  return upward;
}

/** How far down each state is: below every state that leads to it. */
function depthsOf({ states, arrows }: Graph, upward: ReadonlySet<Arrow>): ReadonlyMap<string, number> {
  const depths = new Map(states.map(({ name }) => [name, 0]));
  for (const _ of states) {
    for (const arrow of arrows) {
      if (upward.has(arrow)) continue;
      depths.set(arrow.to, Math.max(depths.get(arrow.to) ?? 0, (depths.get(arrow.from) ?? 0) + 1));
    }
  }
  return depths;
}

/** The places from one state down to another: the words stand in the middle. */
function between(upper: Place, lower: Place, arrow: number): readonly Place[] {
  const levels = lower.level - upper.level - 1;
  const words = upper.level + 1 + 2 * Math.floor((levels - 1) / 4);
  const inner = Array.from({ length: levels }, (_, at): Place => {
    const level = upper.level + 1 + at;
    return { kind: level === words ? 'words' : 'pass', of: arrow, level };
  });
  return [upper, ...inner, lower];
}

type Neighbours = ReadonlyMap<Place, readonly Place[]>;

/** Brings what belongs together below one another; of all orders seen, the one with the fewest crossings. */
function ordered(first: readonly (readonly Place[])[], chains: readonly Chain[]): Levels['levels'] {
  const above = neighboursOf(chains, -1);
  const below = neighboursOf(chains, 1);
  let levels = first.map((level) => [...level]);
  let best = levels;
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    const isDown = sweep % 2 === 0;
    const turns = isDown ? levels.keys() : [...levels.keys()].reverse();
    levels = [...levels];
    for (const at of turns) {
      const beside = levels[isDown ? at - 1 : at + 1];
      if (beside !== undefined) levels[at] = byNeighbours(levels[at] ?? [], beside, isDown ? above : below);
    }
    if (crossings(levels, below) < crossings(best, below)) best = levels;
  }
  return best;
}

function neighboursOf(chains: readonly Chain[], step: 1 | -1): Neighbours {
  const pairs = chains.flatMap(({ places }) =>
    places.map((place, at) => ({ place, next: places[at + step] })),
  );
  const grouped = Map.groupBy(pairs, ({ place }) => place);
  return new Map(
    [...grouped].map(([place, all]) => [
      place,
      all.flatMap(({ next }) => (next === undefined ? [] : [next])),
    ]),
  );
}

/** Places by the middle of their neighbours; one without any stays about where it is. */
function byNeighbours(level: readonly Place[], beside: readonly Place[], neighbours: Neighbours): Place[] {
  const middles = new Map(
    level.map((place, at) => {
      const found = (neighbours.get(place) ?? []).map((other) => beside.indexOf(other));
      const middle = found.reduce((sum, index) => sum + index, 0) / found.length;
      return [place, found.length === 0 ? (at / level.length) * beside.length : middle];
    }),
  );
  return [...level].sort((a, b) => (middles.get(a) ?? 0) - (middles.get(b) ?? 0));
}

/** How often lines between the levels cross. */
function crossings(levels: Levels['levels'], below: Neighbours): number {
  return levels.reduce((sum, level, at) => {
    const next = levels[at + 1] ?? [];
    const ends = level.flatMap((place) =>
      (below.get(place) ?? []).map((other) => next.indexOf(other)).sort((a, b) => a - b),
    );
    const crossed = ends.flatMap((end, index) => ends.slice(index + 1).filter((other) => other < end));
    return sum + crossed.length;
  }, 0);
}
