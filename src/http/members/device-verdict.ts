import type { FastifyReply, FastifyRequest } from 'fastify';
import { decideDeviceCode } from '../../core/device-verdict.ts';
import { showUserCode } from '../../core/user-code.ts';
import { seal, unseal } from '../../seal.ts';
import { apply } from '../../storage/apply.ts';
import { findDeviceCodeById } from '../../storage/device-code.ts';
import { browserCookie, ensureBrowserCookie } from '../cookies.ts';
import type { Deps } from '../deps.ts';
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
  | { readonly kind: 'approved' | 'rejected' }
  | { readonly kind: 'not-valid'; readonly current: CurrentSession }
  /** The form is not one that this session was given. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'signed-out'; readonly typed: string | undefined };

/** Approves or rejects the device of the form's proof, for the member of this browser's session. */
export async function decideDevice(
  request: FastifyRequest,
  proof: string | undefined,
  verdict: 'approve' | 'reject',
  { store, clock }: Deps,
): Promise<DecidedDevice> {
  const { tenant } = request;
  const entered = readProof(request, proof);
  return store.transaction(async (tx) => {
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
    return answer === 'not-valid' ? { kind: answer, current } : { kind: answer };
  });
}

function readProof(request: FastifyRequest, proof: string | undefined): EnteredCode | null {
  if (proof === undefined) return null;
  const unsealed = unseal(request.tenant.tokenKey, 'device', browserCookie(request), proof);
  return unsealed.kind === 'opened' ? (unsealed.value as EnteredCode) : null;
}
