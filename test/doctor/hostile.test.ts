import { once } from 'node:events';
import { readdirSync, utimesSync } from 'node:fs';
import { get, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { textOf } from '../../src/cli/commands/doctor.ts';
import { call, type Place } from '../../src/doctor/call.ts';
import type { Finding } from '../../src/doctor/finding.ts';
import { doctorHeader, doctorPath, makeNonce } from '../../src/doctor/nonce.ts';
import { systemRandom } from '../../src/system/random.ts';
import { hosts } from '../support/fixtures.ts';
import { examineService } from '../support/operators/doctor.ts';
import { type Certificate, makeAuthority } from '../support/proxy/certificate.ts';
import { useService } from '../support/use-service.ts';

const now = Date.now();
const hour = 60 * 60 * 1_000;
const day = 24 * hour;
const origin = 'https://a.test';

const service = useService({ data: 'security', trustedProxies: ['127.0.0.1'] });
let certificate: Certificate;
const trustedBefore = getCACertificates('default');

beforeAll(() => {
  service.clock.set(now);
  const authority = makeAuthority(now);
  certificate = authority.issue(Object.values(hosts), now - day, now + 60.5 * day);
  setDefaultCACertificates([...trustedBefore, authority.cert]);
});
afterAll(async () => {
  setDefaultCACertificates(trustedBefore);
});

/** Lets the doctor look at the service, through whatever is at this place. */
const findings = (at: Place) => examineService(service, now, at);

const wrongAt = (all: readonly Finding[], where: string) =>
  all.filter((finding) => !finding.isWell && finding.where === where).map(({ what }) => what);

describe('a doctor who reaches another server finds', () => {
  const answering = async (answer: RequestListener): Promise<Place> => {
    const server = createServer(certificate, answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  };
  const forged = {
    seen: { host: 'a.test', peer: '0.0.0.0/0', forwardedFor: '10.0.0.9', isPeerTrusted: false, now },
    proof: 'x'.repeat(43),
  };

  it.each<[string, number, RequestListener]>([
    ['makes an answer up', 200, (_request, answer) => answer.end(JSON.stringify(forged))],
    ['gives the secret back', 200, ({ headers }, answer) => answer.end(JSON.stringify(headers))],
    ['answers without end', 200, (_request, answer) => answer.end('{'.repeat(10_000_000))],
    [
      'leads elsewhere',
      302,
      (_request, answer) => answer.writeHead(302, { location: `http://127.0.0.1:${service.port}/` }).end(),
    ],
  ])('something else that %s, and believes none of it', async (_what, status, answer) => {
    const all = await findings(await answering(answer));
    expect(all.filter(({ where }) => where === origin).map(({ what }) => what)).toEqual([
      'its certificate is good for 60 days',
      `something else answers there (status ${status})`,
    ]);
    expect(all.map((finding) => textOf(finding, null)).join('')).not.toContain('0.0.0.0/0');
  });

  it('an answer that was changed on the way, and believes none of it', async () => {
    const changed = await answering(({ headers, url }, answer) => {
      const options = { host: '127.0.0.1', port: service.port, path: url, headers, agent: false };
      get(options, async (real) => answer.end((await text(real)).replace('127.0.0.1', '0.0.0.0/0')));
    });
    expect(wrongAt(await findings(changed), origin)).toEqual(['something else answers there (status 200)']);
  });

  it('an answer that never ends, after its time', async () => {
    const endless = await answering((_request, answer) => {
      const drops = setInterval(() => answer.write(' '), 10);
      answer.on('close', () => clearInterval(drops));
    });
    const result = await call(new URL(origin), {}, endless, 300);
    expect(result).toEqual({ ok: false, code: 'ETIMEDOUT' });
  });
});

describe('the address that a doctor calls', () => {
  it.each(['a.test', 'unknown.test'])(
    'is not there on the host %s without a nonce, or with a wrong one',
    async (host) => {
      const elsewhere = await service.http(host, '/api/nothing');
      for (const headers of [{}, { [doctorHeader]: 'wrong' }, { [doctorHeader]: '../memberdoor.db' }]) {
        const answer = await service.http(host, doctorPath, { headers });
        expect({ status: answer.status, text: answer.text }).toEqual({ status: 404, text: elsewhere.text });
      }
    },
  );

  it('answers a nonce once, also on a host that is unknown', async () => {
    const { secret } = makeNonce(service.folder, systemRandom, now);
    const ask = () => service.http('unknown.test', doctorPath, { headers: { [doctorHeader]: secret } });
    const first = await ask();
    expect(first.status).toBe(200);
    expect(first.json().seen).toMatchObject({ host: 'unknown.test', peer: '127.0.0.1', isPeerTrusted: true });
    expect((await ask()).status).toBe(404);
  });

  it('answers one of many that ask with the same nonce at once', async () => {
    const { secret } = makeNonce(service.folder, systemRandom, now);
    const headers = { [doctorHeader]: secret };
    const asked = Array.from({ length: 20 }, () => service.http(hosts.a, doctorPath, { headers }));
    const answers = (await Promise.all(asked)).map(({ status }) => status);
    expect(answers.toSorted()).toEqual([200, ...Array(19).fill(404)]);
  });

  it('answers no nonce of a doctor that was killed an hour ago, and the next one takes it away', async () => {
    const old = makeNonce(service.folder, systemRandom, now);
    const older = makeNonce(service.folder, systemRandom, now);
    const files = readdirSync(service.folder).filter((name) => name.startsWith('doctor-'));
    for (const name of files) utimesSync(join(service.folder, name), 0, (now - hour - 1_000) / 1_000);
    const headers = { [doctorHeader]: old.secret };
    expect((await service.http(hosts.a, doctorPath, { headers })).status).toBe(404);
    const next = makeNonce(service.folder, systemRandom, now);
    expect(readdirSync(service.folder).filter((name) => name.startsWith('doctor-'))).toHaveLength(1);
    older.withdraw();
    next.withdraw();
  });

  it('answers no nonce that was withdrawn', async () => {
    const nonce = makeNonce(service.folder, systemRandom, now);
    nonce.withdraw();
    const headers = { [doctorHeader]: nonce.secret };
    expect((await service.http(hosts.a, doctorPath, { headers })).status).toBe(404);
  });
});
