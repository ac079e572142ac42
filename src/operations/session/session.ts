// Lists the sessions of a member.
import type { Member } from '../../core/members/member.ts';
import { type Session, sessionLives } from '../../core/session.ts';
import { listActiveSessions } from '../../storage/session.ts';
import type { Tx } from '../../storage/store.ts';
import { type Page, type PageOf, walkedPage } from '../page.ts';

/**
 * A page of the sessions of a member that are not over, the newest first.
 *
 * @param own one that is left out, since the page shows it anyway
 */
export function livingSessions(
  tx: Tx,
  { id }: Pick<Member, 'id'>,
  page: PageOf,
  now: number,
  own: Session | null = null,
): Promise<Page<Session>> {
  return walkedPage<Session, Session, string>(
    page,
    (session) => session.id,
    (from) => listActiveSessions(tx, id, from),
    async (session) => (session.id !== own?.id && sessionLives(session, now) ? session : null),
  );
}
