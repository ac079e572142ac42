import { describe, expect, it, onTestFinished } from 'vitest';
import { expectNothingShown, startLivingRoom } from '../../support/browser/living-room.ts';
import { type Fault, pollByTheRules, television, troubled } from '../../support/browser/television.ts';
import { startProcess } from '../../support/process/process.ts';
import { temporaryFolder } from '../../support/records/temporary-folder.ts';
import { freePort } from '../../support/service.ts';
import { useStarted } from '../../support/use-service.ts';

const room = useStarted(startLivingRoom);

const nothing = () => {};

describe('a TV on a bad network', () => {
  it.each<readonly [Fault]>([['too many requests'], ['unavailable'], ['a login page'], ['no connection']])(
    'contract: after "%s" it doubles its interval, goes on, and gets its tokens',
    async (fault) => {
      const { tv, newCode, approve, waiting, tokensOf } = room;
      const code = await newCode();
      const wait = waiting(nothing, nothing, nothing, nothing, approve(code));
      const polling = await pollByTheRules(code, troubled(tv.poll, [null, fault, fault]), wait);
      const trouble = ['trouble', 'trouble'];
      expect(polling.heard).toEqual(['authorization_pending', ...trouble, 'authorization_pending', 'tokens']);
      expect(polling.waits).toEqual([5, 5, 10, 20, 20]);
      tokensOf(polling);
    },
  );

  it('contract: trouble without end ends with the code', async () => {
    const { tv, newCode, waiting } = room;
    const code = await newCode();
    const polling = await pollByTheRules(code, async () => ({ status: 502, body: null }), waiting());
    expect(polling.waits).toEqual([5, 10, 20, 40, 80, 160, 320, 640]);
    expect(polling.last).toBeNull();
    expect((await tv.poll(code.device_code)).body?.error).toBe('expired_token');
  });

  it('contract: tokens that are lost on the way are not given twice: the TV asks for a new code', async () => {
    const { tv, newCode, approve, waiting } = room;
    const code = await newCode();
    await approve(code)();
    const polling = await pollByTheRules(code, troubled(tv.poll, ['answer lost']), waiting());
    expect(polling.heard).toEqual(['trouble', 'invalid_grant']);
  });
});

describe('a service that is killed and started again', () => {
  it('P27: pending, approved, denied and used codes are what they were, and the open page approves', async () => {
    const { newPhone, secrets } = room;
    const [folder, port] = [temporaryFolder(), await freePort()];
    const issuer = `http://localhost:${port}`;
    const first = await startProcess(folder, port);
    onTestFinished(() => first.kill('SIGKILL'));
    const tv = await television(issuer);
    const phone = await newPhone();
    const codes = [
      await tv.requestCode(),
      await tv.requestCode(),
      await tv.requestCode(),
      await tv.requestCode(),
    ];
    const [pending, approved, denied, used] = codes.map(({ device_code: code }) => code) as [
      string,
      string,
      string,
      string,
    ];
    for (const code of codes) secrets.add(code.device_code);
    const errorOf = async (code: string) => (await tv.poll(code)).body?.error;
    const decide = async (index: number, button: string) => {
      await phone.open(codes[index]?.verification_uri_complete ?? '');
      await phone.tap(button);
    };
    await phone.open(`${issuer}/account`);
    await phone.signIn();
    await decide(1, 'Approve');
    await decide(2, 'Reject');
    await decide(3, 'Approve');
    const tokens = (await tv.poll(used)).body ?? {};
    expect(await errorOf(pending)).toBe('authorization_pending');
    expect(await errorOf(denied)).toBe('access_denied');
    // The page that approves is open already when the service goes.
    await phone.open(codes[0]?.verification_uri_complete ?? '');
    await first.kill('SIGKILL');
    await expect(tv.poll(pending)).rejects.toThrow();

    const second = await startProcess(folder, port);
    onTestFinished(() => second.kill('SIGKILL'));
    expect(await errorOf(pending)).toBe('authorization_pending');
    expect(await errorOf(denied)).toBe('access_denied');
    expect((await tv.poll(approved)).status).toBe(200);
    expect(await errorOf(approved)).toBe('invalid_grant');
    expect(await errorOf(used)).toBe('invalid_grant');
    expect((await tv.refresh(String(tokens.refresh_token))).body?.error).toBe('invalid_grant');
    await phone.tap('Approve');
    expect(await phone.heading()).toBe('TV is signed in');
    expect((await tv.poll(pending)).status).toBe(200);
  });
});

it('contract: no device code and no token stands in a log line, an address or a page', async () => {
  await expectNothingShown(room);
});
