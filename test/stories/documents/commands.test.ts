import { describe, expect, it, onTestFinished } from 'vitest';
import { shellReader } from '../../support/documents/shell-reader.ts';
import { apps, claimsOf, tokensOf } from '../../support/tokens.ts';
import { useFreshService } from '../../support/use-service.ts';

const service = useFreshService({ data: 'development' });

describe('every line of shell does what its document says, one after the other', () => {
  it('for client developers', async () => {
    service.clock.set(Date.now());
    const host = `localhost:${service.port}`;
    const tokenOf = (email: string) => tokensOf(service, host, apps.spa, { email });
    const [admin, ada] = [await tokenOf('tina@example.com'), await tokenOf('ada@example.com')];
    const reader = shellReader(service, 'client-developers.md', {
      admin: admin.access_token,
      member: String(claimsOf(ada.access_token).sub),
    });
    onTestFinished(() => reader.stop());
    expect(await reader.type()).toEqual([]);
    expect(reader.sent()).toBeGreaterThan(15);
  });

  it('for extensions', async () => {
    service.clock.set(Date.now());
    const reader = shellReader(service, 'extensions.md');
    onTestFinished(() => reader.stop());
    expect(await reader.type()).toEqual([]);
    expect(reader.sent()).toBeGreaterThan(6);
  });
});
