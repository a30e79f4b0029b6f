import type { HttpServerRequest } from "effect/http"
import { html } from "../../domain/html.ts"
import { cardPage } from "./cardPage.ts"

const qualityOf = (accept: string, type: string): number => {
  for (const part of accept.toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim())
    if (name !== type) continue
    const quality = parameters.find((parameter) => parameter.startsWith("q="))
    return quality === undefined ? 1 : Number(quality.slice(2)) || 0
  }
  return 0
}

const isOfApi = (url: string): boolean => /^\/v\d+(?:[/?]|$)/.test(url)

/** True if a browser requests a page. Programs do not accept HTML, or prefer JSON. */
export const asksForPage = ({ headers, method, url }: HttpServerRequest.HttpServerRequest): boolean => {
  const accept = headers["accept"] ?? ""
  const page = qualityOf(accept, "text/html")
  const isBetter = ["application/json", "application/problem+json"].every((type) => page > qualityOf(accept, type))
  return (method === "GET" || method === "HEAD") && !isOfApi(url) && page > 0 && isBetter
}

export const notFoundPage = cardPage(
  404,
  "There is no such page",
  html`<p>The address may be mistyped, or the page is gone.</p>
<p><a href="/">Go to the calendar</a></p>`
)
