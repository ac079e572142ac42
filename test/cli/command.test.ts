import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { socketPath } from '../../src/operations/service/command-socket.ts';
import { command } from '../support/operators/command.ts';
import { type Started, startProcess } from '../support/process/started.ts';
import { copyFixtures, fixtureKey } from '../support/run/fixture-folders.ts';
import { freePort } from '../support/service.ts';

let folder: string;
let settings: Record<string, string>;
let service: Started;
let acme: string;

/** Runs the command with no other setting than the place of the data. */
async function run(words: readonly string[], more: Record<string, string> = {}, input = '') {
  const started = startProcess({ settings: { MEMBERDOOR_DATA: folder, ...more }, words, input });
  const { code } = await started.exited;
  return { code, out: started.lines(), err: started.errorLines() };
}

interface Event {
  readonly id: number;
  readonly event: string;
  readonly changes: readonly { readonly field: string }[];
  readonly names: object;
}

/** An event without what only some have, where it has none of it: the log says nothing of it. */
function withoutNone(event: object, names: readonly string[]): object {
  return Object.fromEntries(
    Object.entries(event).filter(([name, value]) => value !== null || !names.includes(name)),
  );
}

/** What the audit of the service holds, oldest first: the one that runs tells it, or the command by itself. */
async function auditOf(isServed: boolean): Promise<readonly Omit<Event, 'id'>[]> {
  const words = ['service-audit', 'list', '--limit', '100', '--json'];
  const text = isServed ? (await command(folder, words)).out : (await run(words, settings)).out.join('\n');
  const { events } = JSON.parse(text) as { events: Event[] };
  return events.toReversed().map(({ id: _, ...event }) => event);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'memberdoor-command-'));
  copyFixtures('development', folder);
  const port = await freePort();
  acme = `localhost:${port}`;
  settings = {
    MEMBERDOOR_DATA: folder,
    MEMBERDOOR_PORT: String(port),
    MEMBERDOOR_MASTER_KEY: fixtureKey.toString('base64'),
  };
  service = startProcess({ settings });
  await service.ready;
});
afterAll(async () => {
  await service.kill();
  rmSync(folder, { recursive: true, force: true });
});

describe('the command of the service', () => {
  it('asks the running service, which needs no other setting, and takes effect at once', async () => {
    const changed = await run(['tenants', 'change', '--tenant', acme, '--name', 'Acme Two']);
    expect({ code: changed.code, err: changed.err }).toEqual({ code: 0, err: [] });
    expect(await (await fetch(`http://${acme}/no-such-page`)).text()).toContain('Acme Two');
  });

  it('A18: prints a secret alone, so that a script can store it, and never shows it again', async () => {
    const words = ['--tenant', acme, '--client-id', 'server', '--name', 'Server', '--type', 'confidential'];
    const made = await run(['clients', 'create', ...words]);
    expect(made.code).toBe(0);
    expect(made.out).toHaveLength(1);
    const [secret = ''] = made.out;
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(made.err.join('\n')).toMatch(/^clientId +server$/m);
    const read = await command(folder, [
      'clients',
      'read',
      '--tenant',
      acme,
      '--client-id',
      'server',
      '--json',
    ]);
    expect(JSON.parse(read.out).secrets).toHaveLength(1);
    for (const lines of [[read.out], made.err, service.lines()]) expect(lines.join()).not.toContain(secret);
  });

  it('reads a password from the standard input', async () => {
    const words = [
      '--tenant',
      acme,
      '--full-name',
      'Eva',
      '--email',
      'eva@example.com',
      '--password-file',
      '-',
    ];
    const weak = await run(['members', 'create', ...words], {}, 'passwordpassword\n');
    expect(weak).toMatchObject({ code: 1, out: [] });
    const made = await run(['members', 'create', ...words, '--json'], {}, 'kvist og eld i skogen\n');
    expect({ code: made.code, err: made.err }).toEqual({ code: 0, err: [] });
    expect(JSON.parse(made.out.join('\n'))).toMatchObject({ email: 'eva@example.com' });
  });

  it('ends with 1 where it was refused and 2 where it was not understood, and says so on the error output', async () => {
    expect(await run(['tenants', 'read', '--tenant', 'no.test'])).toEqual({
      code: 1,
      out: [],
      err: ['memberdoor: there is no such tenant'],
    });
    const misspelt = await run(['tenats']);
    expect({ code: misspelt.code, out: misspelt.out }).toEqual({ code: 2, out: [] });
    expect(misspelt.err[0]).toBe('memberdoor: There is no command "tenats". Did you mean "tenants"?');
  });

  it('finds each event once in the audit and once in the log, whether it or the network brought it', async () => {
    const body = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: 'none',
      client_id: 'web',
    });
    expect((await fetch(`http://${acme}/api/oidc/token`, { method: 'POST', body })).status).toBe(401);
    expect((await command(folder, ['tenants', 'change', '--tenant', acme, '--name', 'Acme Two'])).code).toBe(
      0,
    );
    const events = await auditOf(true);
    expect(events.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['service_started', 'client_authentication_failed', 'admin_acted']),
    );
    // What an operator may have erased from the audit is named in no line of the log, nor is any person.
    const told = events.map(({ changes, names: _, ...event }) => ({
      ...withoutNone(event, ['operation', 'memberId', 'reference', 'browser', 'rule', 'way']),
      ...(changes.length === 0 ? {} : { changed: changes.map(({ field }) => field) }),
    }));
    const logged = () =>
      service
        .lines()
        .filter((line) => line.includes('"msg":"audit"'))
        .map((line) => JSON.parse(line).audit);
    // The log comes by a pipe, a moment later.
    await expect.poll(logged).toEqual(told);
  });

  it('lists its nouns and settings in the help text', async () => {
    const { code, out } = await run(['help']);
    expect(code).toBe(0);
    expect(out.join('\n')).toMatch(/^ {2}memberdoor tenants +list, read, create/m);
    expect(out.join('\n')).toMatch(/^ {2}MEMBERDOOR_DATA +the data folder/m);
  });

  it('opens the data folder itself while no service runs, and only then', async () => {
    const read = ['tenants', 'read', '--tenant', acme, '--json'];
    // A running service that it cannot reach is not got round.
    rmSync(socketPath(folder));
    const locked = await run(read, settings);
    expect(locked).toMatchObject({ code: 1, out: [] });
    expect(locked.err.join()).toContain('another memberdoor is using it');

    expect(await service.stop()).toBe(0);
    const stopped = await run(read, settings);
    expect({ code: stopped.code, err: stopped.err }).toEqual({ code: 0, err: [] });
    expect(JSON.parse(stopped.out.join('\n'))).toMatchObject({ name: 'Acme Two' });
    const before = await auditOf(false);
    const changed = await run(['tenants', 'change', '--tenant', acme, '--name', 'Acme'], settings);
    expect(changed.code).toBe(0);
    expect((await auditOf(false)).slice(before.length)).toMatchObject([{ event: 'admin_acted' }]);
    expect(readdirSync(folder)).not.toContain('memberdoor.sock');
  });

  it('treats a socket without a listener as no socket, and says that a folder has no data', async () => {
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    writeFileSync(socketPath(empty), '');
    const said = await run(['tenants', 'list'], { ...settings, MEMBERDOOR_DATA: empty });
    expect(said).toMatchObject({ code: 1, out: [] });
    expect(said.err).toHaveLength(1);
    expect(said.err.join()).toContain('There is no database');
    expect(readdirSync(empty)).toEqual(['memberdoor.sock']);
  });
});
