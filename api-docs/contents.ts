import { readFileSync } from "node:fs";
import { resultsPlace, type Section } from "../src/page/docs-search-wire.ts";
import type { ApiRoute } from "./api.ts";
import type { Tag } from "./example.ts";
import { type Html, html } from "./html.ts";
import { introduction } from "./introduction.ts";
import { operationId } from "./openapi-operation.ts";
import { addressHtml, operationHtml } from "./operation-html.ts";
import {
  docsHtml,
  type Group,
  type GroupName,
  type Guide,
  groupNames,
  guideHtml,
  guides,
  type PageLink,
  proseHtml,
} from "./page.ts";
import { type Recording, readRecording } from "./recorded.ts";
import { keywordsOf, type Page, sectionsOf } from "./section.ts";
import { operationTag, tagGroups } from "./tag.ts";

/**
 * The pages of the API reference, generated from the routes: /docs with the introduction and all operations, a page for each
 * tag, and the guides. Plain HTML: it loads nothing later, and no script runs next to a reader's tokens. Decision 35.
 */
export class Contents {
  /** The links to all pages below /docs. */
  readonly contents: readonly Group[];
  private readonly api: readonly ApiRoute[];
  private readonly groups: Map<string, Tag[]>;
  private readonly recording: Recording = readRecording();

  constructor(api: readonly ApiRoute[]) {
    this.api = api;
    this.groups = tagGroups(api.map(({ url }) => url));
    this.contents = groupNames.map((name) => ({ name, places: this.placesOf(name) }));
  }

  private placesOf(group: GroupName): PageLink[] {
    if (group !== "Reference") return guidesOf(group);
    const tags = [...this.groups.values()].flat();
    return [{ url: "/docs", title: "All operations" }, ...guidesOf(group), ...tags.map((tag) => this.place(tag))];
  }

  /** All pages by their addresses, for a service at this one, and what a search finds in them. */
  pages(base: string): { pages: Map<string, string>; sections: Section[] } {
    const tags = [...this.groups.values()].flat();
    const reference: Page[] = [
      { url: "/docs", title: "API reference", content: this.overview() },
      ...tags.map((tag) => ({ url: urlOf(tag), title: tag.name, content: this.chapter(tag, base) })),
    ];
    const all = [...reference, ...Object.keys(guides).map(guidePage)];
    const search: Page = { url: "/docs/search", title: "Search", content: html`${resultsPlace}` };
    return {
      pages: new Map([...all, search].map((page) => [page.url, docsHtml({ ...page, contents: this.contents })])),
      sections: all.flatMap(sectionsOf),
    };
  }

  private place(tag: Tag): PageLink {
    const url = urlOf(tag);
    const places = this.routesOf(tag).map((route) => ({ url: `${url}#${operationId(route)}`, title: route.summary }));
    return { url, title: tag.name, places };
  }

  private routesOf({ name }: Tag): ApiRoute[] {
    return this.api.filter(({ url }) => operationTag(url) === name);
  }

  private overview(): Html {
    return html`<h1>Octavo</h1>
${proseHtml(introduction)}
<h2 id="guides">Pages</h2>
${groupNames.map((name) => html`<h3>${name}</h3><ul class="guides">${guidesOf(name).map(linkHtml)}</ul>`)}
<p>For programs: the same as <a href="/api/openapi.json">OpenAPI 3.1</a>. With tokens a call can be <a href="/docs/try" target="octavo-try">tried</a> in the browser.</p>
<h2 id="operations">Operations</h2>
${[...this.groups].map(
  ([name, tags]) =>
    html`<h3>${name}</h3>${tags.map(
      (tag) => html`<h4><a href="${urlOf(tag)}">${tag.name}</a></h4>${this.operations(tag)}`,
    )}`,
)}`;
  }

  /** The operations of a tag, each with its link. */
  private operations(tag: Tag): Html {
    const items = this.routesOf(tag).map(
      (route) => html`<li>${addressHtml(route)}<a href="${urlOf(tag)}#${operationId(route)}">${route.summary}</a></li>`,
    );
    return html`<ul class="operations">${items}</ul>`;
  }

  private chapter(tag: Tag, base: string): Html {
    return html`<h1>${tag.name}</h1>
${proseHtml(tag.description)}
<nav class="here" aria-label="Operations">${this.operations(tag)}</nav>
${this.routesOf(tag).map((route) => operationHtml(route, this.recording, base))}`;
  }
}

const guidesOf = (group: GroupName): PageLink[] =>
  Object.entries(guides).flatMap(([url, guide]) => (guide.group === group ? [{ url, title: guide.title }] : []));

const linkHtml = ({ url, title }: PageLink): Html => html`<li><a href="${url}">${title}</a></li>`;

function guidePage(url: string): Page {
  const { file, title, group } = guides[url] as Guide;
  const markdown = readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
  const keywords = keywordsOf(markdown);
  return { url, title, content: guideHtml(markdown, file), keywords, isGuide: group !== "Reference" };
}

/** `/docs/api/entries-by-family` */
const urlOf = ({ name }: Tag): string => `/docs/api/${name.toLowerCase().replaceAll(" ", "-")}`;
