// Serves the pictures of a tenant's brand.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { brandFolder, brandOf, pictureAt, type Served } from './brand.ts';
import { sendProblem } from './problem.ts';

/** GET /brand/{file}: the logo, the icon and the picture of the cover. Each is kept for good under its name. */
export function brandPictures(app: FastifyInstance): void {
  const url = `${brandFolder}/:file`;
  app.refuseOthers(app, url, ['GET']);
  app.get(url, { config: { metadata: true } }, async ({ tenant, params }, reply) => {
    const { file } = params as { file: string };
    const found = pictureAt(tenant, `${brandFolder}/${file}`);
    return found === undefined ? sendProblem(reply, 'notFound') : sendPicture(reply, found);
  });
  app.refuseOthers(app, '/favicon.ico', ['GET']);
  // Browsers ask here for the icon of what is not a page, such as JSON.
  app.get('/favicon.ico', { config: { metadata: true } }, (request, reply) =>
    reply.header('cache-control', 'public, max-age=3600').redirect(brandOf(request.tenant).icon, 302),
  );
}

function sendPicture(reply: FastifyReply, { type, bytes }: Served): FastifyReply {
  return reply
    .headers({
      'cache-control': 'public, max-age=31536000, immutable',
      // Mails show them, wherever they are read.
      'cross-origin-resource-policy': 'cross-origin',
      // An SVG that is opened by itself is a document.
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    })
    .type(type)
    .send(bytes);
}
