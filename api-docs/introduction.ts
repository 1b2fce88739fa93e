/** The introduction in Markdown, at the top of the OpenAPI description and of the reference. */
export const introduction = `Octavo stores content for apps and websites and serves it over a JSON REST API, with images in any shape.

The examples are on the sample site of \`npm start\`, each with the reply of the service. Paste the \`curl\` lines into a shell that has the tokens, which the first start prints once:

\`\`\`sh
export DELIVERY_TOKEN=oct_d_…
export MANAGEMENT_TOKEN=oct_m_…
export ACCESS_TOKEN=oct_a_…
export IMAGES_TOKEN=oct_i_…
\`\`\`

Calls about one's own account need a session of the admin page in place of tokens: its cookie, and the \`csrf_token\` of \`GET /admin/session\`:

\`\`\`sh
export SESSION_COOKIE=…
export CSRF_TOKEN=…
\`\`\`

## Tokens

Every request to the API needs a token for its resource: a **delivery** token reads public content, a **management** token reads everything, and writes together with an **access** token; **images** tokens open \`/api/images\`. A token is sent as \`Authorization: Bearer\`, as the argument \`token\` of a read, or as the field \`token\` of a write's body; the access token as \`X-Access-Token\` or as the field \`access_token\`.

## Requests and replies

A write takes its arguments in the body: as JSON, as a form with brackets (\`data[title]=Dune\`), or as \`multipart/form-data\`. A successful reply is \`{"data": …}\` with status 200, or 204 without a body after a delete. Reads carry an \`ETag\`: send it back as \`If-None-Match\` to get 304 while nothing has changed, or as \`If-Match\` with a write that must not overwrite a concurrent change. Times are Unix seconds.

## Problems

A refusal is \`application/problem+json\` (RFC 9457): \`code\` is for programs and never changes its meaning, \`detail\` names the argument, what was sent and what is accepted. [The list of problems](/docs/problems) explains each code.
`;
