import type { FastifyInstance, FastifyReply } from 'fastify';
import { cancelAuthorizationCode } from '../../../core/authorization-code.ts';
import { withdraw } from '../../../core/device-code.ts';
import { shownName, textProblem } from '../../../core/members/details.ts';
import { memberTextLength } from '../../../core/members/limits.ts';
import { endSignIn } from '../../../core/sign-in.ts';
import { livingSignIns } from '../../../operations/sign-in/sign-in.ts';
import { apply } from '../../../storage/apply.ts';
import { listIssuedAuthorizationCodes } from '../../../storage/authorization-code.ts';
import { listOpenDeviceCodesOfMember } from '../../../storage/device-code.ts';
import type { MemberSignIn } from '../../../storage/members/member-sign-in.ts';
import { findSignIn, listActiveSignIns, updateSignInLabel } from '../../../storage/sign-in.ts';
import type { Deps } from '../../deps.ts';
import { pageForm } from '../../form.ts';
import { sendProblem } from '../../pages/problem.ts';
import { actIn } from '../../session.ts';
import { browserName } from '../browser-name.ts';
import { seenAt } from '../seen-at.ts';
import { accountPart, listLinks } from './list.ts';
import { accountPage, redirectDone, sendAccountPage, type Visit } from './page.ts';
import { agoOf, dayOf } from './times.ts';

const url = '/account/devices';

/** GET and POST /account/devices: every TV and app that can use the account (pages 17). */
export function devicesPage(app: FastifyInstance, deps: Deps): void {
  accountPage(app, deps, url, { show: (visit) => show(visit), submit });
}

/** A name that was not taken, and what was wrong with it. */
interface Refused {
  readonly id: string;
  readonly label: string;
  readonly problem: string;
}

async function show(visit: Visit, refused?: Refused): Promise<FastifyReply> {
  const { member, language, deps } = visit;
  const now = deps.clock();
  const { page, next } = await deps.store.transaction((tx) =>
    livingSignIns(tx, member, accountPart(visit), now),
  );
  const lastUsedFirst = page.toSorted((a, b) => b.signIn.rotatedAt - a.signIn.rotatedAt);
  const devices = lastUsedFirst.map(({ client, ...found }, index) => ({
    ...cardOf(visit, found, shownName(client.name), now),
    field: `label-${index}`,
    label: found.signIn.id === refused?.id ? refused.label : (found.signIn.label ?? ''),
    isRefused: found.signIn.id === refused?.id,
  }));
  const field = devices.find(({ isRefused }) => isRefused)?.field ?? 'top';
  return sendAccountPage(visit, {
    template: 'devices',
    title: 'account.devices.title',
    problems:
      refused === undefined
        ? []
        : [{ field, text: language.t(refused.problem, { most: memberTextLength.label }) }],
    data: { devices, longest: memberTextLength.label, links: listLinks(visit, url, next) },
  });
}

/** What is shown of a sign-in: its name, and the facts that tell it from others. */
function cardOf(
  visit: Visit,
  { signIn, device, userAgent, ipAddress }: MemberSignIn,
  client: string,
  now: number,
) {
  const { tag } = visit.language;
  const name = signIn.label ?? device?.name ?? client;
  const { place, address } = seenAt(visit, ipAddress);
  const facts = [
    ['account.devices.app', name === client ? null : client],
    ['account.devices.device', name === device?.name ? null : device?.name],
    ['device.approve.model', device?.model],
    ['account.browser', device === null ? browserName(userAgent, visit.language) : null],
    ['account.firstUsed', dayOf(signIn.createdAt, tag)],
    ['account.lastUsed', agoOf(signIn.rotatedAt, now, tag)],
    ['device.approve.place', place],
    ['device.approve.address', address],
  ] as const;
  return {
    id: signIn.id,
    name,
    facts: facts.flatMap(([label, value]) => (value ? [{ label: visit.language.t(label), value }] : [])),
  };
}

async function submit(visit: Visit): Promise<FastifyReply> {
  const { request, reply, deps } = visit;
  const { signIn: id = '', label = '', action } = pageForm(request, ['signIn', 'label', 'action']);
  if (action === 'sign-out-all') return signOutAll(visit);
  const problem = action === 'rename' ? textProblem(label, memberTextLength.label) : null;
  const isFound = await actIn(visit, async (tx, { member }) => {
    const found = await findSignIn(tx, member.tenantId, id);
    if (found?.memberId !== member.id) return false;
    if (action !== 'rename') await apply(tx, endSignIn(found, 'signed_out', deps.clock()));
    else if (problem === null) await updateSignInLabel(tx, id, label.trim() || null);
    return true;
  });
  if (!isFound) return sendProblem(reply, 'notFound', { language: visit.language });
  if (problem !== null) return show(visit, { id, label, problem: `account.error.text.${problem}` });
  return redirectDone(visit, url, action === 'rename' ? 'renamed' : 'signedOut');
}

/** Ends every sign-in, and what would become one: TVs at their next poll, apps that hold a code. */
async function signOutAll(visit: Visit): Promise<FastifyReply> {
  const { deps } = visit;
  await actIn(visit, async (tx, { member }) => {
    const now = deps.clock();
    for (const signIn of await listActiveSignIns(tx, member.id)) {
      await apply(tx, endSignIn(signIn, 'signed_out', now));
    }
    for (const code of await listOpenDeviceCodesOfMember(tx, member.id)) await apply(tx, withdraw(code));
    for (const code of await listIssuedAuthorizationCodes(tx, member.id)) {
      await apply(tx, cancelAuthorizationCode(code));
    }
  });
  return redirectDone(visit, url, 'signedOutAll');
}
