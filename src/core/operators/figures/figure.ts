// Figures of a tenant over time: what is counted, over which times, and how a time compares with the one before.
import { day, hour } from '../../limits.ts';
import type { SignInWay } from '../../strength.ts';
import type { AuditEvent, AuditEventName } from '../audit-event.ts';

/** What is counted while it happens: events of the audit. */
const eventFigures = [
  'signInsByPassword',
  'signInsByPasskey',
  'signInsByEmailCode',
  'signInsByAccount',
  'signInsByTv',
  'signInsRefused',
  'signUps',
  'tvsApproved',
  'orders',
  'requestsRefused',
] as const;

/** What is counted of records, by the times that stand in them. */
const recordFigures = ['subscriptionsBegun', 'subscriptionsEnded'] as const;

/** What there is at a moment; money once for each currency. */
const levelFigures = ['members', 'subscriptions', 'overdueInvoices', 'recurring'] as const;

export const figureNames = [...eventFigures, ...recordFigures, ...levelFigures] as const;
export type FigureName = (typeof figureNames)[number];

export const isLevel = (name: FigureName): boolean => levelFigures.some((level) => level === name);

/** A figure as it is stored: a figure of money has its currency behind its name. */
export const storedName = (name: FigureName, currency: string | null = null): string =>
  currency === null ? name : `${name} ${currency}`;

/** Stored names of what was rolled up from events, which are added to; the others are put in the place of what was. */
export const eventNamesStored: readonly string[] = eventFigures;

const byEvent: Partial<Record<AuditEventName, FigureName>> = {
  device_redeemed: 'signInsByTv',
  sign_in_refused: 'signInsRefused',
  sign_up: 'signUps',
  device_approved: 'tvsApproved',
  checkout_completed: 'orders',
};

const byWay: Readonly<Record<SignInWay, FigureName>> = {
  password: 'signInsByPassword',
  passkey: 'signInsByPasskey',
  email_code: 'signInsByEmailCode',
  account: 'signInsByAccount',
};

/** The figures that an event counts for. @param way of a sign-in; null of one that came with a password */
export function figuresOfEvent({
  event,
  result,
  way,
}: Pick<AuditEvent, 'event' | 'result'> & { readonly way: SignInWay | null }): readonly FigureName[] {
  const named = event === 'sign_in' ? byWay[way ?? 'password'] : byEvent[event];
  return [named ?? [], result === 'refused' ? ('requestsRefused' as const) : []].flat();
}

/** The times that figures are looked at over. */
export const figureRanges = ['24h', '30d', '52w'] as const;
export type FigureRange = (typeof figureRanges)[number];

/** A time in steps; the last is under way. Steps are of UTC. */
export interface FigureSpan {
  /** The unit in which it is stored. */
  readonly unit: 'hour' | 'day';
  /** ms */
  readonly unitLength: number;
  readonly step: number;
  readonly steps: number;
  /** When its first step begins (ms). As many steps before it are compared with. */
  readonly from: number;
}

const spans = {
  '24h': { unit: 'hour', unitLength: hour, step: hour, steps: 24 },
  '30d': { unit: 'day', unitLength: day, step: day, steps: 30 },
  '52w': { unit: 'day', unitLength: day, step: 7 * day, steps: 52 },
} as const;

/** The time of a range, up to now (ms). */
export function spanOf(range: FigureRange, now: number): FigureSpan {
  const span = spans[range];
  const end = now - (now % span.unitLength) + span.unitLength;
  return { ...span, from: end - span.step * span.steps };
}

/** A figure over a span. */
export interface FigureSeries {
  readonly name: FigureName;
  /** Amounts of money, in the smallest unit of the currency. */
  readonly currency: string | null;
  /** How often it happened in each step, or how many there were at its end: at present, of the last. */
  readonly points: readonly number[];
  /** All of the points, or the last one where it is what there is. */
  readonly total: number;
  /** The same without the step under way, and of as many steps before: only whole steps compare. */
  readonly whole: number;
  readonly before: number;
}

/** What a figure came to in a step, counted from the beginning of the time that is compared with. */
export interface FigurePoint {
  readonly name: string;
  readonly step: number;
  readonly value: number;
}

/** All figures over a span, also those that were always zero, unless they are of money. */
export function seriesOf(points: readonly FigurePoint[], { steps }: FigureSpan): readonly FigureSeries[] {
  const names = new Set<string>(figureNames.filter((name) => name !== 'recurring'));
  for (const { name } of points) names.add(name);
  const byName = Map.groupBy(points, ({ name }) => name);
  return [...names].map((stored) => {
    const [name, currency = null] = stored.split(' ') as [FigureName, string?];
    const values = valuesOf(byName.get(stored) ?? [], 2 * steps, isLevel(name));
    return { name, currency, ...comparedOf(values, steps, isLevel(name)) };
  });
}

/** A value for each step. What there is goes on where nothing was stored, as while the service was down. */
function valuesOf(points: readonly FigurePoint[], steps: number, goesOn: boolean): readonly number[] {
  const known = new Map(points.map(({ step, value }) => [step, value]));
  let last = 0;
  return Array.from({ length: steps }, (_, step) => {
    last = known.get(step) ?? (goesOn ? last : 0);
    return last;
  });
}

function comparedOf(
  values: readonly number[],
  steps: number,
  isOfLevel: boolean,
): Pick<FigureSeries, 'points' | 'total' | 'whole' | 'before'> {
  const points = values.slice(steps);
  if (isOfLevel) {
    const total = points.at(-1) ?? 0;
    return { points, total, whole: total, before: values[steps - 1] ?? 0 };
  }
  const whole = sum(points.slice(0, -1));
  return { points, total: sum(points), whole, before: sum(values.slice(1, steps)) };
}

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
