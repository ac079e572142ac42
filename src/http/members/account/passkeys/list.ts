// The account page of passkeys, and what other pages say of them.
import { passkeyLimits } from '../../../../core/members/limits.ts';
import { type Passkey, passkeyDomain } from '../../../../core/members/passkey.ts';
import { renamePasskey } from '../../../../operations/passkey/passkeys.ts';
import { browserName, seenAt } from '../../../../operations/session/notice.ts';
import { findPasskey, listPasskeys } from '../../../../storage/members/passkey.ts';
import type { Tx } from '../../../../storage/store.ts';
import { noteOffered, wasOffered } from '../../../cookies.ts';
import { pageForm } from '../../../form.ts';
import type { Answer } from '../../../pages/guarded-page.ts';
import { sendProblem } from '../../../pages/problem.ts';
import { shownFacts } from '../../facts.ts';
import { agoOf, dayOf } from '../../times.ts';
import { type AccountPage, listLinks, redirectDone, sendAccountPage, type Visit } from '../page.ts';

export const passkeysUrl = '/account/passkeys';

/** GET and POST /account/passkeys: the passkeys of the member, with their names and when and where they were last used. */
export const passkeysPage: AccountPage = {
  url: passkeysUrl,
  show: (tx, visit) => onlyWithPasskeys(visit, () => show(tx, visit)),
  submit: (tx, visit) => onlyWithPasskeys(visit, () => submit(tx, visit)),
};

/** Where the tenant has none, there is no page of them. */
export function onlyWithPasskeys(
  { request, reply, language }: Visit,
  answer: () => Promise<Answer>,
): Promise<Answer> | Answer {
  if (passkeyDomain(request.tenant) !== null) return answer();
  return () => sendProblem(reply, 'notFound', { language });
}

/** A name that was not taken. */
interface Refused {
  readonly id: string;
  readonly label: string;
}

async function show(tx: Tx, visit: Visit, refused?: Refused): Promise<Answer> {
  const { member, language } = visit;
  const all = await listPasskeys(tx, member.id);
  const passkeys = all.map((passkey, index) => ({
    ...passkeyRow(visit, passkey),
    field: `label-${index}`,
    label: passkey.id === refused?.id ? refused.label : passkey.name,
    isRefused: passkey.id === refused?.id,
  }));
  const field = passkeys.find(({ isRefused }) => isRefused)?.field ?? 'top';
  return () =>
    sendAccountPage(visit, {
      template: 'passkeys/list',
      title: 'account.passkeys.title',
      problems: refused === undefined ? [] : [{ field, text: language.t('account.passkeys.error.name') }],
      data: { passkeys, longest: passkeyLimits.name, links: listLinks(visit, passkeysUrl, null) },
    });
}

/** What a passkey is called, and in one line when it was used last, and where. */
function passkeyRow(visit: Visit, passkey: Passkey) {
  const { language, deps } = visit;
  const { id, name, createdAt, lastUsedAt, userAgent, ipAddress } = passkey;
  const { place, address } = seenAt(visit, ipAddress);
  const used = lastUsedAt === null ? null : agoOf(lastUsedAt, deps.clock(), language);
  const browser = browserName(userAgent, language);
  return {
    id,
    name,
    drawing: 'passkey',
    about: [used ?? language.t('account.passkeys.never'), name === browser ? null : browser, place].filter(
      (part) => part !== null,
    ),
    facts: shownFacts(language, [
      ['account.firstUsed', dayOf(createdAt, language)],
      ['account.lastUsed', used],
      ['device.approve.address', address],
    ]),
  };
}

async function submit(tx: Tx, visit: Visit): Promise<Answer> {
  const { request, reply, member, language } = visit;
  const { passkey: id = '', label = '', action } = pageForm(request, ['passkey', 'label', 'action']);
  if (action === 'later') {
    return () => {
      noteOffered(reply);
      return reply.redirect('/account', 303);
    };
  }
  const passkey = await findPasskey(tx, member.id, id);
  if (passkey === null) return () => sendProblem(reply, 'notFound', { language });
  if ((await renamePasskey(tx, passkey, label)) !== null) return show(tx, visit, { id, label });
  const undo = { passkey: id, action: 'rename', label: passkey.name };
  return () => redirectDone(visit, passkeysUrl, 'renamed', { name: label.trim(), undo });
}

/** What other pages of the account say: how many there are, and whether one is offered, once in each browser. */
export async function passkeysInShort(tx: Tx, { request, member }: Visit) {
  if (passkeyDomain(request.tenant) === null) return { passkeyCount: null, offersPasskey: false };
  const passkeyCount = (await listPasskeys(tx, member.id)).length;
  return { passkeyCount, offersPasskey: passkeyCount === 0 && !wasOffered(request) };
}
