// The page of a member: who she is, why she cannot sign in, what happened, and what she has.
import type { FastifyReply } from 'fastify';
import { browserWords, nameBrowser } from '../../../../../operations/session/notice.ts';
import { say } from '../../../../../text/portal.ts';
import { addressOf, operationNamed } from '../../addresses.ts';
import { entryButtons, fileButtons, formButtons } from '../../buttons.ts';
import type { Facts, OperationVisit } from '../../visitor.ts';
import { moment, nearby, type Piece, piecesOf, withTimes } from '../../words/pieces.ts';
import { badgesOf, detailPage } from '../detail.ts';
import { callsOf } from './standing.ts';
import { memberTimeline } from './timeline.ts';

/** What the page shows in a way of its own. */
const hidden = [
  'standing',
  'held',
  'access',
  'subscriptions',
  'signIns',
  'sessions',
  'passkeys',
  'linkedAccounts',
  'limits',
  'fullName',
  'email',
];

/** GET /admin/tenants/{tenant}/members/{memberId} */
export function showMember(visit: OperationVisit): Promise<FastifyReply> {
  const about = async (member: Facts) => {
    const edit = operationNamed(visit, 'members.change');
    const editHref = edit === null ? null : addressOf(edit, visit.known);
    // What ends things comes last.
    const buttons = [...formButtons(visit, member), ...fileButtons(visit, { thing: member })].toSorted(
      (a, b) => Number(a.isGrave) - Number(b.isGrave),
    );
    return {
      template: 'member/page',
      title: String(member.fullName),
      data: {
        who: {
          initials: initialsOf(String(member.fullName)),
          email: member.email,
          isVerified: member.emailVerified === true,
          since: piecesOf('member.since', { since: { ...moment(String(member.createdAt)), only: 'date' } }),
        },
        badges: badgesOf({ ...member, limits: [] }),
        main: buttons.filter(({ href }) => href === editHref),
        more: buttons.filter(({ href }) => href !== editHref),
        calls: callsOf(visit, member),
        timeline: await memberTimeline(visit, String(member.id)),
        access: accessOf(member),
        subscriptions: subscriptionsOf(visit, member),
        devices: devicesOf(visit, member),
        password: passwordOf(member),
        passkeys: passkeysOf(visit, member),
        accounts: accountsOf(visit, member),
        lists: listsOf(visit),
      },
    };
  };
  return detailPage(visit, about, hidden);
}

/** The first letters of the first and the last word of a name. */
function initialsOf(fullName: string): string {
  const words = fullName.split(/\s+/).filter((word) => word !== '');
  const letters = [words[0], ...(words.length > 1 ? [words.at(-1)] : [])].map(
    (word) => [...(word ?? '')][0] ?? '',
  );
  return letters.join('').toUpperCase();
}

const listed = (value: unknown) => (Array.isArray(value) ? (value as readonly Facts[]) : []);

/** A moment, by its day alone. */
const day = (iso: unknown): Piece => ({ ...moment(String(iso)), only: 'date' });

/** The channels that are open to the member and through what, and those that are closed and why. */
function accessOf({ access }: Facts) {
  return listed(access).map(({ name, hasAccess, validUntil, packageName, productName, why }) => ({
    name: String(name),
    isOpen: hasAccess === true,
    how:
      hasAccess === true
        ? piecesOf('member.access.open', {
            offer: { name: String(packageName) },
            product: { name: String(productName) },
            until: day(validUntil),
          })
        : withTimes(String(why)),
  }));
}

const tones: Readonly<Record<string, string>> = { active: 'good', cancelled: 'care', pending: 'care' };

