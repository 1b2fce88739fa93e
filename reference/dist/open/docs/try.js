// Sends the call of the form. Pages of the reference link here with an example after the "#".
const form = document.querySelector("form");
const field = (name) => form.elements.namedItem(name);
const status = document.querySelector(".status");
const picture = document.querySelector(".picture");
const reply = document.querySelector(".reply");
/** Headers that the page shows. */
const shown = /^(?:content-type|content-range|etag|link|x-total-count|octavo-.*|retry-after|x-request-id)$/;

/** Fills the form with the example; keeps the typed tokens. */
function fill() {
  let call;
  try {
    call = JSON.parse(decodeURIComponent(location.hash.slice(1)));
  } catch {
    return;
  }
  const { method = "GET", address = "", headers = {}, body, fields, kind = "" } = call;
  const type = body === undefined || "Content-Type" in headers ? {} : { "Content-Type": "application/json" };
  field("method").value = method;
  field("address").value = address;
  field("headers").value = Object.entries({ ...headers, ...type })
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
  field("body").value = body ?? (fields ? JSON.stringify(fields, null, 2) : "");
  field("token").placeholder = kind ? `oct_${kind[0]}_…` : "oct_…";
  field("file").value = "";
  show("", "", undefined);
}

function headersOfForm() {
  const headers = new Headers();
  for (const line of field("headers")
    .value.split("\n")
    .filter((text) => text.trim())) {
    const colon = line.indexOf(":");
    headers.append(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  if (field("token").value.trim()) headers.set("Authorization", `Bearer ${field("token").value.trim()}`);
  if (field("access").value.trim()) headers.set("X-Access-Token", field("access").value.trim());
  return headers;
}

function bodyOfForm() {
  if (field("method").value === "GET") return undefined;
  const [file] = field("file").files;
  if (!file) return field("body").value || undefined;
  const data = new FormData();
  for (const [name, value] of Object.entries(JSON.parse(field("body").value || "{}"))) data.append(name, String(value));
  data.append("file", file);
  return data;
}

/** The URL on this service; refuses URLs of other hosts, which would receive the tokens. */
function addressOfForm() {
  const url = new URL(field("address").value, location.origin);
  if (url.origin !== location.origin) throw new Error("The address must be one of this service, beginning with /.");
  return url;
}

async function send() {
  const headers = headersOfForm();
  const body = bodyOfForm();
  if (body instanceof FormData) headers.delete("Content-Type");
  const startedMs = performance.now();
  const response = await fetch(addressOfForm(), { method: field("method").value, headers, body });
  const blob = await response.blob();
  const tookMs = Math.round(performance.now() - startedMs);
  const lines = [...response.headers].filter(([name]) => shown.test(name)).map((pair) => pair.join(": "));
  const isPicture = response.ok && /^image\//.test(blob.type);
  const text = isPicture || !/json|text/.test(blob.type) ? "" : format(await blob.text());
  show(
    `${response.status} ${response.statusText}, ${tookMs} ms`,
    [...lines, "", text].join("\n"),
    isPicture ? blob : undefined,
  );
}

/** Indented JSON; if JavaScript would format a number differently, the text is unchanged. */
function format(text) {
  try {
    const lines = JSON.stringify(JSON.parse(text), null, 2);
    return lines.replace(/\s/g, "") === text.replace(/\s/g, "") ? lines : text;
  } catch {
    return text;
  }
}

function show(title, text, blob) {
  status.textContent = title;
  reply.hidden = text === "";
  reply.firstElementChild.textContent = text;
  picture.replaceChildren();
  if (!blob) return;
  const image = new Image();
  image.alt = "The picture that was answered";
  image.src = URL.createObjectURL(blob);
  image.addEventListener("load", () => URL.revokeObjectURL(image.src));
  picture.append(image);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  send().catch((error) => show("Not sent", String(error.message), undefined));
});
addEventListener("hashchange", fill);
fill();
