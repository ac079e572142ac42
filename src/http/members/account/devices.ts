// The account page of TVs and apps.
import { endSignIn } from '../../../core/grants/sign-in.ts';
import { shownName, textProblem } from '../../../core/members/details.ts';
import { memberTextLength } from '../../../core/members/limits.ts';
import { browserName, seenAt } from '../../../operations/session/notice.ts';
import { signOutApps } from '../../../operations/session/session.ts';
import { type LivingSignIn, livingSignIns, nameOfSignIn } from '../../../operations/sign-in/sign-in.ts';
import { apply } from '../../../storage/apply.ts';
import { findSignIn, updateSignInLabel } from '../../../storage/grants/sign-in.ts';
import type { Tx } from '../../../storage/store.ts';
import { pageForm } from '../../form.ts';
import type { Answer } from '../../pages/guarded-page.ts';
import { sendProblem } from '../../pages/problem.ts';
import { browserIcon, shownFacts } from '../facts.ts';
import { agoOf, beginning, dayOf } from '../times.ts';
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
  const devices = lastUsedFirst.map((found, index) => ({
    ...deviceRow(visit, found, now),
    facts: factsOf(visit, found, now),
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
      data: {
        devices,
        longest: most,
        links: listLinks(visit, url, next),
        hasTvs: visit.request.tenant.deviceFlow,
      },
    });
}

/** What a TV or an app is called, and in one line: the app, the place, and when it was used last. */
export function deviceRow(
  visit: Visit,
  { signIn, device, userAgent, ipAddress, client }: LivingSignIn,
  now: number,
) {
  const app = shownName(client.name);
  const name = signIn.label ?? device?.name ?? app;
  const { place } = seenAt(visit, ipAddress);
  const { tag } = visit.language;
  const known = [
    name === app ? (device?.model ?? null) : app,
    device === null ? browserName(userAgent, visit.language) : null,
    place,
  ].filter((part) => part !== null);
  const ago = agoOf(signIn.rotatedAt, now, visit.language);
  return {
    id: signIn.id,
    name,
    drawing: device === null ? browserIcon(userAgent) : 'tv',
    about: known.length === 0 ? [beginning(ago, tag)] : [...known, ago],
  };
}

/** The facts that tell a sign-in from others. */
function factsOf(visit: Visit, { signIn, device, ipAddress }: LivingSignIn, now: number) {
  const { tag } = visit.language;
  return shownFacts(visit.language, [
    ['account.devices.device', signIn.label === null ? null : device?.name],
    ['device.approve.model', device?.model],
    ['account.firstUsed', dayOf(signIn.createdAt, visit.language)],
    ['account.lastUsed', beginning(agoOf(signIn.rotatedAt, now, visit.language), tag)],
    ['device.approve.address', seenAt(visit, ipAddress).address],
  ]);
}

async function submit(tx: Tx, visit: Visit): Promise<Answer> {
  const { request, reply, member, language, deps } = visit;
  const form = pageForm(request, ['signIn', 'label', 'action', 'from']);
  const { signIn: id = '', label = '', action, from } = form;
  if (action === 'sign-out-all') {
    await signOutApps(tx, member.id, 'signed_out', deps.clock());
    return () => redirectDone(visit, url, 'signedOutAll');
  }
  const found = await findSignIn(tx, member.tenantId, id);
  if (found?.memberId !== member.id) return () => sendProblem(reply, 'notFound', { language });
  const before = await nameOfSignIn(tx, found);
  if (action !== 'rename') {
    await apply(tx, endSignIn(found, 'signed_out', deps.clock()));
    const back = from === 'overview' ? '/account' : url;
    return () => redirectDone(visit, back, 'signedOut', { name: before });
  }
  const problem = textProblem(label, memberTextLength.label);
  if (problem !== null) return show(tx, visit, { id, label, problem: `account.error.text.${problem}` });
  await updateSignInLabel(tx, id, label.trim() || null);
  const name = await nameOfSignIn(tx, { ...found, label: label.trim() || null });
  const undo = { signIn: id, action: 'rename', label: found.label ?? '' };
  return () => redirectDone(visit, url, 'renamed', { name, undo });
}
