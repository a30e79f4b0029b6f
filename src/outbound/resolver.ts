import { Context, Effect, Result } from "effect"
import { promises } from "node:dns"
import { Unreachable } from "./errors.ts"

/** In milliseconds, per try. */
const timeout = 2000
const tries = 2

const query = (resolve: () => Promise<ReadonlyArray<string>>) => Effect.result(Effect.tryPromise(resolve))

const makeResolver = () => {
  const servers = new promises.Resolver({ timeout, tries })
  return Effect.fnUntraced(function* (name: string): Effect.fn.Return<ReadonlyArray<string>, Unreachable> {
    const found = yield* Effect.all([query(() => servers.resolve4(name)), query(() => servers.resolve6(name))], {
      concurrency: 2
    })
    const addresses = found.flatMap((answer) => (Result.isSuccess(answer) ? answer.success : []))
    return addresses.length === 0 ? yield* new Unreachable({ message: `${name} has no address` }) : addresses
  })
}

/**
 * Replaces Node's default lookup. While a name server that others chose delays its answer, that lookup blocks one of a
 * few threads, which also serve files.
 */
export const ResolveName = Context.Reference("social-publisher/outbound/ResolveName", { defaultValue: makeResolver })
