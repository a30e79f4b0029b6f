import { Effect, Layer } from "effect"
import { Repo } from "../../../src/repo/Repo.ts"

type Service = Repo["Service"]

/** The calls of Repo that a test expects, by aggregate. */
export type ExpectedCalls = { readonly [Aggregate in keyof Service]?: Partial<Service[Aggregate]> }

const aggregate = (name: string, expected: object) =>
  new Proxy(expected, {
    get: (calls, method) =>
      Reflect.get(calls, method) ?? (() => Effect.die(`Unexpected repo.${name}.${String(method)}`))
  })

const withoutDatabase: Pick<Service, "transaction" | "ping"> = { transaction: (effect) => effect, ping: Effect.void }

type Posts = Service["posts"]

/** Asks for a post by the effect that reads it. */
const askBy =
  (getJson: Posts["getJson"]): Posts["askJson"] =>
  (workspaceId, id, context, resume) => {
    const fiber = Effect.runForkWith(context)(getJson(workspaceId, id))
    fiber.addObserver(resume)
    return () => fiber.interruptUnsafe()
  }

const unexpectedRead: Posts["getJson"] = () => Effect.die("Unexpected repo.posts.getJson")

/** Any engine opens the connection for settlements, and checks that it works. */
const withDefaults = ({ posts, targets, ...calls }: ExpectedCalls): ExpectedCalls => ({
  ...calls,
  targets: { openSettling: Effect.void, probeSettling: Effect.void, ...targets },
  posts: { askJson: askBy(posts?.getJson ?? unexpectedRead), ...posts }
})

/** A Repo that handles the expected calls and dies on any other. */
export const fakeRepo = (expected: ExpectedCalls): Layer.Layer<Repo> => {
  const calls = withDefaults(expected)
  return Layer.succeed(
    Repo,
    new Proxy(withoutDatabase, {
      get: (own, name) => Reflect.get(own, name) ?? aggregate(String(name), Reflect.get(calls, name) ?? {})
    }) as Service
  )
}
