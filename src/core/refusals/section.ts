// Where what is cited can be read.

/** A citation, and where it leads: an address, or a file of these documents. */
export interface Cited {
  readonly text: string;
  readonly href: string;
}

const documents: Readonly<Record<string, string>> = {
  architecture: 'ARCHITECTURE.md',
  contract: 'docs/contract.md',
  decision: 'docs/decisions.md',
  interop: 'docs/interop.md',
  pages: 'docs/pages.md',
  security: 'docs/security.md',
};

/** Reads `RFC 6749 §5.2; decision 15` and the like. */
export function citedIn(section: string): readonly Cited[] {
  return section.split('; ').map((text) => ({ text, href: hrefOf(text) }));
}

function hrefOf(text: string): string {
  const [, rfc, part = ''] = /^RFC (\d+)(?: §([\d.]+))?/.exec(text) ?? [];
  if (rfc !== undefined) {
    const place = part === '' ? '' : `#section-${part}`;
    return `https://www.rfc-editor.org/rfc/rfc${rfc}.html${place}`;
  }
  if (text.startsWith('Core ')) return 'https://openid.net/specs/openid-connect-core-1_0.html';
  const [noun = '', number = ''] = text.split(/,? /);
  const file = documents[noun] ?? 'docs';
  return /^\d+$/.test(number) ? `${file}#${noun}-${number}` : file;
}
