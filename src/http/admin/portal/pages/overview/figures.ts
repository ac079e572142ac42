// Figures over time as pages show them: the cards and the plot of the overview, and all of them as a table.

import type { FastifyReply } from 'fastify';
import {
  type FigureName,
  type FigureRange,
  type FigureSeries,
  figureNames,
  figureRanges,
  isLevel,
} from '../../../../../core/operators/figures/figure.ts';
import { say } from '../../../../../text/portal.ts';
import { queryOf } from '../../../../form.ts';
import { addressOf, operationNamed, queryText } from '../../addresses.ts';
import { overviewOf } from '../../menu.ts';
import { sendOperationPage, sendPortalProblem } from '../../page.ts';
import { callIfMay } from '../../visit.ts';
import type { OperationVisit, Visit } from '../../visitor.ts';
import { wholeMoneyText } from '../../words/amounts.ts';
import { areaBox, lineBox, linePath, scaleTo, stackedAreas, underWay } from './plot.ts';

/** What `figures.read` answers. */
interface Figures {
  readonly range: FigureRange;
  readonly times: readonly string[];
  readonly figures: readonly FigureSeries[];
}

/** The range that an address asks for. */
export function rangeOf({ request }: Visit): FigureRange {
  const [asked] = queryOf(request)?.get('range') ?? [];
  return figureRanges.find((range) => range === asked) ?? '30d';
}

export async function figuresFor(visit: Visit, tenant: string): Promise<Figures | null> {
  const answer = await callIfMay(visit, 'figures.read', { tenant, range: rangeOf(visit) });
  return answer as unknown as Figures | null;
}

/** The links that switch the range of a page. */
export function rangeLinks(page: string, current: FigureRange) {
  return (['30d', '24h', '52w'] as const).map((range) => ({
    label: say(`range.${range}`),
    href: `${page}${range === '30d' ? '' : queryText({ range })}`,
    isCurrent: range === current,
  }));
}

/** GET /admin/tenants/{tenant}/figures: what the plots show, and the rest, as a table. */
export async function showFigures(visit: OperationVisit): Promise<FastifyReply> {
  const host = String(visit.known.tenant);
  const found = await figuresFor(visit, host);
  const page = addressOf(visit.operation, { tenant: host });
  if (found === null || page === null) return sendPortalProblem(visit.reply, 'notFound', visit);
  const { times, range, figures } = found;
  const columns = figures.toSorted((a, b) => figureNames.indexOf(a.name) - figureNames.indexOf(b.name));
  return sendOperationPage(visit, {
    template: 'overview/figures',
    title: say('figures.title'),
    data: {
      ranges: rangeLinks(page, range),
      overview: overviewOf(host),
      columns: columns.map(({ name, currency }) => say(`column.${name}`, { currency: currency ?? '' })),
      rows: times
        .map((iso, index) => ({
          iso,
          time: timeLabel(iso, range),
          cells: columns.map((figure) => cellText(figure, figure.points[index] ?? 0)),
        }))
        .toReversed(),
      totals: columns.map((figure) => cellText(figure, figure.total)),
    },
  });
}

/** The cards on top of the overview: what the business runs on. */
export function cardsOf({ figures, range }: Figures) {
  const named = (name: FigureName) =>
    figures
      .filter((figure) => figure.name === name && (name !== 'recurring' || figure.total + figure.before > 0))
      .toSorted((a, b) => b.total - a.total)
      .slice(0, 1);
  const [subscriptions] = named('subscriptions');
  const sells = subscriptions !== undefined && Math.max(subscriptions.before, ...subscriptions.points) > 0;
  const chosen = [
    ...named('members'),
    ...(sells ? named('subscriptions') : []),
    signInsOf(figures),
    ...named('tvsApproved'),
    ...[...named('recurring'), ...named('signUps')].slice(0, 1),
    ...(sells ? named('overdueInvoices') : []),
  ];
  return chosen.map((figure) => cardOf(figure, range));
}

const ways = [
  'signInsByPassword',
  'signInsByPasskey',
  'signInsByEmailCode',
  'signInsByAccount',
  'signInsByTv',
] as const;

/** Most tenants have few of all ways: those that no member took are not told of, but the first and TVs, which all have. */
const waysUsed = (figures: readonly FigureSeries[]): readonly FigureSeries[] =>
  ways
    .flatMap((way) => figures.find(({ name }) => name === way) ?? [])
    .filter(({ total, before }, at, all) => at === 0 || at === all.length - 1 || total + before > 0);

/** Sign-ins of all ways together. */
function signInsOf(
  figures: readonly FigureSeries[],
): Omit<FigureSeries, 'name'> & { readonly name: 'signIns' } {
  const each = ways.flatMap((way) => figures.find(({ name }) => name === way) ?? []);
  const sum = (of: (figure: FigureSeries) => number) => each.reduce((all, figure) => all + of(figure), 0);
  return {
    name: 'signIns',
    currency: null,
    points: (each[0]?.points ?? []).map((_, index) => sum(({ points }) => points[index] ?? 0)),
    total: sum(({ total }) => total),
    whole: sum(({ whole }) => whole),
    before: sum(({ before }) => before),
  };
}

