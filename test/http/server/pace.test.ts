import { connect } from 'node:net';
import { beforeAll, expect, it } from 'vitest';
import { answersInHand } from '../../../src/core/limits.ts';
import { hosts } from '../../support/fixtures.ts';
import { rawSocket } from '../../support/process/raw-socket.ts';
import { useService } from '../../support/use-service.ts';

const discovery = '/.well-known/openid-configuration';
const paths = [discovery, '/api/oidc/jwks', '/nothing-here', '/account'];
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`;

const service = useService({ data: 'security' });
/** Answers in hand on the connection that sends ahead: now, and the most there were. */
const inHand = { now: 0, most: 0, begun: 0 };

beforeAll(() => {
  service.app.server.prependListener('request', ({ headers }, response) => {
    if (headers['user-agent'] === 'another') return;
    inHand.begun += 1;
    inHand.now += 1;
    inHand.most = Math.max(inHand.most, inHand.now);
    response.once('close', () => {
      inHand.now -= 1;
    });
  });
});

/** One more where a blank line comes in two halves: the head that it ends, and the next. */
const most = answersInHand + 1;

it('F9: of requests sent ahead a few are in hand at a time, others are served, and all are answered in their order', async () => {
  // Some 1,300 answers fill what Linux keeps for a reader who does not read.
  const rounds = 1_000;
  let received = '';
  const socket = connect({ port: service.port, host: '127.0.0.1' }).setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    received += chunk;
  });
  socket.pause();
  socket.write(paths.map(get).join('').repeat(rounds));
  // Nothing is read of it: what the system takes for us is full, and it stands.
  const other = { headers: { 'user-agent': 'another' } };
  let before = -1;
  while (inHand.begun !== before || before < 2 * most) {
    before = inHand.begun;
    for (let asked = 0; asked < 20; asked += 1) {
      expect((await service.http(hosts.a, discovery, other)).status).toBe(200);
    }
  }
  expect(inHand.begun).toBeLessThan(rounds * paths.length);
  expect(inHand.most).toBeLessThanOrEqual(most);

  socket.write(`GET /livez HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n`);
  socket.resume();
  await new Promise((resolve) => socket.once('close', resolve));
  expect(inHand.most).toBeLessThanOrEqual(most);
  const statuses = received.match(/HTTP\/1\.1 \d+/g)?.map((line) => line.slice(-3));
  const round = ['200', '200', '404', '303'];
  expect(statuses?.join()).toBe([...Array.from({ length: rounds }, () => round).flat(), '200'].join());
});

it('F9: what was sent ahead is answered a few at a time, and others have their turn between', async () => {
  const turns = { most: 0, before: inHand.begun, isOver: false };
  const turn = () => {
    turns.most = Math.max(turns.most, inHand.begun - turns.before);
    turns.before = inHand.begun;
    if (!turns.isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const socket = connect({ port: service.port, host: '127.0.0.1' });
  const sent = 2_000;
  const until = inHand.begun + sent;
  socket.resume();
  // Nothing of it waits for the disk or for anything else.
  socket.write(get(discovery).repeat(sent));
  while (inHand.begun < until) await new Promise((resolve) => setImmediate(resolve));
  turns.isOver = true;
  socket.destroy();
  // Once when the connection is read, and once when it is read on.
  expect(turns.most).toBeLessThanOrEqual(2 * most);
});

it('F9: bodies that come behind the answer before them, and blank lines in them, are read whole', async () => {
  const socket = await rawSocket(service.port);
  const body = `grant_type=${'x'.repeat(2_000)}\r\n\r\n${'x'.repeat(2_000)}`;
  const headers = `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}`;
  const post = `POST /api/oidc/token HTTP/1.1\r\nHost: a.test\r\n${headers}\r\n\r\n${body}`;
  socket.write(post.repeat(24) + get('/livez'));
  const answers = await socket.until(/live\n$/);
  expect(answers.match(/unsupported_grant_type/g)).toHaveLength(24);
  socket.destroy();
});
