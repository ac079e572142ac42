import { describe, expect, it } from 'vitest';
import { codesFor } from '../../support/device.ts';
import { roomOf } from '../../support/rehearsal/rehearsal.ts';
import { serviceForTest } from '../../support/use-service.ts';

const tv = { clientId: 'tv' };

/** What a service gives to a TV after a seed was set, and again after it was set once more. */
async function drawn(seed: number | null) {
  const service = await serviceForTest({ data: 'development' });
  const acme = `localhost:${service.port}`;
  const room = roomOf(service, acme);
  await room.ask('clock', { to: '2031-01-01T00:00:00.000Z', freeze: true });
  const round = async () => {
    expect((await room.ask('seed', { seed })).json()).toMatchObject({ seed });
    const { device_code: deviceCode, user_code: userCode } = await codesFor(service, acme, tv);
    const { member } = (await room.ask('sign-in', { member: 'ada@example.com' })).json<{
      member: Record<string, string>;
    }>();
    return { deviceCode, userCode, member: member.email };
  };
  return [await round(), await round()];
}

describe('a seed', () => {
  it('makes the same ids, codes and secrets in each service, and new ones each time that it is set', async () => {
    const [first, second] = [await drawn(7), await drawn(7)];
    expect(second).toEqual(first);
    expect(first[1]?.deviceCode).not.toBe(first[0]?.deviceCode);
    expect(await drawn(8)).not.toEqual(first);
  });

  it('is none where randomness is real', async () => {
    expect((await drawn(null))[0]?.deviceCode).not.toBe((await drawn(null))[0]?.deviceCode);
  });

  it.each([{}, { seed: '7' }, { seed: 1.5 }, { seed: -1 }, { seed: 2 ** 31 }])(
    'is refused as %j',
    async (body) => {
      const service = await serviceForTest({ data: 'development' });
      const acme = `localhost:${service.port}`;
      expect((await roomOf(service, acme).ask('seed', body)).status).toBe(400);
      expect((await service.http(acme, '/rehearsal/seed')).json()).toEqual({ seed: null, drawn: 0 });
    },
  );
});
