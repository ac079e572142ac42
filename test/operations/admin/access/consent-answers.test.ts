import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answerer, ConsentStatus } from '../../../../src/core/access/consent.ts';
import { type LocalSocket, openSocket } from '../../../../src/http/admin/socket.ts';
import { answerConsents } from '../../../../src/operations/access/consent.ts';
import { operations } from '../../../../src/operations/admin/index.ts';
import { listConsentAnswers } from '../../../../src/storage/access/consent.ts';
import { adminToken, callApi } from '../../../support/operators/api.ts';
import { command } from '../../../support/operators/command.ts';
import { run, tenantIdOf } from '../../../support/operators/desk.ts';
import { mainOf, newAdmin, plain } from '../../../support/operators/portal.ts';
import { planOf } from '../../../support/queries/query-plan.ts';
import { useService } from '../../../support/use-service.ts';

const tenant = 'c.test';
const letter = { consentId: 'letter', name: 'Letter', description: 'Each Friday.' };
const words = { name: 'Letter', description: 'Each Friday.' };
const newWords = { name: 'Letters', description: 'Each Friday and Monday.' };

const service = useService({ data: 'security' });
let socket: LocalSocket | null;
const members: Record<string, string> = {};

interface Answer {
  readonly id: number;
  readonly email: string | null;
  readonly status: string;
}

beforeAll(async () => {
  socket = await openSocket(service.folder, operations, service.deps, service.app.log);
  for (const name of ['ada', 'bo', 'cy']) {
    const input = {
      tenant,
      fullName: name,
      email: `${name}@answers.test`,
      password: 'a long enough password',
    };
    members[name] = (await run<{ id: string }>(service, 'members.create', input)).id;
  }
  await run(service, 'consents.define', { tenant, ...letter });
  await run(service, 'consents.define', { tenant, consentId: 'phone', name: 'Calls' });
  await answer('ada', 'letter', 'accepted');
  await answer('bo', 'letter', 'accepted');
  // A first "no" is said by an app: a box that was left empty on a page is no answer.
  await answer('bo', 'phone', 'withdrawn', { source: 'api', clientId: 'pub1' });
  await run(service, 'consents.define', { tenant, ...letter, ...newWords });
  await answer('ada', 'letter', 'accepted');
  await answer('bo', 'letter', 'withdrawn');
  await answer('cy', 'letter', 'accepted');
});
afterAll(async () => {
  await socket?.close();
});

async function answer(
  name: string,
  consentId: string,
  status: ConsentStatus,
  from: Pick<Answerer, 'source' | 'clientId'> = { source: 'account', clientId: null },
): Promise<void> {
  const answerer = { memberId: members[name] ?? '', ...from, changedAt: service.clock.now() };
  await service.store.transaction((tx) =>
    answerConsents(tx, tenantIdOf(service, tenant), new Map([[consentId, status]]), answerer),
  );
}

const list = async (filter: object = {}) =>
  run<{ answers: readonly Answer[]; next: number | null }>(service, 'consentAnswers.list', {
    tenant,
    ...filter,
  });

const told = (answers: readonly Answer[]) => answers.map(({ email, status }) => `${email} ${status}`);

