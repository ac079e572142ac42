import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalSocket, openSocket } from '../../../src/http/admin/socket.ts';
import { operations } from '../../../src/operations/admin/index.ts';
import { auditEvents, lastAuditEvent } from '../../support/operators/api.ts';
import { examples } from '../../support/operators/examples.ts';
import { commandFace, type Face, restFace } from '../../support/operators/faces.ts';
import { beginWorld, type World } from '../../support/operators/world.ts';
import { allRows } from '../../support/records/rows.ts';
import { useService } from '../../support/use-service.ts';

// A tenant that is disabled serves no API.
const service = useService({ data: 'nothing', apiHost: 'api.test' });
let socket: LocalSocket | null;
/** Each face with a tenant of its own, on which the same things happen. */
let faces: readonly { readonly face: Face; readonly world: World }[];
/** What was answered by operations that show a secret, and by all the others. */
const secrets = new Set<string>();
const told: string[] = [];

beforeAll(async () => {
  socket = await openSocket(service.folder, operations, service.deps, service.app.log);
  const [first, second] = [await beginWorld(service, 'one.test'), await beginWorld(service, 'two.test')];
  faces = [
    { face: await restFace(service, 'api.test'), world: first },
    { face: commandFace(service), world: second },
  ];
});
afterAll(() => socket?.close());

/** An answer without what differs from tenant to tenant and from moment to moment. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/\b(?:one|two)\.test\b/g, 'HOST')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
    // A token that was made with one has it for a parent.
    .replaceAll(/"parentId":\s*("ID"|null)/g, '"parentId":"PARENT"')
    .replaceAll(/(?<="(?:id|\w+Id)\\?":)\d+/g, '0')
    .replaceAll(/(?<=,ID,)\d+(?=,)/g, '0')
    .replaceAll(/(?<="productIds\\?":\[)[\d,]+/g, '0')
    .replaceAll(/(?<="secretId\\?":\\?")[\w-]{8}/g, 'SECRET')
    .replaceAll(/(?<="reference":")[0-9a-z]{8}(?=")/g, 'REFERENCE')
    .replaceAll(/whsec_[A-Za-z0-9+/]{43}=/g, 'RANDOM')
    .replaceAll(/(?:mda_)?[A-Za-z0-9_-]{43}/g, 'RANDOM');
  const { keys, events, ...rest } = JSON.parse(text);
  // What happened last differs by its actor: they are of one shape.
  if ('attention' in rest) return { ...rest, events: Object.keys(events[0]) };
  if (events !== undefined) return { ...rest, events };
  // Keys that were made at the same moment come in the order of their random names.
  return keys === undefined ? rest : { keys: keys.map((key: object) => JSON.stringify(key)).sort() };
}

const isActed = ({ event }: { readonly event: string }) => event === 'admin_acted';

describe('an operation is the same through every face', () => {
  it('has an example for each that there is, and for nothing else', () => {
    expect(Object.keys(examples).sort()).toEqual(operations.map(({ name }) => name).sort());
  });

  it.each(operations.map((operation) => ({ name: operation.name, operation })))(
    '$name: the same answer, and one line of the audit if it changes something',
    async ({ name, operation }) => {
      const answers: unknown[] = [];
      for (const { face, world } of faces) {
        const own = operation.input.required?.includes('tenant') === true ? { tenant: world.host } : {};
        const input = { ...own, ...(await examples[name]?.(world)) };
        const before = await lastAuditEvent(service);
        const answer = await face.call(operation, input);
        const events = await auditEvents(service, before);
        const expected = { event: 'admin_acted', actorKind: face.actorKind, result: 'done' };
        // What was done to records is written down beside it, each in its own line.
        const isAudited = operation.acts || operation.audited === true;
        expect(events.filter(isActed), face.name).toMatchObject(isAudited ? [expected] : []);
        expect(JSON.stringify(events.filter(isActed)), face.name).toContain(isAudited ? name : '');
        answers.push(plain(answer));
        const { secret, ...rest } = answer as { readonly secret?: string };
        told.push(JSON.stringify(rest));
        if (typeof secret === 'string') secrets.add(secret);
        if ('password' in input) secrets.add(String(input.password));
      }
      expect(answers[1]).toEqual(answers[0]);
    },
  );

  it('A18: a secret is in the one answer that shows it; in no other, no log, no audit and no file', async () => {
    expect(secrets.size).toBeGreaterThanOrEqual(9);
    const files = readdirSync(service.folder).filter((name) => name.startsWith('memberdoor.db'));
    // On PostgreSQL there is no file of ours: its rows say the same.
    const rows = Buffer.from(JSON.stringify(await allRows(service, [])));
    const bytes = Buffer.concat([rows, ...files.map((name) => readFileSync(join(service.folder, name)))]);
    expect(bytes.includes('Made here')).toBe(true);
    const log = service.logLines.join('');
    const audit = JSON.stringify(await auditEvents(service));
    for (const secret of secrets) {
      for (const text of [told.join('\n'), log, audit]) expect(text).not.toContain(secret);
      expect(bytes.includes(secret)).toBe(false);
    }
  });
});
