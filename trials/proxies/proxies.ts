import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { hosts } from '../../test/support/fixtures.ts';
import { makeAuthority } from '../../test/support/proxy/certificate.ts';

const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url));

/** Where a proxy listens, and where the service does. */
export interface Ports {
  readonly http: number;
  readonly https: number;
  readonly service: number;
}

/** A real proxy, with our own file of its configuration and a change to it. */
export interface RealProxy {
  readonly name: 'Caddy' | 'nginx';
  /** Starts it with the file as it is in `deploy/`, or with some of its text replaced. */
  start(change?: Change): Promise<void>;
  stop(): Promise<void>;
  /** The certificate of its authority, as a file; there once it has been started. */
  readonly authorityFile: string;
}

export interface Change {
  readonly from: string;
  readonly to: string;
}

const everyPlace = (text: string, changes: readonly Change[]) =>
  changes.reduce((changed, { from, to }) => {
    if (!changed.includes(from)) throw new Error(`the file has no ${from}`);
    return changed.replaceAll(from, to);
  }, text);

/** Caddy with `deploy/Caddyfile`, whose certificates are those of its own authority. */
export function caddy(program: string, folder: string, ports: Ports): RealProxy {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'Caddyfile');
  const authorityFile = join(folder, 'data/caddy/pki/authorities/local/root.crt');
  const local = `{\n\tadmin off\n\tlocal_certs\n\tskip_install_trust\n\thttp_port ${ports.http}\n\thttps_port ${ports.https}\n`;
  let running: ChildProcess | undefined;
  return {
    name: 'Caddy',
    authorityFile,
    start: async (change) => {
      const text = everyPlace(readFileSync(join(deploy, 'Caddyfile'), 'utf8'), [
        { from: '127.0.0.1:3000', to: `127.0.0.1:${ports.service}` },
        { from: '{\n\t# Certificates', to: `${local}\t# Certificates` },
        ...(change === undefined ? [] : [change]),
      ]);
      writeFileSync(file, text);
      const places = { HOME: folder, XDG_DATA_HOME: join(folder, 'data'), XDG_CONFIG_HOME: folder };
      running = run(program, ['run', '--config', file, '--adapter', 'caddyfile'], folder, places);
      await listening(ports.https, running);
      while (!existsSync(authorityFile)) await wait(50);
    },
    stop: () => end(running),
  };
}

/** nginx with `deploy/nginx.conf`, and certificates of an authority made for this. */
export function nginx(program: string, folder: string, ports: Ports): RealProxy {
  mkdirSync(join(folder, 'logs'), { recursive: true });
  const path = (name: string) => join(folder, name);
  const authority = makeAuthority(Date.now());
  const { key, cert } = authority.issue(
    Object.values(hosts),
    Date.now() - 60_000,
    Date.now() + 90 * 86_400_000,
  );
  writeFileSync(path('authority.pem'), authority.cert);
  writeFileSync(path('fullchain.pem'), cert);
  writeFileSync(path('privkey.pem'), key, { mode: 0o600 });
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${path(kind)};`)
    .join('\n');
  let running: ChildProcess | undefined;
  return {
    name: 'nginx',
    authorityFile: path('authority.pem'),
    start: async (change) => {
      const text = everyPlace(readFileSync(join(deploy, 'nginx.conf'), 'utf8'), [
        { from: '127.0.0.1:3000', to: `127.0.0.1:${ports.service}` },
        { from: 'login.example.com members.example.org', to: Object.values(hosts).join(' ') },
        { from: '/etc/letsencrypt/live/login.example.com/', to: `${folder}/` },
        { from: 'listen 80;', to: `listen 127.0.0.1:${ports.http};` },
        { from: 'listen 443 ', to: `listen 127.0.0.1:${ports.https} ` },
        // The test speaks IPv4 alone.
        { from: 'listen [::]:', to: '# listen [::]:' },
        ...(change === undefined ? [] : [change]),
      ]);
      writeFileSync(path('site.conf'), text);
      writeFileSync(
        path('nginx.conf'),
        `daemon off;\npid ${path('pid')};\nerror_log ${path('logs/error.log')};\nevents {}\nhttp {\naccess_log off;\n${temporary}\ninclude ${path('site.conf')};\n}\n`,
      );
      running = run(
        program,
        ['-p', folder, '-e', path('logs/error.log'), '-c', path('nginx.conf')],
        folder,
        {},
      );
      await listening(ports.https, running);
    },
    stop: () => end(running),
  };
}

function run(program: string, words: readonly string[], folder: string, places: object): ChildProcess {
  const env = { PATH: process.env.PATH, ...places };
  const child = spawn(program, words, { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  child.once('exit', (code) => {
    if (code !== 0 && code !== null) console.error(said.split('\n').slice(-12).join('\n'));
  });
  return child;
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}

async function listening(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the proxy ended with ${child.exitCode}`);
    const socket = connect({ host: '127.0.0.1', port });
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await wait(50);
  }
}
