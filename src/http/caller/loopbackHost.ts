import type { HttpServerRequest } from "effect/http"
import { isLoopback } from "../../domain/plain/loopback.ts"

/** True if the request names this machine as its host. Refuses other names that resolve to it (DNS rebinding). */
export const namesLoopback = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  isLoopback((headers["host"] ?? "").replace(/:\d+$/, ""))
