import { Effect } from "effect"
import { createServer } from "node:http"

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue?: string }
}

interface Span {
  readonly name: string
  readonly attributes: ReadonlyArray<Attribute>
}

interface Traces {
  readonly resourceSpans: ReadonlyArray<{ readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<Span> }> }>
}

/** An OTLP collector that keeps the bodies it receives by path, and stops with the scope. */
export const otlpCollector = Effect.acquireRelease(
  Effect.callback<{
    readonly url: string
    readonly received: ReadonlyMap<string, ReadonlyArray<string>>
    readonly close: () => void
  }>((resume) => {
    const received = new Map<string, Array<string>>()
    const server = createServer((request, response) => {
      let body = ""
      request.setEncoding("utf8").on("data", (text: string) => {
        body += text
      })
      request.on("end", () => {
        const path = request.url ?? ""
        received.set(path, [...(received.get(path) ?? []), body])
        response.end("{}")
      })
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, received, close: () => server.close() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

/** All spans that the collector has received. */
export const receivedSpans = (received: ReadonlyMap<string, ReadonlyArray<string>>) =>
  (received.get("/v1/traces") ?? []).flatMap((body) => {
    const { resourceSpans }: Traces = JSON.parse(body)
    return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
  })
