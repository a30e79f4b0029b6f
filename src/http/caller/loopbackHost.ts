import type { HttpServerRequest } from "effect/http"
import { isLoopback } from "../../domain/plain/loopback.ts"

/** Whether a request names this machine as its host: a page of another site whose name was pointed at it does not (DNS rebinding). */
export const namesLoopback = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  isLoopback((headers["host"] ?? "").replace(/:\d+$/, ""))
