import type { HttpServerRequest } from "effect/http"
import { isLoopback } from "../../domain/plain/loopback.ts"

/** True if the request's host is this machine, and not another name that resolves to it (DNS rebinding). */
export const namesLoopback = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  isLoopback((headers["host"] ?? "").replace(/:\d+$/, ""))
