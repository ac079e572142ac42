import type { FastifyRequest } from 'fastify';
import type { Consent, ConsentStatus } from '../../../core/access/consent.ts';
import { pageForm } from '../../form.ts';

/** A consent as a form shows it, in `templates/members/parts/consents.eta`. */
export interface ConsentBox extends Pick<Consent, 'id' | 'name' | 'description'> {
  readonly isTicked: boolean;
  /** What is said of it beside its description; null for nothing. */
  readonly note: string | null;
}

const nameOf = (id: string) => `consent-${id}` as const;

/** The answers that a form gives, by consent id. */
export type ConsentAnswers = ReadonlyMap<string, ConsentStatus>;

/**
 * Reads the boxes of a form: ticked is yes, and a box that was shown and left empty is no. A consent that the
 * page did not show, because the tenant began to ask for it since, is not answered by it; one that the tenant
 * does not ask for is ignored.
 */
export function readConsents(request: FastifyRequest, consents: readonly Consent[]): ConsentAnswers {
  const { asked = '' } = pageForm(request, ['asked']);
  const shown = asked.split(' ');
  const form = pageForm(
    request,
    consents.map(({ id }) => nameOf(id)),
  );
  return new Map(
    consents
      .filter(({ id }) => shown.includes(id))
      .map(({ id }) => [id, form[nameOf(id)] === undefined ? 'withdrawn' : 'accepted']),
  );
}
