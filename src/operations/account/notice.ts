// The links of mails that tell a member of a new browser or TV.
import { noticeLifetime } from '../../core/members/limits.ts';
import { seal, unseal } from '../../secrets/seal.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';

/** What a mail told a member of, so that "it was not me" can take it back. */
export interface Notice {
  readonly memberId: string;
  readonly at: number;
  /** The session of a new browser, or the device code of a TV. */
  readonly what: { readonly sessionId: string } | { readonly deviceCodeId: string };
}

/** A notice is read wherever the mail is, so its seal is bound to no browser. */
const anyBrowser = 'mail';

/** The address that the mail's button opens. */
export function noticeUrl(tenant: OpenTenant, notice: Notice): string {
  return `${tenant.issuer}/not-me/${seal(tenant.tokenKey, 'notice', anyBrowser, notice)}`;
}

/** The notice of a link; null if it was never ours, or is too old. */
export function readNotice({ tokenKey }: OpenTenant, text: string, now: number): Notice | null {
  const unsealed = unseal(tokenKey, 'notice', anyBrowser, text);
  if (unsealed.kind !== 'opened') return null;
  const notice = unsealed.value as Notice;
  return now < notice.at + noticeLifetime ? notice : null;
}
