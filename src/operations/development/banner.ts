// What the development start prints.
import type { Config } from '../../config.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';
import { developmentClients, developmentTenants } from './clients.ts';
import { developmentMembers, developmentPassword } from './members.ts';

/** What the development start prints: everything a client developer needs to begin. */
export function banner(config: Config, tenants: readonly OpenTenant[]): string {
  const issuerOf = (name: string) => tenants.find((tenant) => tenant.name === name)?.issuer ?? '';
  const width = Math.max(...developmentClients.map(({ clientId }) => clientId.length));
  return [
    '',
    'Memberdoor, development start. Nothing here is secret; none of it loads into production.',
    '',
    'Tenants',
    ...developmentTenants.map(({ name }) => `  ${name.padEnd(8)} ${issuerOf(name)}`),
    '',
    'Clients of Acme and Globex (Initech has web and spa)',
    ...developmentClients.map(
      ({ clientId, secret, redirectUris = [] }) =>
        `  ${clientId.padEnd(width)}  ${secret ?? 'public'}${redirectUris.length > 0 ? `  ${redirectUris.join(' ')}` : ''}`,
    ),
    '',
    `Members, all with the password ${developmentPassword}`,
    ...inLines(developmentMembers.map(({ email }) => email)),
    '',
    `Data   ${config.dataFolder}`,
    // With a mail server of the developer's own, mails leave.
    ...(config.mail.smtpUrl === null ? [`Mail   ${issuerOf('Acme')}/outbox`] : []),
    `Try    curl -s ${issuerOf('Acme')}/.well-known/openid-configuration`,
    '',
    '',
  ].join('\n');
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
