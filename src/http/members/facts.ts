/** The facts that a page lists of a device or a browser: those that are known, each with its label. */
import { seenAt } from '../../operations/session/notice.ts';
import type { Language } from '../../text/language.ts';

/** @param facts the key of each label, and what is known; nothing is left out */
export function shownFacts(
  { t }: Language,
  facts: readonly (readonly [string, string | null | undefined])[],
): readonly { readonly label: string; readonly value: string }[] {
  return facts.flatMap(([label, value]) => (value ? [{ label: t(label), value }] : []));
}

/** Where a device or a browser was seen, as facts of it. */
export function placeFacts(visit: Parameters<typeof seenAt>[0], ipAddress: string) {
  const { place, address } = seenAt(visit, ipAddress);
  return [
    ['device.approve.place', place],
    ['device.approve.address', address],
  ] as const;
}

/** The drawing that stands for a browser (`parts/icon.eta`). */
export const browserIcon = (userAgent: string) => (/Mobi|Android/.test(userAgent) ? 'phone' : 'browser');
