// What the development start prints.
import type { ServiceConfig } from '../../config.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';
import { developmentClients, developmentTenants } from './clients.ts';
import { developmentMembers, developmentPassword } from './members.ts';

/** What the development start prints: where to begin first, then everything that a client developer needs. */
export function banner(
  { dataFolder, mail }: Pick<ServiceConfig, 'dataFolder' | 'mail'>,
  tenants: readonly Pick<OpenTenant, 'name' | 'issuer'>[],
): string {
  const issuerOf = (name: string) => tenants.find((tenant) => tenant.name === name)?.issuer ?? '';
  const acme = issuerOf('Acme');
  const sections = [
    ['Memberdoor, development start. Nothing here is secret; none of it loads into production.'],
    inColumns([
      ['Rehearsal', `${acme}/rehearsal`, 'a TV, a phone, and what goes over the wire'],
      ['Account', `${acme}/account`, 'as ada@example.com'],
      ['Portal', `${acme}/admin`, 'as sam@example.com, or tina@example.com for Acme alone'],
      // With a mail server of the developer's own, mails leave.
      ...(mail.smtpUrl === null ? [['Outbox', `${acme}/outbox`, 'every mail, as its reader sees it']] : []),
      ['Docs', 'docs/client-developers.md', 'begin with "Your first sign-in"'],
      dataFolder === null ? ['Data', 'in memory'] : ['Data', dataFolder, 'delete it to begin anew'],
    ]),
    [`  The password of every member is ${developmentPassword}`],
    ['Tenants', ...inColumns(developmentTenants.map(({ name }) => [name, issuerOf(name)]))],
    [
      'Clients of Acme and Globex (Initech has web and spa)',
      ...inColumns(
        developmentClients.map(({ clientId, secret, redirectUris = [] }) => [
          clientId,
          secret ?? 'public',
          redirectUris.join(' '),
        ]),
      ),
    ],
    ['Members', ...inLines(developmentMembers.map(({ email }) => email))],
    [`Try  curl -s ${acme}/.well-known/openid-configuration`],
  ];
  return `\n${sections.map((lines) => lines.join('\n')).join('\n\n')}\n\n`;
}

/** What is printed of tenants that someone described for themselves. */
export function ownBanner(
  { dataFolder, mail }: Pick<ServiceConfig, 'dataFolder' | 'mail'>,
  tenants: readonly Pick<OpenTenant, 'name' | 'issuer'>[],
): string {
  const [first] = tenants;
  const sections = [
    ['Memberdoor, development start. Nothing here is secret; none of it loads into production.'],
    ['Tenants', ...inColumns(tenants.map(({ name, issuer }) => [name, issuer]))],
    inColumns([
      ['Rehearsal', `${first?.issuer}/rehearsal`, 'a TV, a phone, and what goes over the wire'],
      ['Account', `${first?.issuer}/account`],
      ...(mail.smtpUrl === null ? [['Outbox', `${first?.issuer}/outbox`]] : []),
      ['Data', dataFolder ?? 'in memory'],
    ]),
  ];
  return `\n${sections.map((lines) => lines.join('\n')).join('\n\n')}\n\nready ${first?.issuer}\n`;
}

/** Rows of words, in columns. */
function inColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const widthOf = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows.map((row) =>
    `  ${row.map((word, column) => word.padEnd(widthOf(column))).join('  ')}`.trimEnd(),
  );
}

/** Words in lines of at most a hundred characters. */
function inLines(words: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < 98) lines[lines.length - 1] = `${last}, ${word}`;
    else lines.push(`  ${word}`);
  }
  return lines;
}
