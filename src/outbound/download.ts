import { Duration, Effect } from "effect"
import { HttpClientRequest } from "effect/http"
import { ResponseRefused, Unreachable } from "./errors.ts"
import { Outbound } from "./Outbound.ts"
import { filePace, requirePace } from "./pace.ts"

const timeout = Duration.seconds(30)
const maxRedirects = 5

/** Whether a server that answers so may answer otherwise later. */
const isTemporary = (status: number): boolean => status === 408 || status === 425 || status === 429 || status >= 500

/**
 * Streams a file from an https URL that others chose. What the server says of its type and name is not believed, so it is not
 * returned. The stream fails where the file is longer than `maxBytes` or arrives too slowly; Unreachable is what may pass.
 */
export const download = Effect.fn("download")(function* (url: string, maxBytes: number) {
  const { open } = yield* Outbound
  const response = yield* open({ request: HttpClientRequest.get(url), timeout, maxBytes, maxRedirects })
  const { status } = response
  const host = new URL(response.url).host
  if (status !== 200) {
    const message = `${host} answered ${status}`
    return yield* isTemporary(status) ? new Unreachable({ message }) : new ResponseRefused({ message })
  }
  return requirePace(
    response.body,
    filePace,
    () => new Unreachable({ message: `${host} sends less than ${filePace.bytesPerSecond / 1000} kB a second` })
  )
})
