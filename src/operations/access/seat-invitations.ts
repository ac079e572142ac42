// Invites many addresses to seats at once, and holds how many mails that may be (GA8).
import { seatInvitations, seatMailsPerDay } from '../../core/access/limits.ts';
import { countingWindow } from '../../core/limits.ts';
import { emailProblem } from '../../core/members/details.ts';
import { type Member, normaliseEmail } from '../../core/members/member.ts';
import { hashEmail } from '../../core/members/member-limits.ts';
import { type Counters, giveBackIn, type RateLimiter, takeIn } from '../../storage/memory/rate-limit.ts';
import type { Tx } from '../../storage/store.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';
import { type InviteAnswer, inviteToSeat, type OpenedGroup, type SeatDeps } from './seats.ts';

/** Whose number of mails is full: that of the holder who sends them, or of the address that gets them. */
export type MailLimit = 'rushed' | 'mailed';

/** Why a mail was not sent, and in how many seconds one may be. */
export interface MailRefusal {
  readonly why: MailLimit;
  readonly wait: number;
}

/** A line of a form that was not invited, as it was typed. */
export interface RefusedLine {
  readonly line: string;
  readonly why: Extract<InviteAnswer, string> | MailLimit | 'malformed';
}

/** The addresses of a text, one a line, each once. */
export function readAddresses(text: string): readonly string[] {
  const lines = text.split(/[\r\n,;]+/).map((line) => line.trim());
  return [
    ...new Map(lines.filter((line) => line !== '').map((line) => [normaliseEmail(line), line])).values(),
  ];
}

/**
 * Invites addresses to the seats of a holder: each that can be, so that one mistake keeps no other from the mail.
 *
 * @returns how many were invited, and the lines that were not
 */
export async function inviteAddresses(
  tx: Tx,
  tenant: OpenTenant,
  opened: OpenedGroup,
  { lines, language, holder }: { lines: readonly string[]; language: string; holder: Member },
  deps: SeatDeps<MailLimit>,
): Promise<{ readonly sent: number; readonly refused: readonly RefusedLine[] }> {
  const refused: RefusedLine[] = [];
  let { count } = opened;
  for (const line of lines) {
    const by = { email: line, language, doer: holder };
    const answer =
      emailProblem(line) === null
        ? await inviteToSeat(tx, tenant, { ...opened, count }, by, deps)
        : 'malformed';
    if (typeof answer === 'string') refused.push({ line, why: answer });
    else count = { ...count, invited: count.invited + 1 };
  }
  return { sent: lines.length - refused.length, refused };
}

/**
 * Counts an invitation of a holder, and of the address that it goes to, from all senders: in the transaction that
 * sends it.
 *
 * @returns null if it may be sent
 */
export async function takeInvitation(
  tx: Tx,
  { members }: RateLimiter,
  { tenantId, id }: Pick<Member, 'tenantId' | 'id'>,
  email: string,
): Promise<MailRefusal | null> {
  const own = `seat invitations ${id}`;
  const { perHour, perDay } = seatInvitations;
  const { hour, day } = countingWindow;
  // One form counts many of a holder.
  const turn = ` ${email}`;
  const dayWait = await takeIn(tx, members, own, perDay, day, turn);
  if (dayWait !== null) return { why: 'rushed', wait: dayWait };
  const hourWait = await takeIn(tx, members, own, perHour, hour, turn);
  if (hourWait !== null) {
    await giveBackIn(tx, members, own, day, turn);
    return { why: 'rushed', wait: hourWait };
  }
  const wait = await takeSeatMail(tx, members, tenantId, email);
  return wait === null ? null : { why: 'mailed', wait };
}

/**
 * Counts an invitation for the address that it goes to, from holders and from tokens alike: a token may invite any number
 * of addresses, but no address gets more mails for it (GA14).
 *
 * @returns null if it may be sent, else the seconds after which one may
 */
export const takeSeatMail = (
  tx: Tx,
  counters: Pick<Counters, 'take' | 'giveBack'>,
  tenantId: string,
  email: string,
): Promise<number | null> =>
  takeIn(tx, counters, `seat mails ${tenantId} ${hashEmail(email)}`, seatMailsPerDay, countingWindow.day);
