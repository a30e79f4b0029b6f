import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { type HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"
import { type AgentTextsOptions, renderAgentsText, renderLlmsText } from "./agentTexts.ts"
import { precompressed } from "./precompressed.ts"

const contentType = "text/markdown; charset=utf-8"

/** Each page for agents is made at its first request. */
export const agentPagesLayer = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  options: Omit<AgentTextsOptions, "document">
) => {
  const page = (path: `/${string}`, render: (options: AgentTextsOptions) => string) =>
    HttpRouter.add(
      "GET",
      path,
      Effect.sync(() => {
        const text = render({ ...options, document: OpenApi.fromApi(api) })
        return HttpServerResponse.uint8Array(new TextEncoder().encode(text), { contentType })
      })
    ).pipe(Layer.provide(precompressed(contentType).layer))
  return Layer.merge(page("/llms.txt", renderLlmsText), page("/agents.md", renderAgentsText))
}
