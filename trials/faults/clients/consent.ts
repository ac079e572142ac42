import { apps, tokensOf } from '../../../test/support/tokens.ts';
import { otherEmail as email, expectStatus, type LedgerClient } from './client.ts';

const path = '/api/v1/members/profile/consents';

/** A member who gives a consent and takes it back, over and over. */
export function consentClient(name: string): LedgerClient {
  let accessToken: string | null = null;
  let status = 'withdrawn';
  let sent: string | null = null;
  const headers = () => ({ authorization: `Bearer ${accessToken}` });
  return {
    name,
    act: async ({ service, host, http }, ledger) => {
      accessToken ??= (await tokensOf(service, host, apps.spa, { email })).access_token;
      sent = status === 'accepted' ? 'withdrawn' : 'accepted';
      ledger.intent(`consent ${sent}`);
      const answer = await http(host, `${path}/newsletter`, {
        method: 'PUT',
        headers: { ...headers(), 'content-type': 'application/json' },
        body: JSON.stringify({ status: sent }),
      });
      // A member may give so many answers a minute; beyond, nothing has changed.
      if (answer.status === 429) {
        sent = null;
        return;
      }
      expectStatus(answer, 200, 'a consent');
      [status, sent] = [sent, null];
      ledger.ack(`consent ${status}`);
    },
    check: async ({ host, http }) => {
      if (accessToken === null) return [];
      const answer = expectStatus(await http(host, path, { headers: headers() }), 200, 'the consents');
      const { consents } = answer.json<{ consents: readonly { id: string; status: string }[] }>();
      const stored = consents.find(({ id }) => id === 'newsletter')?.status ?? 'none';
      const allowed = sent === null ? [status] : [status, sent];
      const problem = `a consent that was ${allowed.join(' or ')} is ${stored}`;
      const isKept = allowed.includes(stored);
      [status, sent, accessToken] = [stored, null, null];
      return isKept ? [] : [problem];
    },
  };
}
