import { describe, expect, it } from 'vitest';
import { refusal, run, tokenOf } from '../../support/operators/desk.ts';
import { giveBase, secretHash } from './base.ts';

const given = giveBase();

describe('who applies a file', () => {
  it('hashes are exported to those who could set them, and those of passwords to those who may do all', async () => {
    const reader = tokenOf(given.service(), null, [
      'tenants:read',
      'clients:read',
      'access:read',
      'members:read',
    ]);
    const writer = tokenOf(given.service(), null, [
      'tenants:read',
      'clients:read',
      'access:read',
      'providers:read',
      'clients:write',
    ]);
    for (const [actor, members] of [
      [reader, false],
      [writer, true],
    ] as const) {
      expect(await refusal(given.service(), 'serviceTenantFiles.export', { members }, actor)).toMatchObject({
        kind: 'denied',
      });
    }
    const { text: file } = await run<{ text: string }>(
      given.service(),
      'serviceTenantFiles.export',
      {},
      writer,
    );
    expect(file).toContain(secretHash);
    expect(file).not.toContain('passwordHash');
  });
});