function subscriptionsOf(visit: OperationVisit, { subscriptions }: Facts) {
  const entry = operationNamed(visit, 'subscriptions.list')?.portal?.list?.entry;
  const now = visit.deps.clock();
  return listed(subscriptions).map((one) => {
    const { state, packageName, activatedAt, expiresAt, endedAt } = one;
    const at = endedAt ?? expiresAt ?? activatedAt;
    const isAhead = typeof activatedAt === 'string' && Date.parse(activatedAt) > now && endedAt === null;
    return {
      name: String(packageName),
      state: say(`subscriptionState.${String(state)}`),
      tone: tones[String(state)] ?? '',
      until:
        at === null
          ? []
          : piecesOf(`member.until.${isAhead ? 'begins' : String(state)}`, {
              at: day(isAhead ? activatedAt : at),
            }),
      // The list of all of them says more of each.
      actions: entryButtons(visit, entry, one).filter(({ press }) => press !== null),
    };
  });
}

/** TVs, apps and browsers, each with how to end it. */
function devicesOf(visit: OperationVisit, { signIns, sessions }: Facts) {
  const entryOf = (list: string) => operationNamed(visit, list)?.portal?.list?.entry;
  const now = visit.deps.clock();
  const used = (one: Facts) => piecesOf('member.used', { at: nearby(String(one.lastUsedAt), now) });
  return [
    ...listed(signIns).map((one) => ({
      name: String(one.label ?? one.deviceName ?? one.deviceModel ?? one.clientName ?? one.clientId),
      app: String(one.clientName ?? one.clientId),
      used: used(one),
      actions: entryButtons(visit, entryOf('signIns.list'), one),
    })),
    ...listed(sessions).map((one) => {
      const browser = nameBrowser(String(one.userAgent));
      return {
        name: browser === null ? say('member.browser') : browserWords(browser),
        app: one.kind === 'admin' ? say('member.portal') : null,
        used: used(one),
        actions: entryButtons(visit, entryOf('sessions.list'), one),
      };
    }),
  ];
}

function passwordOf({ standing }: Facts): readonly Piece[] {
  const { passwordSince, hindrances } = standing as {
    readonly passwordSince: string | null;
    readonly hindrances: readonly Facts[];
  };
  if (passwordSince !== null) return piecesOf('member.password.since', { at: day(passwordSince) });
  const isNone = hindrances.some(({ hindrance }) => hindrance === 'no_password');
  return [{ text: say(isNone ? 'member.password.none' : 'member.password.set') }];
}

/** Passkeys, each with how to remove it. */
function passkeysOf(visit: OperationVisit, { passkeys }: Facts) {
  const entry = operationNamed(visit, 'passkeys.list')?.portal?.list?.entry;
  const now = visit.deps.clock();
  return listed(passkeys).map((one) => ({
    name: String(one.name),
    used:
      one.lastUsedAt === null
        ? piecesOf('member.passkeys.made', { at: day(one.createdAt) })
        : piecesOf('member.used', { at: nearby(String(one.lastUsedAt), now) }),
    actions: entryButtons(visit, entry, one).filter(({ isGrave }) => isGrave),
  }));
}

/** Accounts of other providers, each with how to take it away. */
function accountsOf(visit: OperationVisit, { linkedAccounts }: Facts) {
  const entry = operationNamed(visit, 'linkedAccounts.list')?.portal?.list?.entry;
  const now = visit.deps.clock();
  return listed(linkedAccounts).map((one) => ({
    name: [one.providerName, one.email].filter((part) => part !== '').join(' · '),
    used: piecesOf('member.used', { at: nearby(String(one.lastUsedAt), now) }),
    actions: entryButtons(visit, entry, one),
  }));
}

/** The pages that have each list whole. */
function listsOf(visit: OperationVisit): Readonly<Record<string, string | null>> {
  const names = {
    access: 'contentAccess.list',
    subscriptions: 'subscriptions.list',
    signIns: 'signIns.list',
    sessions: 'sessions.list',
    passkeys: 'passkeys.list',
    accounts: 'linkedAccounts.list',
  };
  return Object.fromEntries(
    Object.entries(names).map(([part, name]) => {
      const list = operationNamed(visit, name);
      return [part, list === null ? null : addressOf(list, visit.known)];
    }),
  );
}
