// The account page of TVs and apps.
import { endSignIn } from '../../../core/grants/sign-in.ts';
import { shownName, textProblem } from '../../../core/members/details.ts';
import { memberTextLength } from '../../../core/members/limits.ts';
import { browserName } from '../../../operations/session/notice.ts';
import { signOutApps } from '../../../operations/session/session.ts';
import { livingSignIns } from '../../../operations/sign-in/sign-in.ts';
import { apply } from '../../../storage/apply.ts';
import type { MemberSignIn } from '../../../storage/sign-in.ts';
import { findSignIn, updateSignInLabel } from '../../../storage/sign-in.ts';
import type { Tx } from '../../../storage/store.ts';
import { pageForm } from '../../form.ts';
import type { Answer } from '../../pages/guarded-page.ts';
import { sendProblem } from '../../pages/problem.ts';
import { placeFacts, shownFacts } from '../facts.ts';
import { agoOf, dayOf } from '../times.ts';
import {
  type AccountPage,
  accountPart,
  listLinks,
  redirectDone,
  sendAccountPage,
  type Visit,
} from './page.ts';

const url = '/account/devices';

/** GET and POST /account/devices: every TV and app that can use the account (pages 17). */
export const devicesPage: AccountPage = { url, show: (tx, visit) => show(tx, visit), submit };

/** A name that was not taken, and what was wrong with it. */
interface Refused {
  readonly id: string;
  readonly label: string;
  readonly problem: string;
}

async function show(tx: Tx, visit: Visit, refused?: Refused): Promise<Answer> {
  const { member, language, deps } = visit;
  const now = deps.clock();
  const { page, next } = await livingSignIns(tx, member, accountPart(visit), now);
  const lastUsedFirst = page.toSorted((a, b) => b.signIn.rotatedAt - a.signIn.rotatedAt);
  const devices = lastUsedFirst.map(({ client, ...found }, index) => ({
    ...cardOf(visit, found, shownName(client.name), now),
    field: `label-${index}`,
    label: found.signIn.id === refused?.id ? refused.label : (found.signIn.label ?? ''),
    isRefused: found.signIn.id === refused?.id,
  }));
  const field = devices.find(({ isRefused }) => isRefused)?.field ?? 'top';
  const most = memberTextLength.label;
  return () =>
    sendAccountPage(visit, {
      template: 'devices',
      title: 'account.devices.title',
      problems: refused === undefined ? [] : [{ field, text: language.t(refused.problem, { most }) }],
      data: { devices, longest: most, links: listLinks(visit, url, next) },
    });
}

/** What is shown of a sign-in: its name, and the facts that tell it from others. */
function cardOf(visit: Visit, found: MemberSignIn, client: string, now: number) {
  const { signIn, device, userAgent, ipAddress } = found;
  const { tag } = visit.language;
  const name = signIn.label ?? device?.name ?? client;
  const facts = [
    ['account.devices.app', name === client ? null : client],
    ['account.devices.device', name === device?.name ? null : device?.name],
    ['device.approve.model', device?.model],
    ['account.browser', device === null ? browserName(userAgent, visit.language) : null],
    ['account.firstUsed', dayOf(signIn.createdAt, tag)],
    ['account.lastUsed', agoOf(signIn.rotatedAt, now, tag)],
    ...placeFacts(visit, ipAddress),
  ] as const;
  return { id: signIn.id, name, facts: shownFacts(visit.language, facts) };
}

async function submit(tx: Tx, visit: Visit): Promise<Answer> {
  const { request, reply, member, language, deps } = visit;
  const { signIn: id = '', label = '', action } = pageForm(request, ['signIn', 'label', 'action']);
  if (action === 'sign-out-all') {
    await signOutApps(tx, member.id, 'signed_out', deps.clock());
    return () => redirectDone(visit, url, 'signedOutAll');
  }
  const found = await findSignIn(tx, member.tenantId, id);
  if (found?.memberId !== member.id) return () => sendProblem(reply, 'notFound', { language });
  if (action !== 'rename') {
    await apply(tx, endSignIn(found, 'signed_out', deps.clock()));
    return () => redirectDone(visit, url, 'signedOut');
  }
  const problem = textProblem(label, memberTextLength.label);
  if (problem !== null) return show(tx, visit, { id, label, problem: `account.error.text.${problem}` });
  await updateSignInLabel(tx, id, label.trim() || null);
  return () => redirectDone(visit, url, 'renamed');
}
