// Serves the metrics on a port of their own.
import { createServer, type RequestListener } from 'node:http';
import { StartupError } from '../../system/startup-error.ts';
import type { Metrics } from './metrics.ts';

/** The port of the metrics: on loopback alone, so that the public port never shows them. */
export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves `GET /metrics` in the text format of Prometheus.
 *
 * @param port 0 takes any
 * @throws StartupError if the port cannot be had
 */
export async function serveMetrics(metrics: Pick<Metrics, 'text'>, port: number): Promise<MetricsServer> {
  const answer: RequestListener = (request, response) => {
    if (request.url !== '/metrics' || request.method !== 'GET') {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found\n');
      return;
    }
    metrics.text().then(
      ({ type, body }) => response.writeHead(200, { 'content-type': type }).end(body),
      () => response.writeHead(500).end(),
    );
  };
  const server = createServer(answer);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: Error & { code?: string }) => {
      const why = error.code === 'EADDRINUSE' ? 'is in use' : `cannot be had: ${error.message}`;
      reject(new StartupError(`The port ${port} ${why}. Choose another with MEMBERDOOR_METRICS_PORT.`));
    });
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
