import type { TestService } from '../../service.ts';

/** How many bytes a page has, with the style in it and the script beside it, if it has one (pages 2). */
export async function pageWeight({ http }: TestService, host: string, html: string): Promise<number> {
  const url = /<script src="(\/assets\/[^"]+)"/.exec(html)?.[1];
  const script = url === undefined ? null : await http(host, url);
  if (script !== null && script.status !== 200) throw new Error(`the script of the page is ${script.status}`);
  return Buffer.byteLength(html) + Buffer.byteLength(script?.text ?? '');
}
