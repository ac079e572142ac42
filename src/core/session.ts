/**
 * The browser session of a member: made when the credentials were right, found by a cookie whose value is
 * stored as its SHA-256. Each sign-in gives the browser a new cookie; the old value is dead (ASVS 7.2.4).
 */
import { sessionLife, sessionTouchInterval } from './limits.ts';
import { machineOf, type StateOf, step } from './machine.ts';
import { type Member, maySignIn } from './members/member.ts';
import { sessionMemory } from './operators/limits.ts';
import { type Factor, factorsOf, type Strength, strengthOf } from './strength.ts';

type SessionState = StateOf<typeof sessionMachine>;
export type SessionKind = 'member' | 'admin';

/** A stored session. Times are ms since the epoch. */
export interface Session extends Strength {
  /** Public: `sid` in the tokens. */
  readonly id: string;
  readonly tenantId: string;
  readonly memberId: string;
  /** The portal's sessions are shorter, and no page of members takes them (A17). */
  readonly kind: SessionKind;
  /** SHA-256 of the cookie's value. */
  readonly secretHash: string;
  readonly state: SessionState;
  /** When the member last gave credentials: `auth_time`. */
  readonly authenticatedAt: number;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  /** What the browser said it is, and the address it came from: for the member's account page. */
  readonly userAgent: string;
  readonly ipAddress: string;
}

export const sessionMachine = machineOf({
  id: 'session',
  context: {} as { livesUntil: number },
  event: {} as { type: 'use'; now: number } | { type: 'renew'; now: number } | { type: 'end' },
  conditions: {
    'its idle or absolute time is over': ({ context, event }) =>
      event.type !== 'end' && event.now >= context.livesUntil,
  },
  lines: [
    ['active', 'use', 'its idle or absolute time is over', 'expired', 'refuse'],
    ['active', 'use', '–', '–', 'accept'],
    ['active', 'renew', 'its idle or absolute time is over', 'expired', 'refuse'],
    ['active', 'renew', '–', '–', 'changeSecret'],
    ['active', 'end', '–', 'ended', 'recordEnd'],
    [['ended', 'expired'], ['use', 'renew'], '–', '–', 'refuse'],
    [['ended', 'expired'], 'end', '–', '–', 'ignore'],
  ],
});

export type SessionWrite =
  | { readonly write: 'insertSession'; readonly session: Session }
  | {
      readonly write: 'moveSession';
      readonly id: string;
      readonly from: SessionState;
      readonly session: Session;
    };

/**
 * Uses a session: null if there is none, if it is over, or if its member may no longer sign in (A14).
 * The time of use is written at most once an hour.
 */
export function useSession(
  session: Session | null,
  member: Member | null,
  now: number,
): { readonly session: Session | null; readonly writes: readonly SessionWrite[] } {
  if (session === null) return { session: null, writes: [] };
  if (!maySignIn(member, now)) return { session: null, writes: endSession(session) };
  const { state, outcome } = step(sessionMachine, session.state, lifeOf(session), { type: 'use', now });
  if (outcome !== 'accept') return { session: null, writes: moveTo(session, { ...session, state }) };
  if (now - session.lastUsedAt < sessionTouchInterval[session.kind]) return { session, writes: [] };
  const used = { ...session, lastUsedAt: now };
  return { session: used, writes: moveTo(session, used) };
}

/** Whether tokens tied to this session still work (decision 27). Asking is not using. */
export function sessionLives(session: Session | null, now: number): boolean {
  if (session === null) return false;
  return step(sessionMachine, session.state, lifeOf(session), { type: 'use', now }).outcome === 'accept';
}

/** Whether a session may be forgotten: it cannot be idle for so long and live, whatever its state says. */
export function isSessionForgotten({ lastUsedAt }: Pick<Session, 'lastUsedAt'>, now: number): boolean {
  return now >= lastUsedAt + sessionMemory;
}

/** What begins a session: right credentials, from this browser. */
type SessionFacts = Omit<Session, 'state' | 'authenticatedAt' | 'createdAt' | 'lastUsedAt'>;

/**
 * Begins a session, or renews the one the browser has if it is the same member's, so that a sign-in anew
 * keeps `sid` and what hangs on it. Another member's session ends first. The cookie changes every time (A8).
 */
export function beginSession(
  current: Session | null,
  facts: SessionFacts,
  now: number,
): { session: Session; writes: readonly SessionWrite[] } {
  if (current !== null && isSameSession(current, facts)) {
    const { outcome } = step(sessionMachine, current.state, lifeOf(current), { type: 'renew', now });
    if (outcome === 'changeSecret') {
      const { secretHash, userAgent, ipAddress, amr, strongAt } = facts;
      const seen = { secretHash, userAgent, ipAddress, amr, strongAt };
      const renewed = { ...current, ...seen, authenticatedAt: now, lastUsedAt: now };
      return { session: renewed, writes: moveTo(current, renewed) };
    }
  }
  const session: Session = {
    ...facts,
    state: 'active',
    authenticatedAt: now,
    createdAt: now,
    lastUsedAt: now,
  };
  const ended = current === null ? [] : endSession(current);
  return { session, writes: [...ended, { write: 'insertSession', session }] };
}

/**
 * Adds factors that were proven in a session: it is as strong as both together from now on. The cookie changes (ASVS 7.2.4);
 * when its member gave credentials, it does not.
 */
export function strengthenSession(
  session: Session,
  factors: readonly Factor[],
  secretHash: string,
  now: number,
): readonly SessionWrite[] {
  const { outcome } = step(sessionMachine, session.state, lifeOf(session), { type: 'renew', now });
  if (outcome !== 'changeSecret') return [];
  const all = strengthOf([...factorsOf(session), ...factors], now);
  return moveTo(session, { ...session, ...all, secretHash });
}

/** Whether any factor of a session was proven within a time (ms). */
export function isProvenWithin({ authenticatedAt, strongAt }: Session, within: number, now: number): boolean {
  const at = Math.max(authenticatedAt, strongAt ?? 0);
  return at <= now && now < at + within;
}

/** Whether two factors, or a passkey that verified its user, were proven within a time (ms). */
export const isFresh = ({ strongAt }: Pick<Session, 'strongAt'>, within: number, now: number): boolean =>
  strongAt !== null && strongAt <= now && now < strongAt + within;

function isSameSession({ tenantId, memberId, kind }: Session, facts: SessionFacts): boolean {
  // Nothing hangs on a session of the portal: a sign-in anew begins its absolute time anew.
  if (kind === 'admin') return false;
  return tenantId === facts.tenantId && memberId === facts.memberId && kind === facts.kind;
}

/** Ends a session; ending one that is over writes nothing. */
export function endSession(session: Session): readonly SessionWrite[] {
  const { state } = step(sessionMachine, session.state, lifeOf(session), { type: 'end' });
  return moveTo(session, { ...session, state });
}

function lifeOf(session: Session): { livesUntil: number } {
  const { idle, absolute } = sessionLife[session.kind];
  return { livesUntil: Math.min(session.lastUsedAt + idle, session.createdAt + absolute) };
}

function moveTo(from: Session, to: Session): readonly SessionWrite[] {
  if (from.state !== 'active') return [];
  return [{ write: 'moveSession', id: from.id, from: from.state, session: to }];
}
