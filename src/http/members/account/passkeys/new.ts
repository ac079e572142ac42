// The account pages where a member makes a passkey.
import { passkeyLimits, provenFor } from '../../../../core/members/limits.ts';
import { nameOfPasskey } from '../../../../core/members/passkey.ts';
import { isFresh } from '../../../../core/session.ts';
import { type ChallengeFor, openChallenge } from '../../../../operations/passkey/challenge.ts';
import { addPasskey, checkNewPasskey, type NewPasskey } from '../../../../operations/passkey/passkeys.ts';
import { browserName, seenAt } from '../../../../operations/session/notice.ts';
import { listPasskeys } from '../../../../storage/members/passkey.ts';
import { findSecondFactor } from '../../../../storage/members/second-factor.ts';
import type { Tx } from '../../../../storage/store.ts';
import { noteRefusal } from '../../../audit.ts';
import { browserCookie, noteOffered } from '../../../cookies.ts';
import { pageForm, pageQuery } from '../../../form.ts';
import type { Act, Answer } from '../../../pages/guarded-page.ts';
import { askForNewPasskey, challengeFor, useHere } from '../../../pages/passkey.ts';
import { type AccountPage, passwordedPage, redirectDone, sendAccountPage, type Visit } from '../page.ts';
import { type SentCode, sentCode, withFactor } from '../two-step/factor-proof.ts';
import { onlyWithPasskeys, passkeysUrl } from './list.ts';

const url = `${passkeysUrl}/new`;
const confirmUrl = `${passkeysUrl}/confirm`;

/** A seal that opens the page once the member has proven who she is; the seals of that page open no other. */
const toConfirmed = ({ session }: Pick<Visit, 'session'>): ChallengeFor => ({
  purpose: 'confirmed',
  sessionId: session.id,
});

/** What a new passkey signs: a challenge of one session. */
const toCreate = ({ session }: Pick<Visit, 'session'>): ChallengeFor => ({
  purpose: 'create',
  sessionId: session.id,
});

/**
 * A new passkey. A member who has not just signed in proves once more who it is:
 *
 *     GET, POST /account/passkeys/confirm   asks for that, and leads on with a challenge
 *     GET, POST /account/passkeys/new       makes the passkey
 */
export const newPasskeyPages: readonly AccountPage[] = [
  passwordedPage<SentCode, { readonly hasFactor: boolean }>({
    url: confirmUrl,
    read: sentCode,
    look: async (tx, { member }) => ({ hasFactor: (await findSecondFactor(tx, member.id)) !== null }),
    view: ({ language }, _sent, { hasFactor, hasPassword, passkeys }) => ({
      // A member who proves it with a passkey has given both factors.
      template: hasFactor && (hasPassword || passkeys.length === 0) ? 'two-step/proof' : 'confirm',
      title: 'account.confirm.title',
      data: {
        action: confirmUrl,
        lead: language.t('account.passkeys.new.lead'),
        submit: language.t('account.confirm.submit'),
      },
    }),
    // A passkey is two factors: none is made by one where there are two.
    begin: (_visit, sent, sendForm, by) =>
      by === 'passkey' ? goToNew : withFactor(sent, sendForm, goToNew, goToNew),
  }),
  {
    url,
    show: (tx, visit) => onlyWithPasskeys(visit, () => show(tx, visit)),
    submit: (tx, visit, next) => onlyWithPasskeys(visit, async () => submit(tx, visit, next)),
  },
];

const goToNew: Act<Visit> = (_tx, visit) => () => {
  const challenge = challengeFor(visit.reply, toConfirmed(visit), visit.deps);
  return visit.reply.redirect(`${url}?proof=${challenge}`, 303);
};

async function show(tx: Tx, visit: Visit): Promise<Answer> {
  const { request, reply, deps } = visit;
  const { proof = '' } = pageQuery(request, ['proof']);
  const about = toConfirmed(visit);
  const opened = openChallenge(request.tenant, browserCookie(request), proof, about, deps.clock());
  const isProven = typeof opened !== 'string' || (await hasJustProven(tx, visit));
  if (!isProven) return () => reply.redirect(confirmUrl, 303);
  return sendNew(tx, visit, null);
}

/** Whether the session proved a moment ago as much as its member can: both factors, where there are two. */
async function hasJustProven(tx: Tx, { session, member, deps }: Visit): Promise<boolean> {
  const now = deps.clock();
  if (isFresh(session, provenFor, now)) return true;
  return now < session.authenticatedAt + provenFor && (await findSecondFactor(tx, member.id)) === null;
}

async function sendNew(tx: Tx, visit: Visit, problem: string | null): Promise<Answer> {
  const { reply, member, language, deps } = visit;
  const has = await listPasskeys(tx, member.id);
  const most = passkeyLimits.ofMember;
  const text = has.length >= most ? 'account.passkeys.error.many' : problem;
  return () => {
    const challenge = challengeFor(reply, toCreate(visit), deps);
    return sendAccountPage(visit, {
      template: 'passkeys/new',
      title: 'account.passkeys.new.title',
      problems: text === null ? [] : [{ field: 'passkey', text: language.t(text, { most }) }],
      data: { asked: askForNewPasskey(reply, challenge, member, has) },
    });
  };
}

const submit: Act<Visit> = (_tx, visit, next) => async () => {
  const { request, deps } = visit;
  const { passkey: text = '' } = pageForm(request, ['passkey']);
  const sent = { text, browser: browserCookie(request), about: toCreate(visit) };
  const checked = await checkNewPasskey(request.tenant, sent, deps.clock());
  // A page that was open for too long, or that was never ours: it is proven once more who it is.
  if (checked.kind === 'stale') return visit.reply.redirect(confirmUrl, 303);
  if (checked.kind === 'foreign') {
    noteRefused(visit, checked.reason);
    return visit.reply.redirect(confirmUrl, 303);
  }
  return next(async (tx, now) => {
    const made = checked.kind === 'wrong' ? checked.reason : await add(tx, now, checked);
    if (typeof made === 'string') {
      noteRefused(now, made);
      return sendNew(tx, now, 'account.passkeys.error.refused');
    }
    return () => {
      // It is offered no more.
      noteOffered(now.reply);
      return redirectDone(now, passkeysUrl, 'passkeyAdded');
    };
  });
};

function add(tx: Tx, visit: Visit, checked: NewPasskey) {
  const { request, member, language, deps } = visit;
  const { userAgent, ipAddress } = useHere(request, deps);
  const { place, address } = seenAt(visit, ipAddress);
  const name = nameOfPasskey(checked.attested.aaguid, browserName(userAgent, language));
  const made = { name, userAgent, ipAddress, place: place ?? address, language: language.tag };
  return addPasskey(tx, request.tenant, member, checked, made, deps);
}

function noteRefused({ request, member }: Visit, reason: string): void {
  const by = { actorKind: 'member', actorId: member.id, target: member.id } as const;
  noteRefusal(request, { event: 'passkey_refused', ...by, reason });
}
