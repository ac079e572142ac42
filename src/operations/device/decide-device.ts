/** Approves or rejects the device of a code that a member entered, and shows or takes back what became of it. */
import {
  type DeviceCode,
  decideDeviceCode,
  deviceStanding,
  type VerdictAnswer,
  withdraw,
} from '../../core/grants/device-code.ts';
import { endSignIn, signInLives } from '../../core/grants/sign-in.ts';
import type { Member } from '../../core/members/member.ts';
import type { Session } from '../../core/session.ts';
import { apply } from '../../storage/apply.ts';
import { findClient } from '../../storage/clients/client.ts';
import { findDeviceCodeById } from '../../storage/grants/device-code.ts';
import { findSession } from '../../storage/grants/session.ts';
import { findSignIn } from '../../storage/grants/sign-in.ts';
import type { Tx } from '../../storage/store.ts';
import type { Language } from '../../text/language.ts';
import { toMember } from '../mail/mailer.ts';
import { noticeUrl, seenAt } from '../session/notice.ts';
import type { SessionDeps } from '../session/session.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';

/** Who decides: a member in a session that entered this very code (decision 30), and the language of the mail. */
export interface Decider {
  readonly member: Member;
  readonly session: Session;
  readonly language: Language;
}

/** Decides on a device code, and tells the member of an approval. */
export async function decideDevice(
  tx: Tx,
  tenant: OpenTenant,
  codeId: string,
  verdict: 'approve' | 'reject',
  { member, session, language }: Decider,
  deps: Pick<SessionDeps, 'clock' | 'mails' | 'placeOf'>,
): Promise<VerdictAnswer> {
  const now = deps.clock();
  const code = await findDeviceCodeById(tx, tenant.id, codeId);
  const { id: sessionId, authenticatedAt } = session;
  const command = { verdict, memberId: member.id, sessionId, authenticatedAt, now };
  const { answer, writes } = decideDeviceCode(code, command);
  await apply(tx, writes);
  // Pressing twice approves once and is told once, and pressing "Reject" afterwards agrees to nothing.
  if (answer !== 'approved' || writes.length === 0 || code === null) return answer;
  const client = await findClient(tx, tenant.id, code.clientId);
  if (client?.thirdParty === true) {
    // Approving a third party's app allows what the page listed (decision 14).
    const { tenantId, clientId, scope, resources } = code;
    const consent = { tenantId, memberId: member.id, clientId, scope, resources, grantedAt: now };
    await apply(tx, [{ write: 'saveScopeConsent', consent }]);
  }
  const { place, address } = seenAt({ language, deps }, code.ipAddress);
  await deps.mails.queue(tx, tenant, {
    ...toMember(member, language.tag, {
      client: client?.name ?? '',
      device: [code.deviceName, code.deviceModel].filter((text) => text !== null).join(', '),
      place: place ?? address,
      time: now,
    }),
    name: 'newTv',
    link: noticeUrl(tenant, { memberId: member.id, at: now, what: { deviceCodeId: code.id } }),
  });
  return answer;
}

/** A device and what has become of it. */
export type DecidedDevice = NonNullable<Awaited<ReturnType<typeof findDecidedDevice>>>;

/** The device that a member decided on, by its code; null where it is forgotten, or another member's. */
export async function findDecidedDevice(
  tx: Tx,
  { tenantId, memberId }: { readonly tenantId: string; readonly memberId: string },
  codeId: string,
  now: number,
) {
  const code = await findDeviceCodeById(tx, tenantId, codeId);
  const client = code?.memberId === memberId ? await findClient(tx, tenantId, code.clientId) : null;
  if (code === null || client === null) return null;
  const signIn = code.signInId === null ? null : await findSignIn(tx, tenantId, code.signInId);
  const session = signIn === null ? null : await findSession(tx, tenantId, signIn.sessionId);
  const lives = signIn !== null && signInLives(signIn, client, session, now);
  // The name that the member gave it, or its own.
  const name = signIn?.label ?? code.deviceName;
  return { code, client, name, standing: deviceStanding(code, lives) };
}

/** Takes the approval of a device back, or ends the sign-in that it began. */
export async function signOutDevice(tx: Tx, code: DeviceCode, now: number): Promise<void> {
  await apply(tx, withdraw(code));
  const signIn = code.signInId === null ? null : await findSignIn(tx, code.tenantId, code.signInId);
  if (signIn !== null) await apply(tx, endSignIn(signIn, 'signed_out', now));
}
