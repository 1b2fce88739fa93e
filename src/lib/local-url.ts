/** The local address of a service that listens on all addresses. */
export const localUrl = (url: string): string =>
  url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
