// A network between a server and its database: what the database says arrives later. `relay.ts PORT MILLISECONDS`
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

const [to = '', late = ''] = process.argv.slice(2);
const milliseconds = Number(late);

const server = createServer((near) => {
  const far = connect({ port: Number(to), host: '127.0.0.1', noDelay: true });
  near.setNoDelay(true);
  pass(near, far, 0);
  pass(far, near, milliseconds);
});

/** Timers of one length end in the order in which they began. */
function pass(from: Socket, into: Socket, after: number): void {
  from.on('data', (said) => {
    if (after === 0) into.write(said);
    else setTimeout(() => into.write(said), after);
  });
  from.on('error', () => into.destroy());
  from.on('close', () => into.destroy());
}

server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit());
