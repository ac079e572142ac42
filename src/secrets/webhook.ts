// Secrets of webhooks, and signatures by them (Standard Webhooks, "Signature scheme").
import { createHmac } from 'node:crypto';

const prefix = 'whsec_';

/** A secret as its receiver is given it. @param random 256 bits in base64url */
export const webhookSecret = (random: string): string =>
  `${prefix}${Buffer.from(random, 'base64url').toString('base64')}`;

/**
 * The signatures of a message, one by each secret that is in force.
 *
 * @param seconds since the epoch
 */
export function signWebhook(
  secrets: readonly string[],
  { id, seconds, body }: { readonly id: string; readonly seconds: number; readonly body: string },
): string {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
  });
  return signatures.join(' ');
}
