/** The peer as a process of its own: `server.ts FOLDER PORT [DATABASE]`. */
import { openPeer } from './provider.ts';

const [folder = '', port = '', url] = process.argv.slice(2);
const { provider } = openPeer(folder, url);
const server = provider.listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n'));
server.keepAliveTimeout = 72_000;
process.on('SIGTERM', () => process.exit());
