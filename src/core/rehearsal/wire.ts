/**
 * What goes over the wire of a development tenant, as the rehearsal room keeps it: each request with its answer, and no
 * secret in clear (`masking.ts`).
 */
import type { Rule } from '../refusals/rule.ts';
import type { Endpoint } from './endpoint.ts';
import type { FaultKind } from './fault.ts';
import { wireKept, wireShort } from './limits.ts';
import { shortened, type WireValues } from './masking.ts';

/** A request and its answer. Times are ms of the tenant's clock. */
export interface WireEntry {
  /** Its number: entries are counted as their answers leave, together with the requests that come, whatever the tenant. */
  readonly id: number;
  /**
   * Where its request came in that count: two were under way side by side if each came before the other's answer left, even
   * while the clock stands still (`areSideBySide`).
   */
  readonly came: number;
  /** When the request came. */
  readonly at: number;
  /** When the answer left. */
  readonly answeredAt: number;
  /** The client as it was found, or as the request names it; null where neither is so. */
  readonly client: string | null;
  /** Whether that is a client of the tenant which said by what it must who it is. */
  readonly found: boolean;
  readonly endpoint: Endpoint;
  readonly request: {
    readonly method: string;
    /** The path; of a page the pattern of its addresses. */
    readonly path: string;
    readonly headers: WireValues;
    /** The fields of the query and of the body, in any format. */
    readonly parameters: WireValues;
  };
  readonly answer: {
    readonly status: number;
    readonly headers: WireValues;
    /** What JSON says; null of everything else. */
    readonly body: unknown;
    /** What its tokens say, by the name of each. */
    readonly claims: Readonly<Record<string, unknown>>;
  };
  /** What the log, the audit and `Request-Id` know it by. */
  readonly reference: string;
  /** How long the answer took in truth (ms). */
  readonly took: number;
  /** The error that was answered, and why: in words for an operator, and by which rule; null where nothing was refused. */
  readonly refusal: { readonly error: string; readonly because: string; readonly rule: Rule | null } | null;
  /** What the room did to it; null for nothing. */
  readonly fault: FaultKind | null;
  /** Whether the answer was made and never sent. */
  readonly lost: boolean;
  /** Where and when the client ended the connection before it was answered; null where it waited. */
  readonly hungUp: { readonly came: number; readonly at: number } | null;
  /** The `sid` of the browser's session that a logout ended; null where none was. */
  readonly ended: string | null;
}

/** Whether of two requests each came before the other was answered. */
export const areSideBySide = (
  one: Pick<WireEntry, 'id' | 'came'>,
  other: Pick<WireEntry, 'id' | 'came'>,
): boolean => one.came < other.id && other.came < one.id;

/** An entry that is no longer than may be kept: what a stranger made long is cut. */
export function bounded(entry: WireEntry): WireEntry {
  if (JSON.stringify(entry).length <= wireKept.length) return entry;
  const { request, answer } = entry;
  return {
    ...entry,
    request: { ...request, headers: short(request.headers), parameters: short(request.parameters) },
    answer: { ...answer, headers: short(answer.headers), body: null, claims: {} },
  };
}

const short = (values: WireValues): WireValues =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      shortened(name, wireShort),
      shortened([value].flat().join(' '), wireShort),
    ]),
  );
