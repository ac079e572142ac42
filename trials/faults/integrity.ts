import { join } from 'node:path';
import SQLite from 'better-sqlite3';

/** Rows that half a transaction would leave behind: each of these queries finds none, on either engine. */
export const halves: Readonly<Record<string, string>> = {
  'a used authorization code without the sign-in it began': `
    select 1 from "authorizationCodes" c where c.state = 'used'
      and not exists (select 1 from "signIns" s where s.id = c."signInId")`,
  'a used device code without the sign-in it began': `
    select 1 from "deviceCodes" c where c.state = 'used'
      and not exists (select 1 from "signIns" s where s.id = c."signInId")`,
  'a device code that is not used and has a sign-in': `
    select 1 from "deviceCodes" where state in ('pending', 'approved', 'denied') and "signInId" is not null`,
  'a sign-in that no code began': `
    select 1 from "signIns" s
      where not exists (select 1 from "authorizationCodes" c where c."signInId" = s.id)
        and not exists (select 1 from "deviceCodes" c where c."signInId" = s.id)`,
  'a sign-in whose rotations are not those of the audit': `
    select 1 from "signIns" s where s.generation - 1 <>
      (select count(*) from "auditEvents" a where a.event = 'token_refreshed' and a.target = s.id)`,
  'a revoked sign-in without its line of the audit': `
    select 1 from "signIns" s where s."endReason" = 'revoked'
      and not exists (select 1 from "auditEvents" a where a.event = 'token_revoked' and a.target = s.id)`,
  'a member without the words of the name': `
    select 1 from members m where m."erasedAt" is null
      and not exists (select 1 from "memberWords" w where w."memberId" = m.id)`,
  'a sign-up that made a member and can make another': `
    select 1 from "emailProofs" p join members m
      on m."tenantId" = p."tenantId" and m."normalisedEmail" = p.email
      where p.purpose = 'sign_up' and p.state in ('pending', 'proven') and m."createdAt" >= p."createdAt"`,
};

/**
 * Looks into the file of a service that was killed and has started again, from outside.
 *
 * @returns what is wrong with it, each in one line
 */
export function examineFile(folder: string): readonly string[] {
  const file = new SQLite(join(folder, 'memberdoor.db'), { readonly: true });
  try {
    const integrity = file.pragma('integrity_check', { simple: true });
    const foreignKeys = file.pragma('foreign_key_check') as readonly unknown[];
    return [
      ...(integrity === 'ok' ? [] : [`integrity_check: ${String(integrity)}`]),
      ...(foreignKeys.length === 0 ? [] : [`foreign_key_check: ${foreignKeys.length} rows`]),
      ...Object.entries(halves).flatMap(([what, query]) =>
        file.prepare(query).get() === undefined ? [] : [`half a transaction: ${what}`],
      ),
    ];
  } finally {
    file.close();
  }
}
