// Posts a delivery to its endpoint, signed, and says what came back.
import { webhook as limits } from '../../core/events/limits.ts';
import { type Sent, sentBy } from '../../core/events/webhook.ts';
import type { Vault } from '../../secrets/vault.ts';
import type { DeliveryRow } from '../../storage/events/webhook-delivery.ts';
import type { Clock } from '../../system/clock.ts';
import type { Outbound } from '../../system/outbound/outbound.ts';
import type { Recipient } from './recipient.ts';
import { signedCall } from './signed-call.ts';

export interface PostDeps {
  readonly clock: Clock;
  readonly vault: Pick<Vault, 'decrypt'>;
  readonly outbound: Outbound;
}

/** What came of a call. */
export interface Posted {
  /** `busy` where so many calls are under way already that this one was not made. */
  readonly sent: Sent | 'busy';
  /** In a word, for operators. */
  readonly result: string;
  /** How the answer began; null where there was none. */
  readonly answer: string | null;
}

export type Post = (to: Recipient, delivery: Pick<DeliveryRow, 'eventId' | 'payload'>) => Promise<Posted>;

/** Makes what posts. It remembers the secrets that are in use, in clear. */
export function createPost({ clock, vault, outbound }: PostDeps): Post {
  /** Secrets in clear, by their sealed form. */
  const opened = new Map<string, string>();

  const openedOf = (sealed: Buffer, tenantId: string): string => {
    const key = `${tenantId} ${sealed.toString('base64')}`;
    const known = opened.get(key) ?? vault.decrypt(sealed, tenantId).toString();
    if (opened.size >= limits.opened) opened.clear();
    opened.set(key, known);
    return known;
  };

  return async ({ tenant, url, secrets }, { eventId: id, payload: body }) => {
    const { development } = tenant;
    const inClear = secrets.map((sealed) => openedOf(sealed, tenant.id));
    const call = signedCall({ id, url, secrets: inClear, body, development }, clock());
    const answer = await outbound.send({ ...call, mayArriveTwice: true });
    if (answer.kind === 'answer') {
      // A database keeps no NUL, and half a character would come back as another one.
      const began = answer.body.replaceAll('\0', '').slice(0, limits.answerLength).toWellFormed();
      return { sent: sentBy(answer.status), result: `status ${answer.status}`, answer: began };
    }
    const sent = answer.reason === 'busy' ? 'busy' : 'unreachable';
    return { sent, result: answer.reason, answer: null };
  };
}
