import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DeviceCode } from '../../core/device-code.ts';
import { decideDeviceCode } from '../../core/device-verdict.ts';
import { showUserCode } from '../../core/user-code.ts';
import { noticeUrl } from '../../operations/account/notice.ts';
import { seenAt } from '../../operations/session/seen-at.ts';
import { seal, unseal } from '../../secrets/seal.ts';
import { apply } from '../../storage/apply.ts';
import { findClient } from '../../storage/client.ts';
import { findDeviceCodeById } from '../../storage/device-code.ts';
import type { Tx } from '../../storage/store.ts';
import { transactionOf } from '../audit.ts';
import { browserCookie, ensureBrowserCookie } from '../cookies.ts';
import type { Deps } from '../deps.ts';
import { requestLanguage } from '../pages/language.ts';
import { type CurrentSession, currentSession } from '../session.ts';
import { countGuess } from './device-lookup.ts';

/** What the approve page's form carries: proof that this session entered this code (decision 30). */
interface EnteredCode {
  readonly codeId: string;
  readonly sessionId: string;
  readonly digits: string;
}

/** Seals the proof for this browser: the form's token against forgery, and the right to decide, in one. */
export function sealDevice(reply: FastifyReply, entered: EnteredCode, { random }: Deps): string {
  const browser = ensureBrowserCookie(reply, random);
  return seal(reply.request.tenant.tokenKey, 'device', browser, entered);
}

export type DecidedDevice =
  | { readonly kind: 'approved' | 'rejected'; readonly codeId: string }
  | { readonly kind: 'not-valid'; readonly current: CurrentSession }
  /** The form is not one that this session was given. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'signed-out'; readonly typed: string | undefined };

/** Approves or rejects the device of the form's proof, for the member of this browser's session. */
export async function decideDevice(
  request: FastifyRequest,
  proof: string | undefined,
  verdict: 'approve' | 'reject',
  deps: Deps,
): Promise<DecidedDevice> {
  const { tenant } = request;
  const { clock } = deps;
  const entered = readProof(request, proof);
  return transactionOf(request, deps, async (tx) => {
    const now = clock();
    const current = await currentSession(tx, request, now);
    if (current === null) {
      return { kind: 'signed-out', typed: entered === null ? undefined : showUserCode(entered.digits) };
    }
    const { session } = current;
    if (entered === null || entered.sessionId !== session.id) {
      await countGuess(tx, request, current, now);
      return { kind: 'foreign' };
    }
    const code = await findDeviceCodeById(tx, tenant.id, entered.codeId);
    const { memberId, authenticatedAt } = session;
    const command = { verdict, memberId, sessionId: session.id, authenticatedAt, now };
    const { answer, writes } = decideDeviceCode(code, command);
    await apply(tx, writes);
    if (answer === 'not-valid' || code === null) return { kind: 'not-valid', current };
    // Pressing twice approves once and is told once, and pressing "Reject" afterwards agrees to nothing.
    if (answer === 'approved' && writes.length > 0) {
      await consentTo(tx, code, memberId, now);
      await mailNewTv(tx, request, current, code, deps);
    }
    return { kind: answer, codeId: code.id };
  });
}

/** Approving a third party's app allows what the page listed (decision 14). */
async function consentTo(tx: Tx, code: DeviceCode, memberId: string, now: number): Promise<void> {
  const { tenantId, clientId, scope } = code;
  if ((await findClient(tx, tenantId, clientId))?.thirdParty !== true) return;
  const consent = { tenantId, memberId, clientId, scope, grantedAt: now };
  await apply(tx, [{ write: 'saveScopeConsent', consent }]);
}

/** Tells a member of a TV or app that was approved in their name. */
async function mailNewTv(
  tx: Tx,
  request: FastifyRequest,
  { member }: CurrentSession,
  code: DeviceCode,
  deps: Deps,
): Promise<void> {
  const { tenant } = request;
  const client = await findClient(tx, tenant.id, code.clientId);
  const language = requestLanguage(request, [member.locale]);
  const { place, address } = seenAt({ language, deps }, code.ipAddress);
  const at = deps.clock();
  await deps.mails.queue(tx, tenant, {
    name: 'newTv',
    to: member.email,
    language: language.tag,
    values: {
      fullName: member.fullName,
      client: client?.name ?? '',
      device: [code.deviceName, code.deviceModel].filter((text) => text !== null).join(', '),
      place: place ?? address,
      time: at,
    },
    link: noticeUrl(tenant, { memberId: member.id, at, what: { deviceCodeId: code.id } }),
  });
}

function readProof(request: FastifyRequest, proof: string | undefined): EnteredCode | null {
  if (proof === undefined) return null;
  const unsealed = unseal(request.tenant.tokenKey, 'device', browserCookie(request), proof);
  return unsealed.kind === 'opened' ? (unsealed.value as EnteredCode) : null;
}
