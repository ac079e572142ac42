/**
 * The proof that a person reads an address: a message with a link and six digits, for one purpose. The browser
 * that asked finishes with it, whichever device opened the message.
 */
import type { Decision } from '../decision.ts';
import { equalInConstantTime } from '../hash.ts';
import { machineOf, type StateOf, step } from '../machine.ts';
import { emailProofLifetime, mailsPerHour, wrongEmailCodes } from './limits.ts';

export type EmailProofPurpose = 'sign_in' | 'sign_up' | 'password_reset' | 'email_change';
export type EmailProofState = StateOf<typeof emailProofMachine>;

/** A stored proof. Times are ms since the epoch. */
export interface EmailProof {
  readonly id: string;
  readonly tenantId: string;
  readonly purpose: EmailProofPurpose;
  readonly state: EmailProofState;
  /** The account it is for; at a sign-up the one that has the address already, or that it became, if any. */
  readonly memberId: string | null;
  /** The address that is proven, normalised. */
  readonly email: string;
  /** SHA-256 of the link's secret. */
  readonly linkHash: string;
  /** Keyed hash of the six digits; empty where no mail carries them, so that nothing matches. */
  readonly codeHash: string;
  /** SHA-256 of the cookie of the browser that asked; empty where an operator did. */
  readonly askedBy: string;
  /** Keyed hash of the network that asked. */
  readonly askedFrom: string;
  readonly wrongCodes: number;
  /** JSON of what is done with it once it is proven. */
  readonly payload: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

type EmailProofEvent =
  | { type: 'link' | 'try' | 'finish'; now: number }
  | { type: 'code'; now: number; matches: boolean }
  | { type: 'fail' | 'withdraw' };

export const emailProofMachine = machineOf({
  id: 'email proof',
  context: {} as { expiresAt: number; wrongCodes: number },
  event: {} as EmailProofEvent,
  conditions: {
    'its time is over': ({ context, event }) => 'now' in event && event.now >= context.expiresAt,
    'no try is left': ({ context }) => context.wrongCodes >= wrongEmailCodes,
    'the code is wrong for the last time': ({ context, event }) =>
      event.type === 'code' && !event.matches && context.wrongCodes + 1 >= wrongEmailCodes,
    'the code is wrong': ({ event }) => event.type === 'code' && !event.matches,
  },
  lines: [
    ['pending', 'link', 'its time is over', 'expired', 'refuse'],
    ['pending', 'link', '–', 'proven', 'accept'],
    ['pending', 'code', 'its time is over', 'expired', 'refuse'],
    ['pending', 'code', 'no try is left', '–', 'refuse'],
    ['pending', 'code', 'the code is wrong for the last time', 'exhausted', 'refuse'],
    ['pending', 'code', 'the code is wrong', '–', 'countWrongCode'],
    ['pending', 'code', '–', 'proven', 'accept'],
    ['pending', 'try', 'its time is over', 'expired', 'refuse'],
    ['pending', 'try', 'no try is left', '–', 'refuse'],
    ['pending', 'try', '–', '–', 'countTry'],
    ['pending', 'fail', 'no try is left', 'exhausted', 'refuse'],
    ['pending', ['fail', 'finish'], '–', '–', 'refuse'],
    ['pending', 'withdraw', '–', 'expired', 'recordEnd'],
    ['proven', ['link', 'code'], '–', '–', 'ignore'],
    ['proven', ['try', 'fail'], '–', '–', 'refuse'],
    ['proven', 'finish', 'its time is over', 'expired', 'refuse'],
    ['proven', 'finish', '–', 'finished', 'accept'],
    ['proven', 'withdraw', '–', 'expired', 'recordEnd'],
    [['finished', 'expired', 'exhausted'], ['link', 'code', 'try', 'fail', 'finish'], '–', '–', 'refuse'],
    [['finished', 'expired', 'exhausted'], 'withdraw', '–', '–', 'ignore'],
  ],
});

export type EmailProofWrite =
  | { readonly write: 'insertEmailProof'; readonly proof: EmailProof }
  | { readonly write: 'moveEmailProof'; readonly from: EmailProofState; readonly proof: EmailProof };

/** A proof as it begins. */
export function beginEmailProof(
  facts: Omit<EmailProof, 'state' | 'wrongCodes' | 'createdAt' | 'expiresAt'>,
  now: number,
): EmailProof {
  return {
    ...facts,
    state: 'pending',
    wrongCodes: 0,
    createdAt: now,
    expiresAt: now + emailProofLifetime[facts.purpose],
  };
}

/** How many proofs an address was sent within the hour: all, and those that this browser and network asked for. */
export type SentProofs = Readonly<Record<keyof typeof mailsPerHour, number>>;

/**
 * Whether an address may be sent one more proof: each asker is held to a share of their own (F6).
 *
 * @param isKnown whether the member with the address has signed in with the browser that asks: such a browser has its
 *   share whatever others have asked for (promise 7)
 */
export function maySendProof(sent: SentProofs, isKnown: boolean): boolean {
  if (sent.ofBrowser >= mailsPerHour.ofBrowser) return false;
  return isKnown || (sent.ofNetwork < mailsPerHour.ofNetwork && sent.ofAll < mailsPerHour.ofAll);
}

/** What a page says of a proof: nothing comes any more of one that is over. */
export type ProofStanding = 'awaited' | 'proven' | 'finished' | 'over';

export function proofStanding({ state, expiresAt }: EmailProof, now: number): ProofStanding {
  if (state === 'finished') return 'finished';
  if (now >= expiresAt) return 'over';
  if (state === 'pending') return 'awaited';
  return state === 'proven' ? 'proven' : 'over';
}

/** What the person brought: the link of the message, or its digits as a keyed hash. */
export type Presented = { readonly by: 'link' } | { readonly by: 'code'; readonly codeHash: string };

/** Decides what the person brought; the answer says whether the address is proven now, or was before. */
export function presentProof(
  proof: EmailProof,
  presented: Presented,
  now: number,
): Decision<boolean, EmailProofWrite> {
  const { by: type } = presented;
  const matches =
    type === 'code' && proof.codeHash !== '' && equalInConstantTime(presented.codeHash, proof.codeHash);
  const { outcome, writes } = happen(proof, { type, now, matches });
  return { answer: outcome === 'accept' || outcome === 'ignore', writes };
}

/**
 * Counts a guess at what stands for the proof elsewhere, a password, which takes its time to be judged. It counts
 * as a wrong code before it is looked at, so that of any number at once no more are looked at than are allowed (F1).
 *
 * @returns whether it may be looked at: if so, the link is presented for a right one, and `failTry` follows a wrong one
 */
export function beginTry(proof: EmailProof, now: number): Decision<boolean, EmailProofWrite> {
  const { outcome, writes } = happen(proof, { type: 'try', now });
  return { answer: outcome === 'countTry', writes };
}

/** A guess that was counted was wrong; after the last one only a new message helps. */
export function failTry(proof: EmailProof): readonly EmailProofWrite[] {
  return happen(proof, { type: 'fail' }).writes;
}

/** Uses a proven address up: what it was for may be done now, once. */
export function finishProof(proof: EmailProof, now: number): Decision<boolean, EmailProofWrite> {
  const { outcome, writes } = happen(proof, { type: 'finish', now });
  return { answer: outcome === 'accept', writes };
}

/** Ends a proof that was not used, because another one of its purpose was. */
export function withdrawProof(proof: EmailProof): readonly EmailProofWrite[] {
  return happen(proof, { type: 'withdraw' }).writes;
}

/** Moves a proof one event further; nothing is written where neither its state nor its count changes. */
function happen(proof: EmailProof, event: EmailProofEvent) {
  const { state, outcome } = step(emailProofMachine, proof.state, proof, event);
  const isCounted = outcome === 'countWrongCode' || outcome === 'countTry';
  const next = { ...proof, state, wrongCodes: proof.wrongCodes + (isCounted ? 1 : 0) };
  const writes: readonly EmailProofWrite[] =
    state === proof.state && !isCounted ? [] : [{ write: 'moveEmailProof', from: proof.state, proof: next }];
  return { outcome, writes };
}
