// Chooses the language of a page.
import type { FastifyRequest } from 'fastify';
import { chooseLanguage, type Language } from '../../language.ts';

/**
 * The language of a page: among those that the tenant offers what the page was asked for, then what the
 * browser says (pages 4).
 *
 * @param asked tags in order of preference, such as those of `ui_locales` and what the member chose
 */
export function requestLanguage(
  { headers, tenant }: FastifyRequest,
  asked: readonly (string | null | undefined)[],
): Language {
  // While the service is set up there is no tenant.
  const offered = (tenant as typeof tenant | undefined)?.languages;
  return chooseLanguage(asked, headers['accept-language'], offered);
}
