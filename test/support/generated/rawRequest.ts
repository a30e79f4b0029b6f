import { Agent, request } from "node:http"
import { Data, Effect } from "effect"
import { text } from "node:stream/consumers"
import type { ReceivedResponse } from "./documentedResponses.ts"
import type { DraftRequest } from "./mutations.ts"

/** The connection ended before a response. */
export class NoResponse extends Data.TaggedError("NoResponse")<{ readonly cause: unknown }> {}

const encodeBody = ({ body, bytes }: DraftRequest): Buffer | undefined =>
  bytes ?? (body === undefined ? undefined : Buffer.from(JSON.stringify(body)))

export const keepAliveAgent = Effect.acquireRelease(
  Effect.sync(() => new Agent({ keepAlive: true })),
  (agent) => Effect.sync(() => agent.destroy())
)

/** Sends a request unchanged; `fetch` would normalize its path and refuse some bodies. */
export const sendRaw = (url: string, agent: Agent, draft: DraftRequest): Effect.Effect<ReceivedResponse, NoResponse> =>
  Effect.callback((resume) => {
    const { hostname, port } = new URL(url)
    const bytes = encodeBody(draft)
    const fail = (cause: unknown) => resume(Effect.fail(new NoResponse({ cause })))
    const sent = request({
      agent,
      hostname,
      port,
      method: draft.method,
      path: draft.query === "" ? draft.path : `${draft.path}?${draft.query}`,
      headers: { ...draft.headers, ...(bytes === undefined ? {} : { "content-length": bytes.byteLength }) }
    })
    sent.once("error", fail)
    sent.once("response", (response) => {
      const { statusCode: status = 0, headers } = response
      text(response).then((body) => resume(Effect.succeed({ status, headers, text: body })), fail)
    })
    sent.end(bytes)
    return Effect.sync(() => sent.destroy())
  })
