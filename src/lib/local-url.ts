/** The local address of a service that listens on all addresses. */
export const localUrl = (url: string): string =>
  url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");

/**
 * True for a host of a URL that is this machine: `localhost`, 127.0.0.0/8, `[::1]`. Of a URL's `hostname`, whose other
 * ways to write an address (`127.1`, `0x7f.1`) are resolved.
 */
export const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
