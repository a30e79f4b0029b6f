import { Effect, Exit, Layer, Redacted } from "effect"
import { ClaimUncertain } from "../../../src/domain/errors.ts"
import { Repo } from "../../../src/repo/Repo.ts"

type Service = Repo["Service"]

export type ExpectedCalls = { readonly [Aggregate in keyof Service]?: Partial<Service[Aggregate]> }

const aggregate = (name: string, expected: object) =>
  new Proxy(expected, {
    get: (calls, method) =>
      Reflect.get(calls, method) ?? (() => Effect.die(`Unexpected repo.${name}.${String(method)}`))
  })

const withoutDatabase: Pick<Service, "transaction" | "ping"> = { transaction: (effect) => effect, ping: Effect.void }

type Posts = Service["posts"]

const askBy =
  (getJson: Posts["getJson"]): Posts["askJson"] =>
  (workspaceId, id, context, resume) => {
    const fiber = Effect.runForkWith(context)(getJson(workspaceId, id))
    fiber.addObserver(resume)
    return () => fiber.interruptUnsafe()
  }

const unexpectedRead: Posts["getJson"] = () => Effect.die("Unexpected repo.posts.getJson")

/** Stores no batch, as if all targets were locked, so that `beginSend` stores each intent. */
const beginEachAlone: Service["targets"]["beginSends"] = (sends) =>
  Effect.succeed(sends.map(() => Exit.fail(new ClaimUncertain())))

const onceWithoutKey: Service["idempotency"]["once"] = (key, effect) =>
  key === undefined
    ? Effect.map(effect, (result) => ({ result, replayed: false }))
    : Effect.die("Unexpected repo.idempotency.once with a key")

/** Every engine opens the connection for settlements, checks it, and reads credentials. */
const withDefaults = ({ idempotency, integrations, posts, targets, ...calls }: ExpectedCalls): ExpectedCalls => ({
  ...calls,
  idempotency: { once: onceWithoutKey, ...idempotency },
  integrations: { credentials: () => Effect.succeed(Redacted.make("access")), ...integrations },
  targets: { openSettling: Effect.void, probeSettling: Effect.void, beginSends: beginEachAlone, ...targets },
  posts: { askJson: askBy(posts?.getJson ?? unexpectedRead), ...posts }
})

/** Dies on unexpected calls. */
export const fakeRepo = (expected: ExpectedCalls): Layer.Layer<Repo> => {
  const calls = withDefaults(expected)
  return Layer.succeed(
    Repo,
    new Proxy(withoutDatabase, {
      get: (own, name) => Reflect.get(own, name) ?? aggregate(String(name), Reflect.get(calls, name) ?? {})
    }) as Service
  )
}
