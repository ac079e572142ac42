import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalSocket, openSocket } from '../../../../src/http/admin/socket.ts';
import { operations } from '../../../../src/operations/admin/index.ts';
import { passwords } from '../../../support/fixtures.ts';
import { accountOf } from '../../../support/members/account.ts';
import { adminToken, auditEvents, callApi } from '../../../support/operators/api.ts';
import { command } from '../../../support/operators/command.ts';
import { refusal, tokenOf } from '../../../support/operators/desk.ts';
import { newAdmin } from '../../../support/operators/portal.ts';
import { apps, tokensOf } from '../../../support/tokens.ts';
import { useService } from '../../../support/use-service.ts';

const tenant = 'a.test';
const email = 'u1@example.test';

const service = useService({ data: 'security' });
let socket: LocalSocket | null;

beforeAll(async () => {
  socket = await openSocket(service.folder, operations, service.deps, service.app.log);
});
afterAll(async () => {
  await socket?.close();
});

/** The data without when they were written out. */
function dataOf(text: string): object {
  const { exportedAt, ...data } = JSON.parse(text) as Record<string, unknown>;
  expect(exportedAt).toMatch(/^2026-/);
  return data;
}

describe('GDPR art. 15: the whole data of one member', () => {
  it('are the same by API, command and portal as the member’s own download, and each export is audited', async () => {
    await tokensOf(service, tenant, apps.pub1, { email });
    const account = await accountOf(service, tenant, email);
    const currentPassword = passwords[tenant][email];
    const own = dataOf((await account.submit('/account/data', { currentPassword })).text);
    const { id } = (own as { details: { id: string } }).details;
    const token = await adminToken(service);
    const tina = await newAdmin(service, tenant, 'tina@data.test');
    const path = `/tenants/${tenant}/members/${id}`;
    const exports = {
      token: () => callApi(service, { path: `${path}/data`, token }).then(({ text }) => text),
      operator: () =>
        command(service.folder, ['members', 'export-data', '--tenant', tenant, '--member-id', email]).then(
          ({ out }) => out,
        ),
      admin: async () => {
        expect((await tina.send(`/admin${path}`)).text).toContain(`href="/admin${path}/data"`);
        const file = await tina.send(`/admin${path}/data`);
        expect(file.headers['content-disposition']).toBe('attachment; filename="members-export-data.json"');
        return file.text;
      },
    };
    for (const [actorKind, exported] of Object.entries(exports)) {
      expect(dataOf(await exported())).toEqual(own);
      expect((await auditEvents(service)).at(-1)).toMatchObject({
        event: 'admin_acted',
        actorKind,
        target: id,
        reason: 'members.exportData',
      });
    }
  });

  it('are for actors who may read all of it', async () => {
    const reader = tokenOf(service, tenant, ['members:read']);
    expect(await refusal(service, 'members.exportData', { tenant, memberId: email }, reader)).toEqual({
      kind: 'denied',
      problems: ['to export all data needs the permission subscriptions:read, too'],
    });
  });
});
