// Draws the chart of a state machine as SVG. What a record has come through can be lit.
import { type AnyMachine, type Graph, graphOf } from './graph.ts';
import { type Box, type DrawnArrow, layoutOf } from './layout.ts';
import { type Detail, lineHeight, type WordLine } from './words.ts';

/** One step of a record's life. */
export interface Step {
  readonly from: string;
  readonly event: string;
  readonly to: string;
}

/** A record, as its chart shows it. */
export interface Life {
  readonly state: string;
  readonly steps: readonly Step[];
}

export interface ChartOptions {
  readonly detail: Detail;
  /** What the picture is called, to those who do not see it. */
  readonly label: string;
  /** Left out where no record is shown. */
  readonly life?: Life;
  /** The style that a picture brings along which stands alone. */
  readonly style?: string;
}

/** How a chart looks where no page says so. It follows the reader's light and dark, and stands on any ground. */
export const chartStyle = `
.chart{font-family:system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;--ink:#1d2430;--soft:#5b6575;--line:#9aa4b4;--box:#f6f8fb}
@media(prefers-color-scheme:dark){.chart{--ink:#e8ecf3;--soft:#a3aec0;--line:#5c6779;--box:#191f2a}}
.chart rect{fill:var(--box);stroke:var(--line);stroke-width:1.5}
.chart path{fill:none;stroke:var(--line);stroke-width:1.5}
.chart .head{fill:var(--line);stroke:none}
.chart text{fill:var(--soft);font-size:12px;text-anchor:middle}
.chart .name{fill:var(--ink);font-size:13px;font-weight:600}
.chart .stays,.chart .condition{font-size:11px}
.chart .event{fill:var(--ink)}
`.replaceAll('\n', '');

/** The chart of a machine, with every state and every event of it. */
export function chartOf(machine: AnyMachine, { detail, label, life, style }: ChartOptions): string {
  const { width, height, boxes, arrows } = layoutOf(counted(graphOf(machine), life), detail);
  const drawn = [
    ...arrows.map((arrow) => arrowElement(arrow, life)),
    ...boxes.map((box) => boxElement(box, life)),
  ];
  const size = `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="chart" ${size} role="img" aria-label="${escaped(label)}">`,
    ...(style === undefined ? [] : [`<style>${style}</style>`]),
    ...drawn,
    '</svg>',
  ].join('\n');
}

/** What happened to a record and left it as it was is counted in the box of its state. */
function counted(graph: Graph, life: Life | undefined): Graph {
  const times = (state: string, event: string) =>
    life?.steps.filter(
      ({ from, to, event: happened }) => from === state && to === state && happened === event,
    ).length ?? 0;
  const told = (state: string, event: string) => {
    const count = times(state, event);
    return count === 0 ? event : `${event} ×${count}`;
  };
  const states = graph.states.map(({ name, stays }) => ({
    name,
    stays: stays.map((event) => told(name, event)),
  }));
  return { ...graph, states };
}

function boxElement({ state, lines, x, y, width, height }: Box, life: Life | undefined): string {
  const { name } = state;
  const isReached = life?.state === name || life?.steps.some(({ from, to }) => from === name || to === name);
  const classes = ['state', ...(isReached ? ['lit'] : []), ...(life?.state === name ? ['now'] : [])];
  const box = `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="8"/>`;
  const words = textElements(lines, x + width / 2, y + (height - lines.length * lineHeight) / 2);
  return `<g class="${classes.join(' ')}" data-state="${escaped(name)}">${box}${words}</g>`;
}

function arrowElement({ arrow, isUp, pieces }: DrawnArrow, life: Life | undefined): string {
  const taken = life?.steps.filter(({ from, to }) => from === arrow.from && to === arrow.to) ?? [];
  const events = [...new Set(arrow.causes.flatMap((cause) => cause.events))];
  const data = `data-from="${escaped(arrow.from)}" data-to="${escaped(arrow.to)}" data-events="${escaped(events.join(' '))}"`;
  const words = pieces.map(({ lines, x, top, bottom }) =>
    lines === null ? '' : textElements(lines, x, top + (bottom - top - lines.length * lineHeight) / 2),
  );
  const classes = `arrow${taken.length > 0 ? ' lit' : ''}`;
  return `<g class="${classes}" ${data}><path d="${pathOf(pieces, isUp)}"/>${headOf(pieces, isUp)}${words.join('')}</g>`;
}

const headLength = 7;

/** A line from piece to piece, with its pen up where words stand, and its tip left to the head. */
function pathOf(pieces: DrawnArrow['pieces'], isUp: boolean): string {
  return pieces
    .map(({ x, top, bottom, lines }, at) => {
      const before = pieces[at - 1];
      const upper = at === 0 && isUp ? top + headLength : top;
      if (before === undefined) return `M${round(x)} ${round(upper)}V${round(bottom)}`;
      const end = at === pieces.length - 1 && !isUp ? top - headLength : top;
      if (lines === null)
        return `${curve(before, x, end)}${bottom > end && at < pieces.length - 1 ? `V${round(bottom)}` : ''}`;
      const height = lines.length * lineHeight;
      const [from, to] = [(top + bottom - height) / 2 - 2, (top + bottom + height) / 2 + 3];
      return `${curve(before, x, end)}V${round(from)}M${round(x)} ${round(to)}V${round(bottom)}`;
    })
    .join('');
}

function curve(from: { readonly x: number; readonly bottom: number }, x: number, y: number): string {
  if (Math.abs(from.x - x) < 0.5) return `V${round(y)}`;
  const middle = round((from.bottom + y) / 2);
  return `C${round(from.x)} ${middle} ${round(x)} ${middle} ${round(x)} ${round(y)}`;
}

/** The head of an arrow: lines end upright, so it points down, or up. */
function headOf(pieces: DrawnArrow['pieces'], isUp: boolean): string {
  const piece = isUp ? pieces[0] : pieces.at(-1);
  if (piece === undefined) return '';
  const { x, top: y } = piece;
  const base = isUp ? y + headLength : y - headLength;
  return `<path class="head" d="M${round(x)} ${round(y)}L${round(x - 4)} ${round(base)}H${round(x + 4)}z"/>`;
}

function textElements(lines: readonly WordLine[], x: number, top: number): string {
  return lines
    .map(({ text, kind }, at) => {
      const baseline = round(top + at * lineHeight + lineHeight - 4);
      return `<text class="${kind}" x="${round(x)}" y="${baseline}">${escaped(text)}</text>`;
    })
    .join('');
}

const round = (value: number) => Math.round(value * 10) / 10;

const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (sign) => `&#${sign.codePointAt(0)};`);
