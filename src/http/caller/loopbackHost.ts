import type { HttpServerRequest } from "effect/http"
import { isLoopback } from "../../domain/plain/loopback.ts"

/**
 * True if the request's host is this machine. Another site's name that was pointed at this machine is not (DNS
 * rebinding).
 */
export const namesLoopback = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  isLoopback((headers["host"] ?? "").replace(/:\d+$/, ""))
