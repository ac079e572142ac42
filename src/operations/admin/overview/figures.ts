// The operation that reads figures of a tenant over time.
import { isoTime } from '../../../core/access/iso-time.ts';
import {
  type FigureName,
  type FigureRange,
  type FigureSeries,
  type FigureSpan,
  figureNames,
  figureRanges,
  seriesOf,
  spanOf,
} from '../../../core/operators/figures/figure.ts';
import { type Actor, mayGrant, type Permission } from '../../../core/operators/permission.ts';
import { readFigures } from '../../../storage/operators/figure.ts';
import * as s from '../../json-schema.ts';
import { onTenant } from '../define.ts';
import type { Operation } from '../operation.ts';

const count = (description: string, example: number) => s.wholeNumber(description, example);

const figureSchema: s.Schema<FigureSeries> = s.resource('Figure', 'A figure over a time', {
  name: s.oneOf(
    'FigureName',
    'How often it happened; of the last four, how much there is. `recurring` is what subscriptions bring a month that are renewed',
    figureNames,
  ),
  currency: s.textOrNull('Of `recurring`, once for each: its values are in the smallest unit of it', null),
  points: s.list(
    'How often it happened in each step, or how much there was at its end, at present of the last',
    count('Of one step', 12),
  ),
  total: count('All of them together, or the last one where it is how much there is', 360),
  whole: count('The same of the steps that are over, which compare with those before', 350),
  before: count('Of as many steps before, or how much there was when the first one began', 340),
});

const rangeField: s.Defaulted<FigureRange> = {
  ...s.oneOf('FigureRange', 'Over which time: 24 hours, 30 days or 52 weeks, up to now', figureRanges),
  default: '30d',
};

/** Figures of purchases and of numbers of things are for operators who may read the things that are counted. */
const readWith: Readonly<Partial<Record<FigureName, Permission>>> = {
  members: 'members:read',
  orders: 'subscriptions:read',
  overdueInvoices: 'subscriptions:read',
  recurring: 'subscriptions:read',
  subscriptions: 'subscriptions:read',
  subscriptionsBegun: 'subscriptions:read',
  subscriptionsEnded: 'subscriptions:read',
};

const mayRead = (actor: Actor, { name }: FigureSeries) => {
  const needed = readWith[name];
  return needed === undefined || mayGrant(actor, [needed]);
};

/** When each step of a span begins. */
const timesOf = ({ from, step, steps }: FigureSpan) =>
  Array.from({ length: steps }, (_, index) => isoTime(from + index * step));

const read = onTenant({
  name: 'figures.read',
  summary:
    'Show figures over time: sign-ins, sign-ups, TVs, orders, members, subscriptions and what they bring',
  permission: 'audit:read',
  route: 'GET /figures',
  optional: { range: rangeField },
  output: s.resource('Figures', 'Figures of a tenant over a time, in steps of UTC', {
    range: { ...rangeField, description: 'The time' },
    stepSeconds: { ...count('How long a step is', 86_400), format: 'duration' },
    times: s.list('When each step begins; the last one is under way', s.time('The beginning of a step')),
    figures: s.list(
      'All figures that the caller may read; those that never were anything are 0',
      figureSchema,
    ),
  }),
  run: async ({ tx, tenant, actor, now }, { range }) => {
    const span = spanOf(range, now);
    const points = await readFigures(tx, tenant.id, span);
    return {
      range,
      stepSeconds: span.step / 1_000,
      times: timesOf(span),
      figures: seriesOf(points, span).filter((one) => mayRead(actor, one)),
    };
  },
});

export const figureOperations: readonly Operation[] = [read];
