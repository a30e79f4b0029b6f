// A stand-in for X and for the receivers of webhooks. It accepts every post or event after a delay, and records the
// time of its arrival. It takes 2 µs a post. X's own stand-in takes 30 to 60 µs, which would limit the fastest
// contender.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { answerParent, now } from "./answerParent.ts"

/** The benchmark's questions to the platform. */
export type PlatformQuestion =
  | { readonly _tag: "listen" }
  /** Forgets all arrivals. */
  | { readonly _tag: "reset"; readonly delay: number }
  /** Waits until this many posts have arrived, and returns the time of the last arrival. */
  | { readonly _tag: "wait"; readonly count: number }
  /** Returns the time of each post's first arrival by its text, and the number of posts that arrived more than once. */
  | { readonly _tag: "arrivals" }
  /** Returns every hundredth event that arrived. */
  | { readonly _tag: "sample" }

export interface SampledEvent {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

let sample = new Array<SampledEvent>()
let delay = 0
let arrivals = new Map<string, number>()
let doubled = 0
let waiting: { readonly count: number; readonly resolve: () => void } | undefined

const readBody = async (request: IncomingMessage) => {
  let body = ""
  for await (const chunk of request.setEncoding("utf8")) body += chunk
  return body
}

const respond = (response: ServerResponse, status: number, body: string) =>
  response
    .writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
    .end(body)

const arrive = (name: string, at: number) => {
  if (arrivals.has(name)) doubled++
  else arrivals.set(name, at)
  if (waiting !== undefined && arrivals.size >= waiting.count) waiting.resolve()
}

const takePost = async (request: IncomingMessage, response: ServerResponse) => {
  const at = now()
  const { text }: { readonly text: string } = JSON.parse(await readBody(request))
  arrive(text, at)
  const id = `${Math.floor(at)}${arrivals.size}`
  if (delay > 0) await sleep(delay)
  respond(response, 201, `{"data":{"id":"${id}"}}`)
}

const takeEvent = async (path: string, request: IncomingMessage, response: ServerResponse) => {
  const at = now()
  const body = await readBody(request)
  arrive(`${path} ${String(request.headers["webhook-id"])}`, at)
  if (arrivals.size % 100 === 0) {
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
    sample.push({ path, headers: Object.fromEntries(headers), body })
  }
  if (delay > 0) await sleep(delay)
  response.writeHead(204).end()
}

const server = createServer((request, response) => {
  if (request.method === "POST" && request.url?.startsWith("/hooks/")) void takeEvent(request.url, request, response)
  // `/unmeasured/` is for receivers that are not measured; `/hanging/` never responds.
  else if (request.url?.startsWith("/unmeasured/")) request.resume().once("end", () => response.writeHead(204).end())
  else if (request.url?.startsWith("/hanging/")) request.resume()
  else if (request.method === "POST" && request.url === "/2/tweets") void takePost(request, response)
  else respond(response, 404, `{"title":"Not Found"}`)
})
// The service keeps connections open while they are idle, and only clients close them here.
server.keepAliveTimeout = 600_000

const listen = () =>
  new Promise<object>((resolve) => {
    server.listen(0, "127.0.0.1", 1024, () => {
      const address = server.address()
      resolve({ port: typeof address === "object" && address !== null ? address.port : 0 })
    })
  })

answerParent(async (text) => {
  const question: PlatformQuestion = JSON.parse(text)
  switch (question._tag) {
    case "listen":
      return listen()
    case "reset":
      ;({ delay } = question)
      arrivals = new Map()
      doubled = 0
      sample = []
      return { at: now() }
    case "wait": {
      const { count } = question
      if (arrivals.size < count) await new Promise<void>((resolve) => (waiting = { count, resolve }))
      waiting = undefined
      return { at: now() }
    }
    case "arrivals":
      return { arrivals: [...arrivals], doubled }
    case "sample":
      return { sample }
  }
})
