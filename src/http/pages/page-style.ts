// Makes the style of a page in a tenant's colours.
import type { Branding } from '../../core/members/branding.ts';
import { type Style, styleSheet } from './style.ts';

/** What the pages of a folder below `templates/` need beside what every page does: it travels with each (pages 2). */
const sheetsOf: Readonly<Record<string, readonly string[]>> = {
  'members/account/': ['facts.css', 'cards.css'],
  'members/checkout/': ['facts.css', 'cards.css', 'checkout.css'],
  'members/device/': ['facts.css', 'device.css'],
};

const plain = styleSheet('memberdoor.css');
const styles = Object.entries(sheetsOf).map(
  ([folder, sheets]) => [folder, styleSheet('memberdoor.css', ...sheets)] as const,
);

/** The style of a page in a tenant's colours, by its template. */
export function pageStyle(template: string, branding: Branding): Style {
  const [, style] = styles.find(([folder]) => template.startsWith(folder)) ?? [null, plain];
  return style(branding);
}
