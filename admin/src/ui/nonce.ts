/** The CSP nonce of the page's styles, for libraries that create style elements. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
