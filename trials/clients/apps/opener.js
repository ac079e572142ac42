// Stands where AppAuth opens the browser of the desktop: the case is that browser.
export default (address) => globalThis.openedAddress(address);
