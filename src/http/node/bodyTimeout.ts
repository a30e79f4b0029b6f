import { Clock, Duration, Effect, Schedule } from "effect"
import type { IncomingMessage, Server } from "node:http"

const timeout = Duration.seconds(30)
const checkInterval = Duration.seconds(2)

/** Uploads may take hours. Code that reads them requires a minimum rate instead. */
const isUpload = ({ headers, method, url = "" }: IncomingMessage): boolean =>
  method === "POST" &&
  url.split("?", 1)[0] === "/v1/media" &&
  headers["content-type"]?.trimStart().toLowerCase().startsWith("multipart/form-data") === true

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0"

/**
 * The error with which Node's own `requestTimeout` fails. Node's timeout is not used, because it can't exempt uploads.
 */
const timedOut = () => Object.assign(new Error("Request timeout"), { code: "ERR_HTTP_REQUEST_TIMEOUT" })

/**
 * Responds with a 408 to requests whose body takes too long, except uploads. Measures real time, like Node's own
 * limits.
 */
export const limitBodyTime = Effect.fnUntraced(
  function* (server: Server) {
    const clock = yield* Clock.Clock
    /** Requests that are still arriving, with their deadlines; the oldest is first. */
    const arriving = new Map<IncomingMessage, number>()

    const track = (request: IncomingMessage) => {
      if (!hasBody(request) || isUpload(request)) return
      arriving.set(request, clock.currentTimeMillisUnsafe() + Duration.toMillis(timeout))
      const forget = () => arriving.delete(request)
      request.once("end", forget)
      request.once("close", forget)
    }
    server.on("request", track)
    server.on("checkContinue", track)

    const check = Effect.sync(() => {
      const now = clock.currentTimeMillisUnsafe()
      for (const [request, deadline] of arriving) {
        if (deadline > now) return
        arriving.delete(request)
        server.emit("clientError", timedOut(), request.socket)
      }
    })
    yield* Effect.forkScoped(Effect.repeat(check, Schedule.spaced(checkInterval)))
  },
  Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
)
