/** What the reply that brought the page allows styles by: libraries that make style elements are told. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
