// Consents: what a tenant asks its members to agree to, and what they answered.
import { sha256 } from '../hash.ts';
import { isoTimeOrNull } from './iso-time.ts';

/** Something a tenant asks its members to agree to, such as a newsletter. */
export interface Consent {
  /** The tenant's own name for it, such as `newsletter`. */
  readonly id: string;
  readonly tenantId: string;
  readonly name: string;
  readonly description: string;
  /** Where it is asked for, beside the account page and the API. */
  readonly atSignUp: boolean;
  readonly atCheckout: boolean;
  /** From when on it is not asked for any more (ms); what was answered is kept. */
  readonly retiredAt: number | null;
}

export type ConsentStatus = 'accepted' | 'withdrawn';

/** Where an answer was given. */
export type ConsentSource = 'account' | 'api' | 'checkout' | 'import' | 'sign_up';

/** One answer of a member, kept for good, with the words it was an answer to (GDPR art. 7 (1)). */
export interface ConsentChange {
  readonly tenantId: string;
  readonly memberId: string;
  readonly consentId: string;
  readonly status: ConsentStatus;
  readonly name: string;
  readonly description: string;
  readonly source: ConsentSource;
  /** The client whose token was used; null on our own pages. */
  readonly clientId: string | null;
  /** ms */
  readonly changedAt: number;
}

export interface ConsentWrite {
  readonly write: 'insertConsentChange';
  readonly change: ConsentChange;
}

/** A consent as the API shows it (decision 39). */
export type ConsentOfMember = ReturnType<typeof consentOf>;

/** A short digest of what a consent says of itself: an answer is one to the words that the member saw. */
export function wordsOf({ id, name, description }: Pick<Consent, 'id' | 'name' | 'description'>): string {
  return sha256(JSON.stringify([id, name, description])).slice(0, 16);
}

/**
 * A consent and a member's answers. The last one is enough: a member who never answered has not agreed, and has
 * no time of it (ISO 8601, UTC, milliseconds).
 */
export function consentOf({ id, name, description }: Consent, changes: readonly ConsentChange[]) {
  const last = changes.findLast(({ consentId }) => consentId === id);
  const status: ConsentStatus = last?.status ?? 'withdrawn';
  return { id, name, description, status, changedAt: isoTimeOrNull(last?.changedAt ?? null) };
}

/** The member who answers, the way by which the answer came, and when. */
export type Answerer = Pick<ConsentChange, 'memberId' | 'source' | 'clientId' | 'changedAt'>;

/**
 * Records an answer. One that changes nothing is not recorded again; a "yes" to words that have changed since the
 * last one is (GDPR art. 7 (1)). A first "no" is one where an app says so; a box of a page that was never ticked and
 * is left empty answers nothing.
 *
 * @param changes the member's answers so far, oldest first; the last one to each consent is enough
 */
export function answerConsent(
  consent: Consent,
  changes: readonly ConsentChange[],
  status: ConsentStatus,
  answerer: Answerer,
): readonly ConsentWrite[] {
  const last = changes.findLast(({ consentId }) => consentId === consent.id);
  const { id, tenantId, name, description } = consent;
  const isToSameWords = last?.name === name && last.description === description;
  if (last?.status === status && (status === 'withdrawn' || isToSameWords)) return [];
  if (last === undefined && status === 'withdrawn' && answerer.source !== 'api') return [];
  return [
    {
      write: 'insertConsentChange',
      change: { ...answerer, tenantId, consentId: id, name, description, status },
    },
  ];
}
