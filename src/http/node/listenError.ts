import { Predicate, Schema } from "effect"

/** The server could not begin to listen; `message` is one line that names the variable to change. */
export class ListenError extends Schema.TaggedError<ListenError>()("ListenError", {
  message: Schema.String,
  cause: Schema.Defect()
}) {}

const explain = (code: unknown, host: string, port: number): string => {
  switch (code) {
    case "EADDRINUSE":
      return `PORT ${port} is in use on ${host}: stop what listens there, or set PORT to another one`
    case "EACCES":
      return `PORT ${port} may not be used by this user: set PORT to one from 1024 on`
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `HOST ${host} is not an address of this machine`
    default:
      return `The server can't listen on HOST ${host}, PORT ${port}`
  }
}

/** Says in the operator's words why Node could not listen. */
export const listenError = (cause: unknown, host: string, port: number): ListenError =>
  new ListenError({
    message: explain(Predicate.hasProperty(cause, "code") ? cause.code : undefined, host, port),
    cause
  })
