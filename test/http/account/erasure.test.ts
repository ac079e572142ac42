import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deleteMember } from '../../../src/operations/member/member.ts';
import { overwriteAfterErasure } from '../../../src/storage/sqlite/overwrite.ts';
import { hosts } from '../../support/fixtures.ts';
import { liveAndLeaveTraces, personal } from '../../support/members/erased.ts';
import { startProcess } from '../../support/process/started.ts';
import { temporaryFolder } from '../../support/records/temporary-folder.ts';
import { fixtureKey } from '../../support/run/fixture-folders.ts';
import { freePort, startTestService } from '../../support/service.ts';
import { useService } from '../../support/use-service.ts';

/** Everything that the rows of a database hold, each value with where it stands. */
function valuesOf(folder: string): readonly { readonly place: string; readonly text: string }[] {
  const sqlite = new SQLite(join(folder, 'memberdoor.db'), { readonly: true });
  try {
    const tables = sqlite.prepare("select name from sqlite_schema where type = 'table'").pluck().all();
    return tables.flatMap((table) =>
      sqlite
        .prepare(`select * from "${table}"`)
        .all()
        .flatMap((row) =>
          Object.entries(row as object).map(([column, value]) => ({
            place: `${table}.${column}`,
            text: Buffer.isBuffer(value) ? value.toString('latin1') : String(value),
          })),
        ),
    );
  } finally {
    sqlite.close();
  }
}

/** Where something of hers stands: by the kind of trace. */
function tracesIn(folder: string): readonly string[] {
  const values = valuesOf(folder);
  return Object.entries(personal).flatMap(([kind, text]) =>
    values
      .filter((value) => value.text.toLowerCase().includes(text.toLowerCase()))
      .map(({ place }) => `${kind} in ${place}`),
  );
}

describe('F14: a member who was erased', () => {
  const service = useService({ data: 'security', trustedProxies: ['127.0.0.1'] });
  let memberId: string;

  beforeAll(async () => {
    memberId = await liveAndLeaveTraces(service);
  });

  it('had left each of these traces before', () => {
    const kinds = new Set(tracesIn(service.folder).map((trace) => trace.split(' ')[0]));
    expect([...kinds].sort()).toEqual(Object.keys(personal).sort());
  });

  it('is in no row any more, at once', async () => {
    const tenantId = String(service.tenants.byHost(hosts.a)?.id);
    await service.store.transaction((tx) => deleteMember(tx, tenantId, memberId, service.clock.now()));
    expect([...new Set(tracesIn(service.folder))]).toEqual([]);
    const values = valuesOf(service.folder);
    expect(values.filter(({ place, text }) => place === 'mails.message' && text !== 'null')).toEqual([]);
    expect(values.filter(({ place }) => place === 'signInFailures.emailHash')).toEqual([]);
  });

  it('is in no byte of the log or the file of the running service once a chore has written over them', async () => {
    const { store, folder } = service;
    expect(bytesIn(folder)).not.toEqual([]);
    let bites = 0;
    const pause = async () => {
      bites += 1;
    };
    const chore = overwriteAfterErasure(store, join(folder, 'memberdoor.db'));
    await chore({ pause, isOver: () => false });
    expect(bytesIn(folder)).toEqual([]);
    expect(bites).toBeGreaterThan(10);
    // It is done once for each erasure, and leaves nothing of its own.
    const before = bites;
    await chore({ pause, isOver: () => false });
    expect(bites).toBe(before);
    expect(valuesOf(folder).filter(({ place }) => place.startsWith('filler'))).toEqual([]);
  });
});

describe('F14: the files that held a member who was erased', () => {
  let folder: string;
  let memberId: string;
  let settings: Record<string, string>;

  /** A folder whose service is stopped, in which she has left her traces. */
  beforeEach(async () => {
    folder = temporaryFolder();
    const service = await startTestService({ data: 'security', trustedProxies: ['127.0.0.1'], folder });
    memberId = await liveAndLeaveTraces(service);
    await service.stop();
    expect(bytesIn(folder)).not.toEqual([]);
    settings = {
      MEMBERDOOR_DATA: folder,
      MEMBERDOOR_PORT: String(await freePort()),
      MEMBERDOOR_ENV: 'production',
      MEMBERDOOR_SMTP_URL: 'smtp://127.0.0.1:2525',
      MEMBERDOOR_MAIL_FROM: 'door@example.com',
      MEMBERDOOR_MASTER_KEY: fixtureKey.toString('base64'),
    };
  });

  const run = async (...words: string[]) => {
    const started = startProcess({ settings, words });
    expect((await started.exited).code, started.errorLines().join()).toBe(0);
    return started.lines().join('');
  };
  const deletion = () => ['members', 'delete', '--tenant', hosts.a, '--member-id', memberId, '--json'];

  it('hold no byte of hers once a command on the stopped service is done, and the operator hears what stays', async () => {
    const kept = { subscriptions: 0, checkouts: 0, invoices: 0, consentChanges: 0 };
    expect(JSON.parse(await run(...deletion()))).toMatchObject({ id: memberId, kept });
    expect(bytesIn(folder)).toEqual([]);
  });

  it('hold none once the running service has stopped, and a backup that it made since never did', async () => {
    const service = startProcess({ settings });
    await service.ready;
    await run(...deletion());
    await run('backup', join(folder, 'backup.db'));
    expect(bytesIn(folder).filter((found) => found.endsWith('backup.db'))).toEqual([]);
    expect(await service.stop()).toBe(0);
    expect(bytesIn(folder)).toEqual([]);
  });
});

/** What of hers is in the files of a folder. */
function bytesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.includes('.db'))
    .flatMap((name) => {
      const bytes = readFileSync(join(folder, name), 'latin1').toLowerCase();
      return Object.values(personal)
        .filter((text) => bytes.includes(text.toLowerCase()))
        .map((text) => `${text} in ${name}`);
    });
}
