// Where everything in the chart of a state machine stands: states as boxes on levels, arrows with their words between them.
import type { Arrow, Graph, State } from './graph.ts';
import { type Chain, type Levels, levelsOf, type Place } from './levels.ts';
import { spread } from './spread.ts';
import { arrowLines, type Detail, lineHeight, stateLines, type WordLine, widest } from './words.ts';

export interface Box {
  readonly state: State;
  readonly lines: readonly WordLine[];
  /** Its left upper corner. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A straight piece of an arrow's way, from above to below; what is between two pieces is a curve. */
export interface Piece {
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
}

export interface DrawnArrow {
  readonly arrow: Arrow;
  readonly isUp: boolean;
  /** From above to below. Words stand in the one piece that is not drawn. */
  readonly pieces: readonly (Piece & { readonly lines: readonly WordLine[] | null })[];
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly arrows: readonly DrawnArrow[];
}

const padding = { x: 14, y: 8 };
const gaps: Readonly<Record<Detail, { readonly beside: number; readonly below: number }>> = {
  whole: { beside: 20, below: 26 },
  small: { beside: 10, below: 18 },
};
/** Between arrows that end at one box. */
const portGap = 18;
const rounds = 120;

interface Size {
  readonly width: number;
  readonly height: number;
  readonly lines: readonly WordLine[];
}

/** What each step of the layout knows. */
interface Known {
  readonly graph: Graph;
  readonly levels: Levels['levels'];
  readonly chains: readonly Chain[];
  readonly detail: Detail;
  readonly sizes: ReadonlyMap<Place, Size>;
  /** How far from the middle of a state each chain begins or ends. */
  readonly ports: ReadonlyMap<Chain, { readonly upper: number; readonly lower: number }>;
}

export function layoutOf(graph: Graph, detail: Detail): Layout {
  const { levels, chains } = levelsOf(graph);
  const sizes = new Map(levels.flat().map((place) => [place, sizeOf(place, graph, detail)]));
  const ports = portsOf(levels, chains, sizes);
  const known: Known = { graph, levels, chains, detail, sizes, ports };
  const middles = middlesOf(known);
  const tops = topsOf(known);
  const left = Math.min(
    ...levels.flat().map((place) => (middles.get(place) ?? 0) - widthOf(known, place) / 2),
  );
  const at = (place: Place) => (middles.get(place) ?? 0) - left + 1;
  const boxes = boxesOf(known, at, tops);
  const ends = levels.flat().map((place) => at(place) + widthOf(known, place) / 2);
  return {
    width: Math.ceil(Math.max(...ends) + 1),
    height: Math.ceil(Math.max(...boxes.map(({ y, height }) => y + height)) + 1),
    boxes,
    arrows: chains.map((chain) => drawn(known, chain, at, tops)),
  };
}

const widthOf = ({ sizes }: Pick<Known, 'sizes'>, place: Place) => sizes.get(place)?.width ?? 0;
const heightOf = ({ sizes }: Pick<Known, 'sizes'>, place: Place) => sizes.get(place)?.height ?? 0;

function sizeOf({ kind, of }: Place, { states, arrows }: Graph, detail: Detail): Size {
  const state = states.find(({ name }) => kind === 'state' && name === of);
  if (state !== undefined) {
    const lines = stateLines(state, detail);
    const height = lines.length * lineHeight + 2 * padding.y;
    return { width: Math.max(72, widest(lines) + 2 * padding.x), height, lines };
  }
  const arrow = kind === 'words' ? arrows[Number(of)] : undefined;
  const lines = arrow === undefined ? [] : arrowLines(arrow, detail);
  return { width: Math.max(8, widest(lines)), height: lines.length * lineHeight, lines };
}

/** Arrows of one box lie beside one another, in the order of where they lead. */
function portsOf(levels: Known['levels'], chains: readonly Chain[], sizes: Known['sizes']): Known['ports'] {
  const ports = new Map(chains.map((chain) => [chain, { upper: 0, lower: 0 }]));
  const indexOf = (place: Place | undefined) =>
    place === undefined ? 0 : (levels[place.level]?.indexOf(place) ?? 0);
  for (const end of ['upper', 'lower'] as const) {
    const [outer, inner] = end === 'upper' ? [0, 1] : [-1, -2];
    for (const [state, all] of Map.groupBy(chains, ({ places }) => places.at(outer))) {
      const room = (state === undefined ? 0 : (sizes.get(state)?.width ?? 0)) - 24;
      const gap = Math.min(portGap, room / Math.max(1, all.length - 1));
      const sorted = [...all].sort((a, b) => indexOf(a.places.at(inner)) - indexOf(b.places.at(inner)));
      sorted.forEach((chain, index) => {
        const offset = (index - (all.length - 1) / 2) * gap;
        ports.set(chain, { upper: 0, lower: 0, ...ports.get(chain), [end]: offset });
      });
    }
  }
  return ports;
}

interface Link {
  readonly upper: Place;
  readonly lower: Place;
  readonly offset: number;
  readonly weight: number;
}

/** What lies between two states is to be straight before the ends are. */
function linksOf(known: Known): readonly Link[] {
  return known.chains.flatMap((chain) =>
    chain.places.slice(1).map((lower, at) => {
      const upper = chain.places[at] ?? lower;
      const ends = [upper, lower].filter(({ kind }) => kind === 'state').length;
      return {
        upper,
        lower,
        offset: offsetBetween(known, chain, upper, lower),
        weight: [8, 2, 1][ends] ?? 1,
      };
    }),
  );
}

/** The middle of each place: round after round each level follows those beside it, from above and from below. */
function middlesOf(known: Known): ReadonlyMap<Place, number> {
  const { levels, detail } = known;
  const middles = new Map<Place, number>();
  for (const level of levels) for (const [at, place] of level.entries()) middles.set(place, at * 100);
  const links = linksOf(known);
  const thingOf = (place: Place) => {
    const wishes = links.flatMap(({ upper, lower, offset, weight }) => {
      if (lower === place) return [{ x: (middles.get(upper) ?? 0) + offset, weight }];
      return upper === place ? [{ x: (middles.get(lower) ?? 0) - offset, weight }] : [];
    });
    const weight = wishes.reduce((sum, one) => sum + one.weight, 0);
    const sum = wishes.reduce((total, one) => total + one.x * one.weight, 0);
    const wish = weight === 0 ? (middles.get(place) ?? 0) : sum / weight;
    return { width: widthOf(known, place), wish, weight: Math.max(1, weight) };
  };
  for (let round = 0; round < rounds; round += 1) {
    for (const level of round % 2 === 0 ? levels : [...levels].reverse()) {
      const found = spread(level.map(thingOf), gaps[detail].beside);
      for (const [at, place] of level.entries()) middles.set(place, found[at] ?? 0);
    }
  }
  return middles;
}

/** How far right of the upper place the lower one stands where the line between them is straight. */
function offsetBetween({ ports }: Known, chain: Chain, upper: Place, lower: Place): number {
  const { upper: begin, lower: end } = ports.get(chain) ?? { upper: 0, lower: 0 };
  return (upper === chain.places[0] ? begin : 0) - (lower === chain.places.at(-1) ? end : 0);
}

interface Row {
  readonly top: number;
  readonly height: number;
}

function topsOf(known: Known): readonly Row[] {
  let top = 1;
  return known.levels.map((level) => {
    const height = Math.max(...level.map((place) => heightOf(known, place)));
    const row = { top, height };
    top += height + gaps[known.detail].below;
    return row;
  });
}

function boxesOf(known: Known, at: (place: Place) => number, rows: readonly Row[]): readonly Box[] {
  return known.levels.flat().flatMap((place) => {
    const state = known.graph.states.find(({ name }) => place.kind === 'state' && name === place.of);
    const size = known.sizes.get(place);
    const row = rows[place.level];
    if (state === undefined || size === undefined || row === undefined) return [];
    const { width, height, lines } = size;
    return [{ state, lines, width, height, x: at(place) - width / 2, y: row.top }];
  });
}

function drawn(known: Known, chain: Chain, at: (place: Place) => number, rows: readonly Row[]): DrawnArrow {
  const { arrow, isUp, places } = chain;
  const port = known.ports.get(chain) ?? { upper: 0, lower: 0 };
  const pieces = places.map((place, index) => {
    const { top = 0, height = 0 } = rows[place.level] ?? {};
    const x = at(place);
    // Boxes stand at the top of their row.
    if (index === 0) {
      const bottom = top + height;
      return { x: x + port.upper, top: top + heightOf(known, place), bottom, lines: null };
    }
    if (index === places.length - 1) return { x: x + port.lower, top, bottom: top, lines: null };
    const { lines = [] } = known.sizes.get(place) ?? {};
    return { x, top, bottom: top + height, lines: lines.length === 0 ? null : lines };
  });
  return { arrow, isUp, pieces };
}
