import type { HttpServerRequest } from "effect/http"

const loopbackHost = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i

/** Whether a request names this machine as its host: a page of another site whose name was pointed at it does not (DNS rebinding). */
export const namesLoopback = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  loopbackHost.test(headers["host"] ?? "")
