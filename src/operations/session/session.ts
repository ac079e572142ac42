// Begins, lists and ends the sessions of a member, and tells of a browser that was not used before.
import { cancelAuthorizationCode } from '../../core/grants/authorization-code.ts';
import { withdraw } from '../../core/grants/device-code.ts';
import { endSignIn, type SignInEnd } from '../../core/grants/sign-in.ts';
import { sha256 } from '../../core/hash.ts';
import type { Member } from '../../core/members/member.ts';
import {
  beginSession,
  endSession,
  type Session,
  type SessionKind,
  sessionLives,
} from '../../core/session.ts';
import type { Strength } from '../../core/strength.ts';
import { apply } from '../../storage/apply.ts';
import { listIssuedAuthorizationCodes } from '../../storage/grants/authorization-code.ts';
import { listOpenDeviceCodes } from '../../storage/grants/device-code.ts';
import { listActiveSignIns } from '../../storage/grants/member-sign-ins.ts';
import { listActiveSessions } from '../../storage/grants/session.ts';
import {
  forgetKnownBrowsers,
  hasKnownBrowser,
  isKnownBrowser,
  saveKnownBrowser,
} from '../../storage/members/known-browser.ts';
import type { Tx } from '../../storage/store.ts';
import type { Language } from '../../text/language.ts';
import { auditDeed } from '../audit/audit.ts';
import type { MemberDeps } from '../email-proof/email-proof.ts';
import { toMember } from '../mail/mailer.ts';
import { type Page, type PageOf, walkedPage } from '../page.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';
import type { PlaceOf } from './geolocation.ts';
import { browserName, noticeUrl, seenAt } from './notice.ts';

const userAgentLength = 256;

/** A session that began; the secret goes into the browser's cookie after the commit. */
export type StartedSession = Awaited<ReturnType<typeof startSession>>;

/** The browser in which a session begins. */
export interface Browser {
  /** The hash of its cookie. */
  readonly hash: string;
  readonly userAgent: string;
  readonly ipAddress: string;
  readonly language: Language;
  /** The session that it has already, which is renewed. */
  readonly session: Session | null;
}

export interface SessionDeps extends MemberDeps {
  readonly placeOf: PlaceOf;
}

/**
 * Begins the session of a member, or renews the one this browser has: the first write of a whole flow. A member who signs in comes
 * here by `enter` alone.
 */
export async function startSession(
  tx: Tx,
  tenant: OpenTenant,
  { member, kind, strength }: { member: Member; kind: SessionKind; strength: Strength },
  browser: Browser,
  deps: SessionDeps,
) {
  const now = deps.clock();
  const secret = deps.random.secret();
  const { session, writes } = beginSession(
    browser.session,
    {
      id: deps.random.id(now),
      tenantId: tenant.id,
      memberId: member.id,
      kind,
      secretHash: sha256(secret),
      userAgent: browser.userAgent.slice(0, userAgentLength),
      ipAddress: browser.ipAddress,
      amr: strength.amr,
      strongAt: strength.strongAt,
    },
    now,
  );
  await apply(tx, writes);
  const isKnown = await isKnownBrowser(tx, member.id, browser.hash);
  // The first one of all is no news.
  if (!isKnown && (await hasKnownBrowser(tx, member.id))) {
    const { language } = browser;
    const { place, address } = seenAt({ language, deps }, session.ipAddress);
    const at = session.authenticatedAt;
    const name = browserName(session.userAgent, language);
    await deps.mails.queue(tx, tenant, {
      ...toMember(member, language.tag, { browser: name, place: place ?? address, time: at }),
      name: 'newBrowser',
      link: noticeUrl(tenant, { memberId: member.id, at, what: { sessionId: session.id } }),
    });
  }
  await saveKnownBrowser(tx, member.id, browser.hash, now);
  return { session, secret };
}

/**
 * A page of the sessions of a member that are not over, the newest first.
 *
 * @param own one that is left out, since the page shows it anyway
 */
export function livingSessions(
  tx: Tx,
  { id }: Pick<Member, 'id'>,
  page: PageOf,
  now: number,
  own: Session | null = null,
): Promise<Page<Session>> {
  return walkedPage<Session, Session, string>(
    page,
    (session) => session.id,
    (from) => listActiveSessions(tx, id, from),
    async (session) => (session.id !== own?.id && sessionLives(session, now) ? session : null),
  );
}

/** Ends a session. That of the portal is told here: its write alone means nothing to the audit (`meaningOf`). */
export async function signOutSession(tx: Tx, session: Session): Promise<void> {
  const writes = endSession(session);
  await apply(tx, writes);
  if (session.kind !== 'admin' || writes.length === 0) return;
  const { memberId, id: target } = session;
  await auditDeed(tx, { event: 'session_ended', memberId, target, reason: 'of the portal' });
}

/** Ends the sessions of a member. @param but the id of one that stays, or null */
export async function signOutSessions(tx: Tx, memberId: string, but: string | null = null): Promise<void> {
  for (const session of await listActiveSessions(tx, memberId)) {
    if (session.id !== but) await signOutSession(tx, session);
  }
}

/**
 * Ends every sign-in of an app or a TV, and what could still become one: a TV at its next poll, a code that was not
 * exchanged.
 *
 * @param inSession the session that they were begun in, where only those are meant
 */
export async function signOutApps(
  tx: Tx,
  memberId: string,
  reason: SignInEnd,
  now: number,
  inSession?: string,
): Promise<void> {
  const isMeant = ({ sessionId }: { readonly sessionId: string | null }) =>
    inSession === undefined || sessionId === inSession;
  for (const signIn of (await listActiveSignIns(tx, memberId)).filter(isMeant)) {
    await apply(tx, endSignIn(signIn, reason, now));
  }
  for (const code of (await listOpenDeviceCodes(tx, { memberId })).filter(isMeant)) {
    await apply(tx, withdraw(code));
  }
  for (const code of (await listIssuedAuthorizationCodes(tx, memberId)).filter(isMeant)) {
    await apply(tx, cancelAuthorizationCode(code));
  }
}

/** Signs a member out everywhere, and forgets the browsers. @param but the id of a session that stays, or null */
export async function signOutEverywhere(
  tx: Tx,
  memberId: string,
  now: number,
  but: string | null = null,
): Promise<void> {
  await signOutSessions(tx, memberId, but);
  await signOutApps(tx, memberId, 'signed_out', now);
  await forgetKnownBrowsers(tx, memberId);
}
