/** Logos of the development start, drawn by hand; what a tenant or an app would upload. */
const logo = (drawing: string): string => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40">${drawing}</svg>`;
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
};

/** A globe whose meridians lean like a G. */
export const globexLogo = logo(
  '<rect width="40" height="40" rx="10" fill="#e4f4ec"/>' +
    '<g fill="none" stroke="#0b7a4b" stroke-width="2.6" stroke-linecap="round">' +
    '<path d="M30.5 14A12 12 0 1 0 32 20H20"/>' +
    '<path d="M20 8c-6 4-6 20 0 24M20 8c3.4 2.3 4.9 6 5.1 10" stroke-opacity=".55"/></g>',
);

/** A screen on its stand. */
export const tvLogo = logo(
  '<rect width="40" height="40" rx="10" fill="#22263f"/>' +
    '<rect x="8" y="11" width="24" height="15" rx="3" fill="none" stroke="#ffffff" stroke-width="2.4"/>' +
    '<path d="M15 30.5h10" stroke="#ff8a5c" stroke-width="2.4" stroke-linecap="round"/>',
);

/** A page in a browser's window. */
export const webLogo = logo(
  '<rect width="40" height="40" rx="10" fill="#ece9fb"/>' +
    '<rect x="8" y="10" width="24" height="20" rx="3.5" fill="none" stroke="#4b3fb0" stroke-width="2.4"/>' +
    '<path d="M8 16.5h24" stroke="#4b3fb0" stroke-width="2.4"/>' +
    '<circle cx="12.2" cy="13.3" r="1.2" fill="#4b3fb0"/>',
);
