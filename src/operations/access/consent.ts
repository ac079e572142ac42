// Defines consents, records the answers of members, and limits how often they are given.
import { type Answerer, answerConsent, type Consent, type ConsentStatus } from '../../core/access/consent.ts';
import { consentAnswers } from '../../core/access/limits.ts';
import { countingWindow } from '../../core/limits.ts';
import { findConsents, listLastConsentChanges, saveConsent } from '../../storage/access/consent.ts';
import { apply } from '../../storage/apply.ts';
import { giveBackIn, type RateLimiter, takeIn } from '../../storage/memory/rate-limit.ts';
import type { Tx } from '../../storage/store.ts';
import { refuseIfAny } from '../refusal.ts';
import { accessTextProblems } from './content-channel.ts';

/**
 * Defines a consent, or changes the one of that id. Members who agreed to other words agreed to those:
 * the history keeps them.
 *
 * @throws OperationRefused with every problem at once
 */
export async function defineConsent(tx: Tx, consent: Consent): Promise<void> {
  refuseIfAny(accessTextProblems(consent));
  await saveConsent(tx, consent);
}

/**
 * Records a member's answers. Consents that the tenant does not ask for (any more) are left out.
 *
 * @param answers by consent id
 */
export async function answerConsents(
  tx: Tx,
  tenantId: string,
  answers: ReadonlyMap<string, ConsentStatus>,
  answerer: Answerer,
): Promise<void> {
  const ids = [...answers.keys()];
  const changes = await listLastConsentChanges(tx, { tenantId, id: answerer.memberId }, ids);
  for (const consent of await findConsents(tx, tenantId, ids)) {
    const status = answers.get(consent.id);
    if (status !== undefined) await apply(tx, answerConsent(consent, changes, status, answerer));
  }
}

/**
 * Counts that a member answered consents, in an app or on the account page. An answer that changes nothing
 * counts too: it costs the same.
 *
 * @returns null if it is allowed, else the seconds to wait
 */
export async function takeConsentAnswer(
  tx: Tx,
  limiter: RateLimiter,
  memberId: string,
): Promise<number | null> {
  const take = (limit: number, window: number) => takeIn(tx, limiter.members, keyOf(memberId), limit, window);
  const { perMinute, perDay } = consentAnswers;
  return (await take(perMinute, countingWindow.minute)) ?? (await take(perDay, countingWindow.day));
}

/** Counts one answer less, which was refused. */
export async function giveBackConsentAnswer(tx: Tx, limiter: RateLimiter, memberId: string): Promise<void> {
  for (const window of [countingWindow.minute, countingWindow.day]) {
    await giveBackIn(tx, limiter.members, keyOf(memberId), window);
  }
}

const keyOf = (memberId: string) => `consents ${memberId}`;