type Carded = Omit<FigureSeries, 'name'> & { readonly name: FigureName | 'signIns' };

function cardOf(figure: Carded, range: FigureRange) {
  const { name, points, total } = figure;
  const isStanding = name !== 'signIns' && isLevel(name);
  // A step that is not over would look like a fall.
  const drawn = isStanding || figure.whole === 0 ? points : points.slice(0, -1);
  return {
    label: labelOf(figure),
    value: amountText(figure, total),
    // More of what is overdue is no success, and the colours would say so.
    change: name === 'overdueInvoices' ? null : changeOf(figure, range),
    box: `0 0 ${lineBox.width} ${lineBox.height}`,
    line: linePath(drawn),
    words: say('figures.line', {
      least: amountText(figure, Math.min(...drawn)),
      most: amountText(figure, Math.max(...drawn)),
      range: say(`range.${range}.words`),
    }),
  };
}

/** How a figure compares with the time before; null where there was nothing to compare with. */
function changeOf({ whole, before }: Carded, range: FigureRange) {
  if (before === 0) return null;
  const share = whole / before - 1;
  const direction = Math.abs(share) < 0.0005 ? 'same' : share > 0 ? 'up' : 'down';
  const percent = Math.abs(share).toLocaleString('en', {
    style: 'percent',
    maximumFractionDigits: Math.abs(share) < 0.995 ? 1 : 0,
  });
  return {
    direction,
    text: say(`change.${direction}`, { percent }),
    words: say(`change.${direction}.words`, { percent, range: say(`range.${range}.before`) }),
  };
}

/** The plot of the overview: sign-ins by way, stacked. */
export function plotOf({ figures, times, range }: Figures) {
  const rows = waysUsed(figures).toReversed();
  const sums = times.map((_, index) => rows.reduce((all, { points }) => all + (points[index] ?? 0), 0));
  const scale = scaleTo(Math.max(...sums));
  const areas = stackedAreas(
    rows.map(({ points }) => points),
    scale[0] ?? 1,
  );
  const marked = [0, Math.round((times.length - 1) / 3), Math.round(((times.length - 1) * 2) / 3)];
  return {
    none: sums.some((value) => value > 0) ? null : say('plot.none', { range: say(`range.${range}.words`) }),
    box: `0 0 ${areaBox.width} ${areaBox.height}`,
    ...areaBox,
    // The one on top comes first in the legend, as it stands in the plot.
    areas: rows.map(({ name, total }, index) => ({
      name,
      label: say(`way.${name}`),
      total: total.toLocaleString('en'),
      ...areas[index],
    })),
    underWay: underWay(times.length),
    scale: scale.map((value) => ({
      label: value.toLocaleString('en', { notation: 'compact' }),
      y: Math.round(areaBox.height * (1 - value / (scale[0] ?? 1))),
    })),
    marks: [
      ...marked.map((index, at) => {
        const label = timeLabel(times[index] ?? '', range);
        return range === '24h' && at === 0 ? say('value.utc', { moment: label }) : label;
      }),
      say(`range.${range}.now`),
    ],
    words: say('plot.words', {
      range: say(`range.${range}.words`),
      ways: rows.map(({ name, total }) => `${say(`way.${name}`)} ${total.toLocaleString('en')}`).join(', '),
    }),
  };
}

const labelOf = ({ name, currency }: Pick<Carded, 'name' | 'currency'>) =>
  say(`figure.${name}`, { currency: currency ?? '' });

function amountText({ currency }: Pick<Carded, 'currency'>, value: number): string {
  return currency === null ? value.toLocaleString('en') : wholeMoneyText(value, currency);
}

/** The same below a heading that names the currency. */
const cellText = (figure: FigureSeries, value: number) =>
  amountText(figure, value).replace(`${figure.currency} `, '');

/** When a step begins: figures are of whole hours and days of UTC, wherever the reader is. */
function timeLabel(iso: string, range: FigureRange): string {
  const options =
    range === '24h'
      ? ({ hour: '2-digit', minute: '2-digit' } as const)
      : ({ day: 'numeric', month: 'short' } as const);
  return new Date(iso).toLocaleString('en-GB', { ...options, timeZone: 'UTC' });
}

/** The page that shows all figures as a table. */
export function tableAddress(visit: Visit, tenant: string): string | null {
  const operation = operationNamed(visit, 'figures.read');
  const page = operation === null ? null : addressOf(operation, { tenant });
  return page === null ? null : `${page}${queryText({ range: rangeOf(visit) })}`;
}
