import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hosts } from '../../support/fixtures.ts';
import { useService } from '../../support/use-service.ts';

const service = useService({ data: 'security' });
const failures: unknown[] = [];
const note = (reason: unknown) => failures.push(reason);

beforeAll(() => {
  process.on('unhandledRejection', note);
});
afterAll(async () => {
  process.off('unhandledRejection', note);
});

/** Sends a request that is refused and audited, and leaves at once, without waiting for an answer. */
function sendAndLeave(body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: service.port, host: '127.0.0.1' }, () => {
      socket.write(
        `POST /api/oidc/token HTTP/1.1\r\nhost: ${hosts.a}\r\n` +
          `content-type: application/x-www-form-urlencoded\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        () => socket.resetAndDestroy(),
      );
    });
    socket.on('close', () => resolve());
    socket.on('error', reject);
  });
}

describe('a client that leaves before its answer', () => {
  it('ends nothing but its own request, whatever it was refused', async () => {
    const bodies = [
      'grant_type=refresh_token&refresh_token=x&client_id=pub1',
      'grant_type=refresh_token&refresh_token=x&client_id=conf1&client_secret=wrong',
      'grant_type=nothing&client_id=pub1',
    ];
    for (let round = 0; round < 60; round += 1) {
      await Promise.all(bodies.map(sendAndLeave));
    }
    const answer = await service.http(hosts.a, '/.well-known/openid-configuration');
    expect(answer.status).toBe(200);
    expect(failures).toEqual([]);
  });
});
