// A call that its receiver can tell to be ours (Standard Webhooks).
import { second } from '../../core/limits.ts';
import { signWebhook } from '../../secrets/webhook.ts';
import type { OutboundCall } from '../../system/outbound/call.ts';

/** What is sent, where, and the secrets in clear that sign it. */
interface Signed extends Pick<OutboundCall, 'url' | 'development'> {
  readonly id: string;
  readonly body: string;
  readonly secrets: readonly string[];
}

/** @param now ms */
export function signedCall({ id, secrets, body, ...call }: Signed, now: number): OutboundCall {
  const seconds = Math.floor(now / second);
  return {
    ...call,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': `${seconds}`,
      'webhook-signature': signWebhook(secrets, { id, seconds, body }),
    },
    body,
  };
}