describe('GDPR art. 7 (1): the answers to consents', () => {
  it('say who agreed, when, to which words, and whether that still holds', async () => {
    const { answers, next } = await list({ consentId: 'letter' });
    expect(next).toBeNull();
    expect(answers).toMatchObject([
      { memberId: members.cy, email: 'cy@answers.test', status: 'accepted', holds: true, ...newWords },
      { memberId: members.bo, email: 'bo@answers.test', status: 'withdrawn', holds: true, ...newWords },
      { memberId: members.ada, email: 'ada@answers.test', status: 'accepted', holds: true, ...newWords },
      { memberId: members.bo, email: 'bo@answers.test', status: 'accepted', holds: false, ...words },
      { memberId: members.ada, email: 'ada@answers.test', status: 'accepted', holds: false, ...words },
    ]);
    expect(answers[0]).toMatchObject({ consentId: 'letter', source: 'account', clientId: null });
  });

  it('are narrowed by consent, member, answer, time, and what holds', async () => {
    const agreed = await list({ consentId: 'letter', status: 'accepted', holds: true });
    expect(told(agreed.answers)).toEqual(['cy@answers.test accepted', 'ada@answers.test accepted']);
    const ofBo = await list({ memberId: 'bo@answers.test', holds: 'true' });
    expect(told(ofBo.answers)).toEqual(['bo@answers.test withdrawn', 'bo@answers.test withdrawn']);
    const { answers } = await list();
    expect(answers).toHaveLength(6);
    const [, , third] = answers as readonly (Answer & { readonly changedAt: string })[];
    const from = third?.changedAt;
    expect((await list({ from })).answers).toEqual(answers.slice(0, 3));
    expect((await list({ until: from })).answers).toEqual(answers.slice(3));
    expect(
      (await run<{ answers: object[] }>(service, 'consentAnswers.list', { tenant: 'b.test' })).answers,
    ).toEqual([]);
  });

  it('come page by page, and whole in a file, through the API and the command', async () => {
    const { answers } = await list();
    const first = await list({ limit: 4 });
    const second = await list({ limit: 4, before: first.next });
    expect([...first.answers, ...second.answers]).toEqual(answers);
    expect(second.next).toBeNull();
    const file = answers.map((one) => `${JSON.stringify(one)}\n`).join('');
    const token = await adminToken(service, { permissions: ['members:read'] });
    const path = `/tenants/${tenant}/consent-answers/export`;
    expect((await callApi(service, { path, token })).text).toBe(file);
    const said = await command(service.folder, ['consent-answers', 'export', '--tenant', tenant]);
    expect(said).toEqual({ code: 0, out: file, err: '' });
  });

  it('have a page in the portal that the menu leads to', async () => {
    const tina = await newAdmin(service, tenant, 'tina@answers.test');
    const page = `/admin/tenants/${tenant}/consent-answers`;
    expect((await tina.send('/admin/tenants/c.test')).text).toContain(`href="${page}"`);
    const shown = plain(mainOf(await tina.send(`${page}?consentId=letter&status=withdrawn`)));
    expect(shown).toContain('bo@answers.test');
    expect(shown).toContain('Letters');
    expect(shown).not.toContain('ada@answers.test');
    const file = await tina.send(`${page}/export?consentId=letter&status=withdrawn`);
    expect(
      file.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).email),
    ).toEqual(['bo@answers.test']);
  });

  it('stay when a member is deleted, and name no person then', async () => {
    await run(service, 'members.delete', { tenant, memberId: members.cy });
    const { answers } = await list({ memberId: members.cy });
    expect(answers).toMatchObject([{ memberId: members.cy, email: null, status: 'accepted' }]);
  });

  it('F10: are read in the order of an index, whatever narrows them', async () => {
    await service.store.transaction(async (tx) => {
      const tenantId = tenantIdOf(service, tenant);
      const member = members.ada ?? '';
      for (const filter of [
        {},
        { consentId: 'letter' },
        { consentId: 'letter', status: 'accepted', holds: true },
        { status: 'withdrawn', from: 1, until: 2 },
        { before: 3 },
      ] as const) {
        const plan = await planOf(tx, (own) => listConsentAnswers(own, tenantId, filter, 10));
        expect(plan.join('\n')).not.toMatch(/SCAN|TEMP B-TREE/);
      }
      const ofMember = await planOf(tx, (own) => listConsentAnswers(own, tenantId, { memberId: member }, 10));
      expect(ofMember.join('\n')).toMatch(/SEARCH answer USING INDEX consentChangesBy(?:Member|Consent) /);
    });
  });
});
