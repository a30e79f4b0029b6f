import { Effect } from "effect"
import { randomInt } from "node:crypto"
import { createServer } from "node:http"

/** The arrivals of an event, which is identified by the id of its post. */
interface Arrival {
  /** The ids under which it arrived. */
  readonly ids: Set<string | undefined>
  count: number
}

/** Receivers of webhooks. The path of each receiver is its number. */
export const startReceivers = Effect.gen(function* () {
  const arrivals = new Map<string, Arrival>()
  const hanging = new Set<number>()
  const flaky = new Set<number>()
  let failures = 0

  const arrive = (body: string, id: string | undefined) => {
    const { data }: { readonly data: { readonly post_id: string } } = JSON.parse(body)
    const arrival = arrivals.get(data.post_id) ?? { ids: new Set(), count: 0 }
    arrivals.set(data.post_id, arrival)
    arrival.ids.add(id)
    arrival.count++
  }

  const server = createServer((request, response) => {
    const number = Number(request.url?.slice(1))
    if (hanging.has(number)) return
    let body = ""
    request.setEncoding("utf8")
    request.on("data", (chunk: string) => (body += chunk))
    request.on("end", () => {
      const fails = flaky.has(number) && randomInt(4) === 0
      if (fails) failures++
      else arrive(body, request.headers["webhook-id"]?.toString())
      response.writeHead(fails ? 503 : 204).end()
    })
  })
  const port = yield* Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", 1024, () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
      })
    }),
    () =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )
  return {
    url: `http://127.0.0.1:${port}`,
    arrivals,
    failures: () => failures,
    hang: (number: number) => void hanging.add(number),
    respond: (number: number) => void hanging.delete(number),
    failQuarter: (number: number) => void flaky.add(number)
  }
})
