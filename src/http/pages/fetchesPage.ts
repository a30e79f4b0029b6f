import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { html } from "../../domain/html.ts"
import { cardPage } from "./cardPage.ts"

export const fetchesPath = "/fetches"

const page = cardPage(
  200,
  "Requests from this service",
  html`<p>This address is in the User-Agent of requests that this service sends for its users.</p>
<p>It opens a page once when somebody schedules a post that links to it, to show the page's title, description and
picture beside the post. Before the post is due, it asks a few times whether the page still answers, with HEAD or
without reading the page. It also fetches files that users name by their address, and sends events to the addresses of
their webhooks. It follows no links and keeps no copy of pages.</p>
<p>To admit or refuse these requests, match <strong>social-publisher</strong> in the User-Agent. For questions, write to
the people who run this service, at the host of this address.</p>`
)

/** Sites that admit known programs only look for such a page. */
export const fetchesPageLayer = HttpRouter.add("GET", fetchesPath, Effect.succeed(page))
