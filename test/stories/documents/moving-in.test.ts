import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSocket } from '../../../src/http/admin/socket.ts';
import { operationsOfCommand } from '../../../src/operations/admin/index.ts';
import { shellLines, wordsOf } from '../../support/documents/curl.ts';
import { documentText } from '../../support/documents/documents.ts';
import { command } from '../../support/operators/command.ts';
import { run } from '../../support/operators/desk.ts';
import { useService } from '../../support/use-service.ts';
import { authorizationParameters, pkce, visitor } from '../../support/visitor.ts';

const service = useService({ data: 'security' });

/** A tenant that has no members yet, but what their files name; and a folder in which the command is typed. */
async function newTenant(name: string) {
  const host = `${name}.moving.test`;
  await run(service, 'tenants.create', { name, issuer: `https://${host}` });
  const redirectUri = 'https://app.moving.test/cb';
  await run(service, 'clients.create', {
    tenant: host,
    clientId: 'app',
    name: 'App',
    type: 'public',
    redirectUris: [redirectUri],
  });
  await run(service, 'packages.create', {
    tenant: host,
    name: 'Digital',
    price: { amount: 0, currency: 'NOK' },
    period: { unit: 'month', count: 1 },
    payment: 'free',
    productIds: [],
  });
  await run(service, 'consents.define', { tenant: host, consentId: 'newsletter', name: 'Newsletter' });
  const socket = await openSocket(service.folder, operationsOfCommand, service.deps, service.app.log);
  const folder = mkdtempSync(join(tmpdir(), 'memberdoor-moving-'));
  onTestFinished(async () => {
    await socket?.close();
    rmSync(folder, { recursive: true });
  });
  return {
    folder,
    async type(line: string) {
      const [, verb, file = '', ...words] = wordsOf(line.replaceAll('login.example.com', host), {});
      return (await command(service.folder, [verb ?? '', join(folder, file), ...words])).out;
    },
    async signIn(email: string): Promise<number> {
      const browser = visitor(service, host);
      const page = await browser.authorize(authorizationParameters('app', redirectUri, pkce()));
      return (await browser.signIn(page, email, 'memberdoor-development')).status;
    },
  };
}

/** The lines of shell below a heading. */
function linesBelow(heading: string): readonly string[] {
  const [, below = ''] = documentText('moving-in.md').split(`## ${heading}\n`);
  const [part = ''] = below.split('\n## ');
  return [...part.matchAll(/```sh\n([\s\S]*?)\n *```/g)].flatMap(([, block = '']) => shellLines(block));
}

describe('the guide to moving in does what it says', () => {
  it.each([
    ['your own table', 'your-own.csv', 3],
    ['Auth0', 'auth0.jsonl', 3],
    ['Keycloak', 'keycloak.json', 3],
    ['WordPress', 'wordpress.csv', 3],
  ])('from %s, with its file: members sign in with their old passwords', async (system, file, members) => {
    const { folder, type, signIn } = await newTenant(file.replace(/\W/g, '-'));
    copyFileSync(
      fileURLToPath(new URL(`../../../docs/moving-in/${file}`, import.meta.url)),
      join(folder, file),
    );
    const [check = '', take = '', ...more] = linesBelow(`Moving from ${system}`);
    expect(more).toEqual([]);
    expect(await type(check)).toContain(`${members} would be new, 0 changed, 0 skipped, 0 refused.`);
    expect(await type(take)).toContain(`${members} new, 0 changed, 0 skipped, 0 refused.`);
    for (const email of ['ada@example.com', 'bo@example.com']) expect(await signIn(email)).toBe(303);
  });

  it('from Auth0 with a file of hashes, which comes first', async () => {
    const { folder, type, signIn } = await newTenant('auth0-hashes');
    const ada = { email: 'ada@example.com', email_verified: true };
    const hash = '$2b$10$nPkq2Q1C5F7A3sYx0bT9Xe1fa81dB.Tj9w0icRRj3HUBtqGQ.Zu6a';
    const id = '5f7c8ec7c33c6c004bbafe82';
    const hashed = { _id: { $oid: id }, ...ada, passwordHash: hash };
    writeFileSync(join(folder, 'hashes.jsonl'), `${JSON.stringify(hashed)}\n`);
    const users = { user_id: `auth0|${id}`, ...ada, name: 'Ada Nilsen' };
    writeFileSync(join(folder, 'users.jsonl'), `${JSON.stringify(users)}\n`);
    const on = '--tenant login.example.com';
    expect(await type(`memberdoor import hashes.jsonl ${on}`)).toContain('1 new');
    expect(await type(`memberdoor import users.jsonl ${on} --existing update`)).toContain('1 changed');
    expect(await signIn('ada@example.com')).toBe(303);
  });
});
