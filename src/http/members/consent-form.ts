// Reads the consents of a form, and prepares them for a page.
import type { FastifyRequest } from 'fastify';
import { type Consent, type ConsentStatus, wordsOf } from '../../core/access/consent.ts';
import { pageForm } from '../form.ts';

/** A consent as a form shows it, in `templates/members/parts/consents.eta`. */
interface ConsentBox extends Pick<Consent, 'id' | 'name' | 'description'> {
  readonly isTicked: boolean;
  /** What is said of it beside its description; null for nothing. */
  readonly note: string | null;
}

function isTicked(request: FastifyRequest, id: string): boolean {
  const name = `consent-${id}` as const;
  return pageForm(request, [name])[name] !== undefined;
}

/** The answers that a form gives, by consent id. */
export type ConsentAnswers = ReadonlyMap<string, ConsentStatus>;

/**
 * Reads the boxes of a form: ticked is yes, and a box that was shown and left empty is no, which is an answer where it
 * was yes before (`answerConsent`). A consent that the page did not show in the words of today is not answered by it,
 * because the tenant began to ask for it or changed what it says since (GDPR art. 7 (1)).
 */
export function readConsents(request: FastifyRequest, consents: readonly Consent[]): ConsentAnswers {
  const shown = shownWords(request);
  return new Map(
    consents
      .filter((consent) => shown.get(consent.id) === wordsOf(consent))
      .map(({ id }) => [id, isTicked(request, id) ? 'accepted' : 'withdrawn']),
  );
}

/** A consent that a form asked for in other words than those of today, and whether its box was ticked. */
export type ChangedConsent = ReturnType<typeof changedConsents>[number];

/**
 * The boxes that ask for consents, ticked where a form that is shown again had them so: never beforehand, since silence
 * is no agreement (GDPR recital 32).
 */
export const boxesOf = (consents: readonly Consent[], answers?: ConsentAnswers): readonly ConsentBox[] =>
  consents.map((consent) => ({
    ...consent,
    isTicked: answers?.get(consent.id) === 'accepted',
    note: null,
  }));

/** The consents whose words have changed since the form was shown: `readConsents` leaves them out. */
export function changedConsents(request: FastifyRequest, consents: readonly Consent[]) {
  const shown = shownWords(request);
  return consents
    .filter((consent) => shown.has(consent.id) && shown.get(consent.id) !== wordsOf(consent))
    .map(({ id, name }) => ({ id, name, wasTicked: isTicked(request, id) }));
}

/** The consents that a form asked for, by their ids. */
export function askedConsents(request: FastifyRequest): readonly string[] {
  return [...shownWords(request).keys()];
}

/** The digest of the words that a form showed, by consent id: its field `asked` has `<id>.<digest>` of each. */
function shownWords(request: FastifyRequest): ReadonlyMap<string, string> {
  const { asked = '' } = pageForm(request, ['asked']);
  return new Map(
    asked
      .split(' ')
      .map((one) => one.split('.'))
      .map(([id = '', words = '']) => [id, words]),
  );
}
